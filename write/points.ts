import ndarray from "ndarray";
import { raysOf } from "../core/calibration/rays.ts";
import { oneOf } from "../core/check.ts";
import type { DepthFrame } from "../core/frame.ts";
import { GREY } from "./cloud.ts";
import { type Target, targetOf } from "./folder.ts";
import { checkWrite, eachFrame, poseOf, type Writable, type WriteOptions, writeTime } from "./frames.ts";
import { pointsPcd } from "./plain.ts";
import { pointsPly } from "./ply.ts";

/** What `writePoints` writes. */
export interface PointsOptions extends WriteOptions {
  /** The kind of files; "ply" if not given. */
  readonly format?: "ply" | "pcd" | undefined;
}

/**
 * Writes the valid pixels of each frame as points, in metres in the sensor's frame (x right, y down, z forward), into a file of its own,
 * `points/000000.ply` or, organised and with the camera's pose, `.pcd`; `times.csv` has the frames' times and poses. Returns the number of
 * frames. Throws a `SourceError` where `target` is the path of a folder with contents, and an `OptionError` for a wrong option.
 *
 * @example
 * await writePoints(await openRecording("walk.bag"), "points", { count: 30, format: "pcd" });
 */
export async function writePoints(
  recording: Writable,
  target: string | Target,
  options: PointsOptions = {},
): Promise<number> {
  checkWrite("writePoints", recording, options, { format: oneOf("ply", "pcd") });
  const { format = "ply" } = options;
  const folder = await targetOf(target);
  return eachFrame(recording, options, async (frame, position) => {
    const name = `points/${String(position).padStart(6, "0")}.${format}`;
    const isPly = format === "ply";
    const bytes = isPly ? pointsPly(pointsOf(frame)) : pointsPcd(frame, await poseOf(recording, frame.index));
    await folder.write(name, bytes);
    await writeTime(folder, recording, frame, position);
  });
}

/** The valid pixels' points in the sensor's frame, in metres, with their colours; grey where there is none. */
function pointsOf({ depth, metresPerUnit, intrinsics, color }: DepthFrame) {
  const { x, y } = raysOf(intrinsics);
  const points = new Float32Array(4 * depth.data.length);
  const words = new Uint32Array(points.buffer);
  let count = 0;
  for (let i = 0; i < depth.data.length; i++) {
    const z = depth.data[i] * metresPerUnit;
    if (z === 0 || Number.isNaN(x[i])) continue;
    const at = 4 * count++;
    points[at] = x[i] * z;
    points[at + 1] = y[i] * z;
    points[at + 2] = z;
    const rgba = color?.data;
    words[at + 3] = rgba?.[4 * i + 3] ? rgba[4 * i] | (rgba[4 * i + 1] << 8) | (rgba[4 * i + 2] << 16) : GREY;
  }
  return ndarray(points.subarray(0, 4 * count), [count, 4]);
}
