import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { checkArgument } from "../core/check.ts";
import { SourceError } from "../core/source.ts";
import { describe, type Target, targetOf } from "./folder.ts";
import { checkWrite, eachFrame, meaning, poseOf, type Writable, type WriteOptions, writeTruth } from "./frames.ts";
import { depthPng, opaquePng } from "./png.ts";
import { quaternionOf } from "./quaternion.ts";
import { inUnits } from "./units.ts";

const METRES_PER_UNIT = 1 / 5000;

/**
 * Writes a recording in the layout of the TUM RGB-D benchmark (Sturm et al., IROS 2012), as its tools expect it:
 *
 *     depth.txt, rgb.txt     "time file", seconds
 *     groundtruth.txt        "time tx ty tz qx qy qz qw", the camera's pose, where it is known
 *     depth/0.033333.png     16 bits, 5000 units per metre, 0 for no measurement (or beyond 13.1 m, which `losses` counts)
 *     rgb/0.033333.png       8-bit RGB
 *     recording.json         the intrinsics, for which the layout has no place
 *     truth/…                the same depth without noise, where it is known, as a folder of PNGs
 *
 * A line is added after its image has been written, so the lists never name a missing image. Returns the number of frames. Throws a
 * `SourceError` where `target` is the path of a folder with contents, or where two frames have one time stamp.
 *
 * @example
 * const frames = await writeTum(await openRecording("walk.bag"), "walk", { count: 100 });
 */
export async function writeTum(
  recording: Writable,
  target: string | Target,
  options: WriteOptions = {},
): Promise<number> {
  checkWrite("writeTum", recording, options);
  const folder = await targetOf(target);
  const times = options.done ? await timesIn(folder.path) : new Set<string>();
  return eachFrame(recording, options, async (frame, position) => {
    const { timestamp, index, color } = frame;
    const time = (timestamp / 1000).toFixed(6);
    if (times.has(time))
      throw new SourceError(
        `${folder.path}: frame ${index} has the time stamp of a frame before it, ${time} s, and this layout names files by time; write PNGs or MCAP`,
      );
    times.add(time);
    const pose = await poseOf(recording, index);
    options.losses?.lens(frame);
    if (position === 0) {
      await describe(folder, meaning(recording.fps, frame.intrinsics, METRES_PER_UNIT));
      await folder.write("depth.txt", "# depth maps\n# timestamp filename\n");
      if (color) await folder.write("rgb.txt", "# color images\n# timestamp filename\n");
      if (pose) {
        await folder.write("groundtruth.txt", "# ground truth trajectory\n# timestamp tx ty tz qx qy qz qw\n");
      }
    }
    await Promise.all([
      depthPng(inUnits(frame, METRES_PER_UNIT, options.losses)).then((png) => folder.write(`depth/${time}.png`, png)),
      color && opaquePng(color, options.losses).then((png) => folder.write(`rgb/${time}.png`, png)),
      options.truth !== false && writeTruth(folder, recording, frame, position, METRES_PER_UNIT, options.losses),
    ]);
    if (pose) await folder.append("groundtruth.txt", `${time} ${poseText(pose)}`);
    if (color) await folder.append("rgb.txt", `${time} rgb/${time}.png`);
    await folder.append("depth.txt", `${time} depth/${time}.png`);
  });
}

/** The times in seconds, as text, of the frames that depth.txt lists; a last line that lacks its end does not count. */
export async function timesIn(folder: string): Promise<Set<string>> {
  const text = await readFile(join(folder, "depth.txt"), "utf8").catch(() => "");
  const lines = text.split("\n").slice(0, -1);
  return new Set(lines.filter((line) => !line.startsWith("#")).map((line) => line.split(" ")[0]));
}

/**
 * A line of a trajectory of the TUM benchmark, "time tx ty tz qx qy qz qw": seconds, metres, a quaternion. Throws an `OptionError` for a
 * pose that has no `timestamp` (ms), or whose `toWorld` is not at least the upper three rows of a 4 × 4 matrix.
 *
 * @example
 * const { toWorld } = await frame.readPose(); // of the stage `track`
 * await appendFile("trajectory.txt", poseLine({ timestamp: frame.timestamp, toWorld }));
 */
export function poseLine(pose: { readonly timestamp: number; readonly toWorld: ArrayLike<number> }): string {
  checkArgument("poseLine", "the pose", { expects: "a time stamp and a 3 × 4 matrix toWorld", holds: isPose }, pose);
  return `${(pose.timestamp / 1000).toFixed(6)} ${poseText(pose.toWorld)}\n`;
}

const isPose = (value: unknown): boolean => {
  const { timestamp, toWorld } = Object(value) as { timestamp?: unknown; toWorld?: ArrayLike<number> };
  return Number.isFinite(timestamp) && Array.from(toWorld ?? []).filter(Number.isFinite).length >= 12;
};

/** Converts a 4 × 4 pose, of which the first three rows are used, to "tx ty tz qx qy qz qw". */
const poseText = (m: ArrayLike<number>): string =>
  [m[3], m[7], m[11], ...quaternionOf(m)].map((x) => x.toFixed(6)).join(" ");
