import { existsSync, readFileSync } from "node:fs";
import { decode } from "fast-png";
import { test } from "vitest";
import type { FrameShape } from "../../core/frame.ts";
import { madeUp } from "../fullFrames.ts";
import { MISSING, slowTest } from "../mode.ts";
import { depthMap, rgb, type Scene } from "./draw.ts";

const folder = new URL("../../../shared/data/tum_fr1_xyz/", import.meta.url);

/**
 * A test on a full frame's scene, or on every `step`-th pixel of its rows and columns: of a camera that is made up, and of a real
 * one, which the quick run leaves out, and which is skipped where its recording is absent.
 */
export function testOnScenes(title: string, body: (scene: Scene) => void | Promise<void>, step = 1): void {
  test(`${title} of a camera that is made up`, () => body(madeUpScene(step)));
  const real = `${title} of a real camera`;
  if (existsSync(folder)) slowTest(real, () => body(tumScene(0, step)));
  else test.skip(`${real}${MISSING}`);
}

/** The shape of an image that has every `step`-th pixel of a camera's. */
function thinned({ metresPerUnit, intrinsics }: FrameShape, step: number): FrameShape {
  const { fx, fy, cx, cy, width, height } = intrinsics;
  const lens = { fx: fx / step, fy: fy / step, cx: cx / step, cy: cy / step };
  return { metresPerUnit, intrinsics: { ...lens, width: width / step, height: height / step } };
}

const intrinsics = { fx: 517.3, fy: 516.5, cx: 318.6, cy: 255.3, width: 640, height: 480 };
const tumShape: FrameShape = { metresPerUnit: 1 / 5000, intrinsics };

const times = (file: string) =>
  readFileSync(new URL(file, folder), "utf8")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"))
    .map((line) => line.trim().split(/\s+/) as [string, string])
    .filter(([, path]) => existsSync(new URL(path, folder)));

/** The scene of `madeUp`, in tiles of two colours. */
function madeUpScene(step: number): Scene {
  const { data } = madeUp();
  const made: FrameShape = {
    metresPerUnit: 0.001,
    intrinsics: { fx: 580, fy: 580, cx: 319.5, cy: 239.5, width: 640, height: 480 },
  };
  return depthMap(thinned(made, step), (column, row) => {
    const [u, v] = [column * step, row * step];
    const tile = ((u >> 4) + (v >> 4)) % 2 === 0;
    return [data[v * 640 + u] ?? 0, tile ? rgb(230, 120 + (v >> 2), 40) : rgb(60, 110, 90 + (u >> 2))];
  });
}

/** The scene of the depth frame nearest in time to colour image `n`. */
function tumScene(n: number, step: number): Scene {
  const [time, path] = times("rgb.txt")[n] ?? ["0", ""];
  const apart = ([t]: readonly [string, string]) => Math.abs(Number(t) - Number(time));
  const [nearest] = times("depth.txt").sort((a, b) => apart(a) - apart(b));
  const color = decode(readFileSync(new URL(path, folder)));
  const depth = decode(readFileSync(new URL(nearest?.[1] ?? "", folder)));
  return depthMap(thinned(tumShape, step), (column, row) => {
    const p = (row * 640 + column) * step;
    const c = p * color.channels;
    return [depth.data[p], rgb(color.data[c], color.data[c + 1], color.data[c + 2])];
  });
}
