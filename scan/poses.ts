import { readFile, stat } from "node:fs/promises";
import { nearest } from "../core/associate.ts";
import type { DepthFrame } from "../core/frame.ts";
import { type Recording, SourceError } from "../core/source.ts";
import { framesOf } from "../core/streams.ts";
import { POSES_HEAD } from "../run/replay/poseFile.ts";
import { fewPosed } from "../sources/recorded/beside/times.ts";
import { linesOf, readPose, readTime } from "../sources/recorded/formats/tum/lists.ts";
import { poseLine } from "../write/tum.ts";
import type { ScanPose } from "./keep.ts";

/** The largest difference between the times of a frame and of its pose, ms. */
const MAX_DIFFERENCE = 20;

/**
 * The recording with the poses of a file of TUM's lines, "seconds tx ty tz qx qy qz qw", camera to world, in place of its own. A frame that
 * has none within 20 ms has no pose; a warning says so where most have none. Rejects with a `SourceError` that names file and line, or
 * says that no frame has a pose.
 */
export async function withPosesOf(recording: Recording, path: string): Promise<Recording> {
  const refuse = (why: string) => new SourceError(`${path}: it cannot be read (${why}); give a file of poses`);
  const found = await stat(path).catch(({ code }) => {
    throw refuse(code);
  });
  if (!found.isFile()) throw refuse("it is no file");
  const text = await readFile(path, "utf8").catch(({ code }) => {
    throw refuse(code);
  });
  const lines = [...linesOf(text)].map(({ text, line }) => {
    const [seconds, ...pose] = text.trim().split(/[\s,]+/);
    const where = `${path}, line ${line}`;
    return { ms: 1000 * readTime(seconds, text, where), pose: readPose(pose, where) };
  });
  lines.sort((a, b) => a.ms - b.ms);
  const times = lines.map(({ ms }) => ms);
  if (times.length === 0)
    throw new SourceError(
      `${path}: it has no lines of a time in seconds and a pose; give a file of TUM's trajectories`,
    );
  const read = async (index: number): Promise<DepthFrame> => {
    const frame = await recording.read(index);
    return { ...frame, pose: lines[nearest(times, frame.timestamp, MAX_DIFFERENCE)]?.pose };
  };
  const { name, format, fps, length, timestampOf } = recording;
  const few: string[] = [];
  if (timestampOf) {
    const at = Array.from({ length }, (_, i) => timestampOf(i));
    const found = at.filter((time) => nearest(times, time, MAX_DIFFERENCE) >= 0).length;
    if (found === 0)
      throw new SourceError(
        `${path}: none of its times, ${spanOf(times)}, is within ${MAX_DIFFERENCE} ms of a frame's, ${spanOf(at)}; give poses of the recording's clock`,
      );
    if (2 * found < length) few.push(`${path}: ${fewPosed(found, length, MAX_DIFFERENCE)}`);
  }
  const frames$ = framesOf({ length, read });
  const close = () => recording.close();
  const made = { name, format, fps, length, warnings: few, frames$, read, close, ...(timestampOf && { timestampOf }) };
  return Object.defineProperty(made, "warnings", { get: () => [...recording.warnings, ...few] });
}

/** From when to when times in ms are. */
const spanOf = (times: readonly number[]) => `${times[0] / 1000} to ${times[times.length - 1] / 1000} s`;

/** The text of a file of poses. */
export const posesText = (poses: readonly ScanPose[]): string => `${POSES_HEAD}${poses.map(poseLine).join("")}`;
