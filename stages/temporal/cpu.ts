import { type DepthArray, type FrameShape, image } from "../../sources/core/frame.ts";
import { type Moment, Turns } from "../core/moment.ts";
import { watchChanges } from "../core/parameters.ts";
import { POSE_STATE, rigid } from "../core/pose.ts";
import type { Twin } from "../core/stage.ts";
import { FADE_BITS, FARTHEST, FRACTION_BITS, HELD, JUMP, MARK_BITS, MEAN_SHIFT, MOST, ONE, REACH } from "./layout.ts";
import { ruleFor, type TemporalParameters } from "./rule.ts";
import { inUnits, type Remembered, warp } from "./warp.ts";

const PIXELS_MASK = 2 ** MARK_BITS - 1;
const f32 = Math.fround;

/** The twin of shaders/temporal.wgsl, whose comments explain the method; equals it to the last bit. */
export function temporalTwin({ intrinsics, metresPerUnit }: FrameShape, parameters: TemporalParameters): Twin {
  const { width, height } = intrinsics;
  const pixels = width * height;
  const remembered = () => ({ seen: new Int32Array(pixels), trend: new Int16Array(pixels) });
  const memory = new Turns([remembered(), remembered()]);
  let warped: Remembered | undefined;
  const pose = rigid();
  const output = image(new Uint16Array(width * height), [height, width]);
  const marks = new Int32Array(width * height);
  const columns = new Int32Array(width);
  let rule = ruleFor(parameters, metresPerUnit);
  const haveChanged = watchChanges(parameters);

  return {
    run(frame, moment: Moment) {
      if (haveChanged()) rule = ruleFor(parameters, metresPerUnit);
      const turn = memory.take(moment);
      const [after, before] = [memory.pair[turn], memory.pair[turn === 0 ? 1 : 0]];
      const { depth } = frame;
      if (!memory.continues) begin(depth, after);
      else if (frame.pose?.state !== POSE_STATE.moved) follow(depth, before, after);
      else {
        warped ??= remembered();
        inUnits(pose, frame.pose.toBefore, metresPerUnit);
        warp(depth.data, before, warped, intrinsics, width, pose, rule.scales);
        follow(depth, warped, after);
      }
      frame.depth = output;
    },
  };

  function begin({ data }: DepthArray, { seen, trend }: Remembered) {
    for (let i = 0; i < data.length; i++) seen[i] = firstSeen(data[i]);
    trend.fill(0);
    output.data.set(data);
  }

  function follow({ data }: DepthArray, before: Remembered, after: Remembered) {
    const { scales, weights, answers, gains } = rule;
    const filtered = output.data;
    for (let i = 0; i < marks.length; i++) marks[i] = markOf(data[i], before.seen[i], scales);
    columns.fill(0);
    for (let y = 0; y < Math.min(REACH, height); y++) add(y);
    for (let y = 0; y < height; y++) {
      if (y + REACH < height) add(y + REACH);
      if (y > REACH) remove(y - REACH - 1);
      let total = 0;
      for (let x = 0; x < Math.min(REACH, width); x++) total += columns[x];
      for (let x = 0; x < width; x++) {
        if (x + REACH < width) total += columns[x + REACH];
        if (x > REACH) total -= columns[x - REACH - 1];
        const i = y * width + x;
        let [now, trend] = [firstSeen(data[i]), 0];
        if (marks[i] !== 0) {
          const seen = before.seen[i];
          const change = Math.trunc(f32((total >> MARK_BITS) * weights[total & PIXELS_MASK]));
          trend = before.trend[i] - (before.trend[i] >> FADE_BITS) + change;
          const felt = Math.min(JUMP, Math.max(Math.abs(change), Math.abs(trend)));
          const gain = Math.max(gains[countOf(seen)], answers[2 * felt]);
          now = next(data[i], seen, gain, answers[2 * felt + 1]);
        }
        after.seen[i] = now;
        after.trend[i] = trend;
        filtered[i] = shown(now);
      }
    }
  }

  function add(y: number) {
    for (let x = 0, i = y * width; x < width; x++, i++) columns[x] += marks[i];
  }

  function remove(y: number) {
    for (let x = 0, i = y * width; x < width; x++, i++) columns[x] -= marks[i];
  }
}

/** The depth's difference from the mean, in 1/512 of a unit. */
const differenceOf = (depth: number, seen: number) =>
  Math.max(-FARTHEST, Math.min(FARTHEST, (depth << FRACTION_BITS) - (seen >>> MEAN_SHIFT)));

const countOf = (seen: number) => (seen >>> 1) & MOST;

/** The mark of a pixel (see layout.ts); 0 if the pixel has no past: it is or was invalid, or it moved. */
function markOf(depth: number, seen: number, scales: Float32Array): number {
  if (depth === 0 || countOf(seen) === 0) return 0;
  const change = Math.trunc(f32(differenceOf(depth, seen) * scales[depth]));
  return change <= -JUMP || change >= JUMP ? 0 : (change << MARK_BITS) + 1;
}

const firstSeen = (depth: number) => (depth === 0 ? 0 : (depth << (FRACTION_BITS + MEAN_SHIFT)) | 2);

/** The mean after the next frame. `gain` is twice the gain; at most `most` frames count in the mean afterwards. */
function next(depth: number, seen: number, gain: number, most: number): number {
  const was = seen >>> MEAN_SHIFT;
  const mean = was + ((Math.floor(f32(differenceOf(depth, seen) * gain)) + 1) >> 1);
  const count = Math.min(countOf(seen) + 1, most);
  const held = (was >>> FRACTION_BITS) + (seen & 1);
  const near = Math.abs(mean - held * ONE) <= HELD ? held : (mean + ONE / 2) >>> FRACTION_BITS;
  return (mean << MEAN_SHIFT) | (count << 1) | (near - (mean >>> FRACTION_BITS));
}

const shown = (seen: number) => (seen >>> (MEAN_SHIFT + FRACTION_BITS)) + (seen & 1);
