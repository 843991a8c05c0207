import { expect, test } from "vitest";
import { image } from "../../core/array.ts";
import { IDENTITY, rigid, turned } from "../../core/pose.ts";
import { POSE_STATE } from "../../pipeline/index.ts";
import { meshOf } from "../../scan/mesh/mesh.ts";
import { alignLooks } from "../../scan/place/icp.ts";
import { lookOf, packed, unpacked } from "../../scan/place/look.ts";
import { shiftM } from "../../scan/place/way.ts";
import { Session } from "../../scan/session.ts";
import { type Fusable, KNOWN, type Volume } from "../../scan/volume/volume.ts";

// Views with colours are aligned by brightness as well, which shows motions that surfaces do not.

const intrinsics = { fx: 262, fy: 262, cx: 159.5, cy: 119.5, width: 320, height: 240 };

/** A painted wall 1.5 m before the first camera, as a camera sees it from `pose`, brighter by a factor. */
function wallFrom(pose: Float64Array, brighter: number, isPainted = true): Fusable {
  const { width, height, fx, fy, cx, cy } = intrinsics;
  const [depth, color] = [new Uint16Array(width * height), new Uint8Array(4 * width * height)];
  for (let k = 0; k < depth.length; k++) {
    const [rx, ry] = [((k % width) - cx) / fx, (Math.floor(k / width) - cy) / fy];
    const z = (1.5 - pose[11]) / (pose[8] * rx + pose[9] * ry + pose[10]);
    const [x, y] = [0, 4].map((row) => z * (pose[row] * rx + pose[row + 1] * ry + pose[row + 2]) + pose[row + 3]);
    depth[k] = Math.round(z * 10000);
    color.fill(100 + brighter + 30 * Math.sin(14 * x + 5 * y) + 25 * Math.sin(11 * y - 7 * x * x), 4 * k, 4 * k + 4);
  }
  const shape = [height, width];
  const colours = isPainted ? { color: image(color, [...shape, 4]) } : {};
  return { depth: image(depth, shape), metresPerUnit: 1e-4, intrinsics, ...colours } as Fusable;
}

test("along a wall only what is painted on it shows how the camera moved, in another light as well", () => {
  const first = lookOf(wallFrom(IDENTITY, 0));
  const pose = turned([0.02, -0.03, 0.04], [0.03, -0.02, 0.01]);
  for (const brighter of [0, 25]) {
    const found = alignLooks(lookOf(wallFrom(pose, brighter)), first, IDENTITY);
    expect(found?.isLit).toBe(true);
    expect(shiftM(found?.motion ?? rigid(), pose)).toBeLessThan(0.002);
  }
  expect(alignLooks(lookOf(wallFrom(pose, 0, false)), first, IDENTITY)).toBeUndefined();
});

test.each([true, false])("a model gets colour with the first frame that has some (recorded: %s)", async (recorded) => {
  const session = new Session({ voxelM: 0.03, farM: 4, mostMegabytes: 64 }, undefined);
  const said = { toWorld: IDENTITY, state: POSE_STATE.moved, recorded } as Parameters<Session["add"]>[1];
  for (let k = 0; k < 6; k++) {
    await session.add({ ...wallFrom(IDENTITY, 0, k > 1), timestamp: 33 * k }, said);
    expect((await session.read())?.options.hasColour).toBe(k > 3);
  }
  const mesh = meshOf((await session.read()) as Volume, KNOWN);
  expect([session.frames, session.undoable]).toEqual([6, 1]);
  expect(new Set(mesh.colours).size).toBeGreaterThan(20);
  session.destroy();
});

test("a keyframe's look comes back to the last bit, and takes a third of the memory", () => {
  const look = lookOf(wallFrom(turned([0.02, -0.03, 0.04], [0.03, -0.02, 0.01]), 0));
  const kept = packed(look);
  expect(Buffer.from(unpacked(kept).normals.buffer).equals(Buffer.from(look.normals.buffer))).toBe(true);
  const bytes = Object.values(kept).reduce<number>(
    (sum, value) => sum + (ArrayBuffer.isView(value) ? value.byteLength : 0),
    0,
  );
  expect(bytes).toBeLessThan(100_000);
});
