import { shown } from "../../../core/check.ts";
import { SourceError } from "../../../core/source.ts";
import { type Files, readText } from "../../files/files.ts";
import { DESCRIPTION } from "../../format/description.ts";
import type { Pose } from "../../format/format.ts";
import { isTime, linesOf, readPose } from "../formats/tum/lists.ts";

/** The first line of a file of times. In a row without a pose the other columns are empty, or missing. */
export const TIMES_HEAD = "time_ms,x,y,z,qx,qy,qz,qw";
const LONGEST = 2 ** 26;

/** The frames' times in ms, and the camera's poses, in the order of the depth images. */
export interface Times {
  readonly times: readonly number[];
  readonly poses: readonly (Pose | undefined)[];
}

function firstOf<T>(all: Iterable<T>, most: number): T[] {
  const first: T[] = [];
  for (const one of all) if (first.push(one) === most) break;
  return first;
}

/**
 * Reads the file of times that `recording.json` names: a heading, then a row for each of `count` depth images with its time in ms, and
 * perhaps the camera's place in metres and its turn as a quaternion. Throws a `SourceError` for anything else, since wrong times would make
 * all poses wrong.
 */
export async function timesNamed(files: Files, path: string, count: number): Promise<Times> {
  const where = `${files.name}/${path}`;
  const [head, ...rows] = firstOf(linesOf((await readText(files, path, LONGEST)).replaceAll("\r", "")), count + 2);
  if (!head || !TIMES_HEAD.startsWith(head.text.trim()))
    throw new SourceError(`${where}: its first line has to be ${TIMES_HEAD}, or the first columns of these`);
  if (rows.length !== count)
    throw new SourceError(
      `${where}: it has ${rows.length > count ? "more" : rows.length} rows for ${count} depth images; correct it, or take "times" out of ${DESCRIPTION}`,
    );
  const cells = rows.map(({ text }) => text.split(","));
  const times = cells.map(([time], i) => {
    if (time.trim() !== "" && isTime(Number(time) / 1000)) return Number(time);
    throw new SourceError(`${where}, line ${rows[i].line}: ${shown(time)} is no time in ms; correct it`);
  });
  const poses = cells.map(([, ...pose], i) =>
    pose.every((cell) => cell.trim() === "") ? undefined : readPose(pose, `${where}, line ${rows[i].line}`),
  );
  return { times, poses };
}
