import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { Rigid } from "../../core/pose.ts";
import { RequestError } from "../../run/report/failure.ts";
import type { Recording } from "../../sources/index.ts";
import { openRecording } from "../../sources/index.ts";
import { type SensorName, syntheticRoom, type ViewName } from "../../sources/synthetic/index.ts";
import type { Recorded } from "./score.ts";
import { stillOf } from "./still.ts";

/** Named frames. */
export interface DataSet extends Recorded {
  readonly name: string;
  /** The simulated camera of a synthetic set. */
  readonly sensor?: SensorName;
}

/** A smaller share of still pixels than this means that the camera moves. */
const FIXED_SHARE = 0.4;

/** Simulated cameras: their real focal lengths in px, how they move and where they stand. */
const VIEWS: readonly (readonly [SensorName, focalPx: number, "fixed" | "sway", ViewName])[] = [
  ["kinect-v1", 525, "fixed", "room"],
  ["kinect-v1", 525, "sway", "room"],
  ["kinect-v2", 365, "fixed", "overhead"],
  ["azure-kinect", 504, "fixed", "desk"],
  ["realsense", 424, "fixed", "room"],
  ["phone", 212, "fixed", "desk"],
];

/**
 * The room as simulated cameras see it: each camera standing still, and one that moves. The images are cut from the middle, `size` large.
 * Grain, steps and filters are measured in pixels, so the pixels must be the camera's own.
 */
export async function* syntheticSets(size: { width: number; height: number }, frames: number): AsyncGenerator<DataSet> {
  for (const [sensor, focal, cameraMotion, view] of VIEWS) {
    const { width, height } = size;
    const intrinsics = { fx: focal, fy: focal, cx: (width - 1) / 2, cy: (height - 1) / 2, width, height };
    const room = syntheticRoom({ intrinsics, frames, color: false, sensor, cameraMotion, view });
    const truth = Array.from({ length: frames }, (_, t) => new Uint16Array(room.groundTruth(t).depth.data));
    const poses = await Promise.all(
      truth.map((_, t) => room.pose(t).then((pose) => Float64Array.from(pose.slice(0, 12)))),
    );
    const name = `${sensor}, ${cameraMotion === "sway" ? "held in the hand" : view}`;
    const fixed = cameraMotion === "fixed";
    yield { ...(await loaded(room, frames)), truth, fixed, ...(!fixed && { poses }), name, sensor };
  }
}

/** Sets from recordings; `truths[k]` is the ground truth of the k-th. A recording made by `synth` has its own in truth/. */
export async function* recordedSets(
  paths: readonly string[],
  truths: readonly string[],
  limit: number,
): AsyncGenerator<DataSet> {
  for (const [k, path] of paths.entries()) {
    const recording = await openRecording(path);
    try {
      const raw = await loaded(recording, limit);
      const own = existsSync(join(path, "truth")) ? join(path, "truth") : undefined;
      const known = truths[k] ?? own;
      const truth = known === undefined ? undefined : await truthOf(known, raw, recording.name);
      const { intrinsics, metresPerUnit } = raw;
      const fixed = raw.raw.length > 4 && stillOf(raw.raw, intrinsics.width, metresPerUnit * 1000).share > FIXED_SHARE;
      yield { ...raw, truth, fixed: fixed && truth === undefined, name: basename(recording.name) || path };
    } finally {
      await recording.close();
    }
  }
}

async function loaded(recording: Pick<Recording, "length" | "read">, limit: number) {
  const raw: Uint16Array[] = [];
  const poses: Rigid[] = [];
  const first = await recording.read(0);
  for (let t = 0; t < Math.min(recording.length, limit); t++) {
    const { depth, pose } = await recording.read(t);
    if (pose) poses.push(Float64Array.from(pose.slice(0, 12)));
    if (depth.data.length !== first.depth.data.length)
      throw new RequestError(`frame ${t} is of another size than the first: measure it apart`);
    raw.push(new Uint16Array(depth.data));
  }
  const { intrinsics, metresPerUnit } = first;
  return { raw, intrinsics, metresPerUnit, ...(poses.length === raw.length && { poses }) };
}

async function truthOf(
  path: string,
  { raw, intrinsics, metresPerUnit }: Omit<Recorded, "truth" | "fixed">,
  name: string,
) {
  const recording = await openRecording(path);
  try {
    const truth = await loaded(recording, raw.length);
    const { width, height } = truth.intrinsics;
    if (width !== intrinsics.width || height !== intrinsics.height || truth.raw.length < raw.length) {
      const there = `${truth.raw.length} frames of ${width}x${height}`;
      throw new RequestError(
        `--truth ${path}: it has ${there}, ${name} has ${raw.length} of ${intrinsics.width}x${intrinsics.height}; they go frame by frame`,
      );
    }
    const scale = truth.metresPerUnit / metresPerUnit;
    return scale === 1 ? truth.raw : truth.raw.map((units) => units.map((u) => Math.min(65535, Math.round(u * scale))));
  } finally {
    await recording.close();
  }
}
