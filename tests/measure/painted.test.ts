import { expect, test } from "vitest";
import { type DepthFrame, image } from "../../core/frame.ts";
import { type Frame, lookingAt, toWorld } from "../../core/geometry.ts";
import { align } from "../../measure/index.ts";
import { LENS, roomFrames, WALL, wrongBy } from "./rigs.ts";

test.each([
  ["a place where it is stained", (x: number, y: number) => stains(x / 0.12, y / 0.12), true],
  ["none where it is tiled", (x: number, y: number) => (Math.floor(x / 0.15) + Math.floor(y / 0.15)) & 1, false],
] as const)("two cameras before a bare wall have %s", async (_, shade, isTold) => {
  const cameras = [lookingAt([0, -1.3, 0], [0.2, -1.2, 2]), lookingAt([0.7, -1.5, 0.1], [0.6, -1.3, 2])];
  const rig = cameras.map((camera, k) => {
    const frames = roomFrames(camera, { seed: k + 1, count: 3, solids: WALL });
    return frames.map((frame) => ({ ...frame, color: paintedBy(camera, frame, shade) }));
  });
  const [, found] = (await align(rig)).cameras;
  expect(found?.why === undefined).toBe(isTold);
  if (found?.toFirst && cameras[0] && cameras[1])
    expect(wrongBy(found.toFirst, cameras[0], cameras[1]).mm).toBeLessThan(5);
});

/** Light and dark by chance, from 0 to 1, blended between whole numbers. */
function stains(x: number, y: number): number {
  const [u, v] = [Math.floor(x), Math.floor(y)];
  const at = (i: number, j: number) => Math.abs(43758.5 * Math.sin(127.1 * (u + i) + 311.7 * (v + j))) % 1;
  const [s, t] = [x - u, y - v];
  return (1 - t) * ((1 - s) * at(0, 0) + s * at(1, 0)) + t * ((1 - s) * at(0, 1) + s * at(1, 1));
}

/** What a camera sees of a wall that is painted: `shade` says how light it is, from 0 to 1, at x and y, m. */
function paintedBy(camera: Frame, { depth }: DepthFrame, shade: (x: number, y: number) => number) {
  const { fx, fy, cx, cy, width, height } = LENS;
  const rgba = new Uint8Array(4 * width * height).fill(255);
  for (let i = 0; i < width * height; i++) {
    const z = 0.001 * (depth.data[i] ?? 0);
    const [x, y] = toWorld(camera, [(((i % width) - cx) / fx) * z, ((Math.floor(i / width) - cy) / fy) * z, z]);
    rgba.fill(60 + 120 * shade(x, y), 4 * i, 4 * i + 3);
  }
  return image(rgba, [height, width, 4]);
}
