import type { Frames } from "../format/format.ts";

/** A scene nearer than this, in metres, is rarely what a recording is about; a unit that is a guess may then be wrong. */
const NEAR_M = 0.5;
/** Where a unit comes from that nothing in the recording says. */
const GUESSES: readonly string[] = ["assumed", "ROS default"];

/** The frames, with a warning where a unit is a guess and the first frame with depth makes it unlikely: nothing in it is far. */
export function withPlausibleUnit(frames: Frames, warnings: string[]): Frames {
  const guessed = frames.facts.some(({ what, from }) => what === "unit" && GUESSES.includes(from));
  if (!guessed) return frames;
  let looked = false;
  return {
    ...frames,
    async read(index) {
      const frame = await frames.read(index);
      const { data } = frame.depth;
      const farthest = looked ? 0 : data.reduce((most, value) => Math.max(most, value), 0);
      looked ||= farthest > 0;
      const metres = farthest * frame.metresPerUnit;
      if (farthest > 0 && metres < NEAR_M)
        warnings.push(
          `nothing in frame ${index} is farther than ${Number(metres.toPrecision(2))} m by a unit that nothing in the recording says: if the scene is larger, give its unit (metresPerUnit)`,
        );
      return frame;
    },
  };
}
