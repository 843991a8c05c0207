import { type DepthArray, type FrameShape, image } from "../../sources/core/frame.ts";
import { type Moment, Turns } from "../core/moment.ts";
import { watchChanges } from "../core/parameters.ts";
import { POSE_STATE, rigid } from "../core/pose.ts";
import type { Twin } from "../core/stage.ts";
import { FADE_BITS, FARTHEST, FRACTION_BITS, HELD, JUMP, MARK_BITS, MEAN_SHIFT, MOST, ONE, REACH } from "./layout.ts";
import { type Rule, ruleFor, type TemporalParameters } from "./rule.ts";
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
      if (!memory.continues || frame.pose?.state === POSE_STATE.lost) begin(depth, after);
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
    for (let i = 0; i < marks.length; i++) marks[i] = markOf(data[i], before.seen[i], rule.scales);
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
        const now = next(data[i], before.seen[i], before.trend[i], total, marks[i] === 0, rule);
        after.seen[i] = now.seen;
        after.trend[i] = now.trend;
        output.data[i] = shown(now.seen);
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
const differenceOf = (z: number, seen: number) =>
  Math.max(-FARTHEST, Math.min(FARTHEST, (z << FRACTION_BITS) - (seen >>> MEAN_SHIFT)));

const countOf = (seen: number) => (seen >>> 1) & MOST;

/** The mark of a pixel (see layout.ts); 0 if the pixel has no past: it is or was invalid, or it moved. */
function markOf(z: number, seen: number, scales: Float32Array): number {
  if (z === 0 || countOf(seen) === 0) return 0;
  const change = Math.trunc(f32(differenceOf(z, seen) * scales[z]));
  return change <= -JUMP || change >= JUMP ? 0 : (change << MARK_BITS) + 1;
}

const firstSeen = (depth: number) => (depth === 0 ? 0 : (depth << (FRACTION_BITS + MEAN_SHIFT)) | 2);

/** What is remembered after the next frame. `isNew` ignores what was seen. */
function next(z: number, seen: number, trend: number, total: number, isNew: boolean, rule: Rule) {
  if (isNew) return { seen: firstSeen(z), trend: 0 };
  const change = Math.trunc(f32((total >> MARK_BITS) * rule.weights[total & PIXELS_MASK]));
  const towards = trend - (trend >> FADE_BITS) + change;
  const felt = Math.min(JUMP, Math.max(Math.abs(change), Math.abs(towards)));
  const [gain, most] = [Math.max(rule.gains[countOf(seen)], rule.answers[2 * felt]), rule.answers[2 * felt + 1]];
  const was = seen >>> MEAN_SHIFT;
  const mean = was + ((Math.floor(f32(differenceOf(z, seen) * gain)) + 1) >> 1);
  const count = Math.min(countOf(seen) + 1, most);
  const held = (was >>> FRACTION_BITS) + (seen & 1);
  const near = Math.abs(mean - held * ONE) <= HELD ? held : (mean + ONE / 2) >>> FRACTION_BITS;
  return { seen: (mean << MEAN_SHIFT) | (count << 1) | (near - (mean >>> FRACTION_BITS)), trend: towards };
}

const shown = (seen: number) => (seen >>> (MEAN_SHIFT + FRACTION_BITS)) + (seen & 1);
