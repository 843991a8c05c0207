import { existsSync, readFileSync } from "node:fs";
import { decode } from "fast-png";
import type { FrameShape } from "../../sources/core/frame.ts";
import { depthMap, rgb, type Scene } from "../../viewer/bench/dof/draw.ts";

const folder = new URL("../../../shared/data/tum_fr1_xyz/", import.meta.url);
export const hasTum = existsSync(folder);

const intrinsics = { fx: 517.3, fy: 516.5, cx: 318.6, cy: 255.3, width: 640, height: 480 };
const tumShape: FrameShape = { metresPerUnit: 1 / 5000, intrinsics };

const times = (file: string) =>
  readFileSync(new URL(file, folder), "utf8")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"))
    .map((line) => line.trim().split(/\s+/) as [string, string])
    .filter(([, path]) => existsSync(new URL(path, folder)));

/** The scene of the depth frame nearest in time to colour image `n`. */
export function tumScene(n: number): Scene {
  const [time, path] = times("rgb.txt")[n] ?? ["0", ""];
  const apart = ([t]: readonly [string, string]) => Math.abs(Number(t) - Number(time));
  const [nearest] = times("depth.txt").sort((a, b) => apart(a) - apart(b));
  const color = decode(readFileSync(new URL(path, folder)));
  const depth = decode(readFileSync(new URL(nearest?.[1] ?? "", folder)));
  return depthMap(tumShape, (u, v) => {
    const p = v * 640 + u;
    const c = p * color.channels;
    return [depth.data[p], rgb(color.data[c], color.data[c + 1], color.data[c + 2])];
  });
}
