import { caught } from "../../../core/caught.ts";
import { SourceError } from "../../../core/source.ts";
import type { Poses } from "./poses.ts";

/** The longest way of a camera from frame to frame, in metres, and the highest speed, in metres a second, that cause no doubt. */
const [LONGEST, FASTEST] = [5, 60];
/** The first frames whose poses are looked at. */
const MOST = 9;

/**
 * A warning where the poses of the first frames are farther apart than a camera moves in between, as those in mm are: by the frames'
 * `times` in ms, or from frame to frame where nothing gives times.
 */
export async function stepsDoubt(poses: Poses, count: number, times: readonly number[] | undefined) {
  const ways: number[] = [];
  let before: readonly number[] | undefined;
  for (let i = 0; i < Math.min(count, MOST); i++) {
    const pose = await poses.of(i).catch(caught(SourceError, () => undefined));
    const way = pose && before && Math.hypot(pose[3] - before[3], pose[7] - before[7], pose[11] - before[11]);
    if (way) ways.push(times ? (1000 * way) / (times[i] - times[i - 1]) : way);
    before = pose;
  }
  const [limit, unit] = times ? [FASTEST, "m a second"] : [LONGEST, "m from frame to frame"];
  const median = ways.toSorted((a, b) => a - b)[ways.length >> 1];
  return median > limit
    ? `${poses.from}: by its poses the camera moves ${Number(median.toPrecision(2))} ${unit}: if they are not in metres, convert them`
    : undefined;
}
