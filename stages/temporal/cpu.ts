import { type FrameShape, image } from "../../core/frame.ts";
import { watchChanges } from "../core/parameters.ts";
import { POSE_STATE } from "../core/pose.ts";
import { type FrameContext, PingPong } from "../core/resources.ts";
import type { Twin } from "../core/stage.ts";
import {
  FARTHEST,
  FRACTION_BITS,
  FRAMES_BITS,
  HELD,
  JUMP,
  MARK_BITS,
  MEAN_SHIFT,
  MOST,
  MOST_MEAN,
  ONE,
  TILE,
  TWICE,
} from "./layout.ts";
import { type Rule, ruleFor, type TemporalParameters } from "./rule.ts";
import { answer } from "./tiles.ts";
import { inUnits, lensOf, shown, warp } from "./warp.ts";

const f32 = Math.fround;

/** The twin of shaders/temporal/mean.wgsl, whose comments explain the method; equals it to the last bit. */
export function temporalTwin({ intrinsics, metresPerUnit }: FrameShape, parameters: TemporalParameters): Twin {
  const { width, height } = intrinsics;
  const pixels = width * height;
  const [across, down] = [Math.ceil(width / TILE), Math.ceil(height / TILE)];
  const remembered = () => ({ seen: new Int32Array(pixels), trends: new Int32Array(across * down) });
  const memory = new PingPong([remembered(), remembered()]);
  const carried = new Int32Array(pixels);
  const [lens, pose] = [lensOf(intrinsics), new Float32Array(12)];
  const output = image(new Uint16Array(pixels), [height, width]);
  const sums = new Int32Array(across * down);
  const gains = new Float32Array(across * down);
  const offsets = new Float32Array(across * down);
  let rule = ruleFor(parameters, metresPerUnit);
  const haveChanged = watchChanges(parameters);

  return {
    run(frame, context: FrameContext) {
      if (haveChanged()) rule = ruleFor(parameters, metresPerUnit, rule);
      const turn = memory.take(context);
      const [after, before] = [memory.pair[turn], memory.pair[turn === 0 ? 1 : 0]];
      const { data } = frame.depth;
      if (!memory.continues) begin(data, after);
      else {
        if (frame.pose?.state === POSE_STATE.moved) {
          inUnits(pose, frame.pose.toBefore, metresPerUnit);
          warp(data, before.seen, carried, lens, pose, rule.scales);
        } else if (frame.pose?.state === POSE_STATE.lost) carried.fill(0);
        else carried.set(before.seen);
        keep(data);
        answer(sums, before.trends, after.trends, gains, offsets, across, down, rule);
        follow(data, after.seen);
      }
      frame.depth = output;
    },
  };

  function begin(data: Uint16Array, { seen, trends }: Remembered) {
    for (let i = 0; i < data.length; i++) seen[i] = firstSeen(data[i], 0);
    trends.fill(0);
    output.data.set(data);
  }

  /** Adds up the tiles' marks, and forgets the past of pixels that moved. */
  function keep(data: Uint16Array) {
    sums.fill(0);
    for (let y = 0, i = 0; y < height; y++) {
      for (let x = 0; x < width; x++, i++) {
        const mark = markOf(data[i], carried[i], rule.scales);
        if (mark === 0 && data[i] !== 0) carried[i] = 0;
        sums[Math.floor(y / TILE) * across + Math.floor(x / TILE)] += mark;
      }
    }
  }

  function follow(data: Uint16Array, after: Int32Array) {
    for (let y = 0, i = 0; y < height; y++) {
      // Places are in sixteenths of a tile, from the first tile's centre.
      const placeY = 2 * y + 1 - TILE;
      const [top, bottom, down16] = [before(placeY), behind(placeY, down), placeY & 15];
      for (let x = 0; x < width; x++, i++) {
        const placeX = 2 * x + 1 - TILE;
        const left = before(placeX);
        const right = behind(placeX, across);
        const right16 = placeX & 15;
        const of = carried[i] === 0 ? offsets : gains;
        const above = (16 - down16) * of[top * across + left] + down16 * of[bottom * across + left];
        const beside = (16 - down16) * of[top * across + right] + down16 * of[bottom * across + right];
        const mixed = (16 - right16) * above + right16 * beside;
        after[i] = carried[i] === 0 ? begun(data[i], mixed, rule) : next(data[i], carried[i], mixed, rule);
        output.data[i] = data[i] === 0 ? 0 : shown(after[i]);
      }
    }
  }
}

interface Remembered {
  readonly seen: Int32Array;
  readonly trends: Int32Array;
}

/** The two tiles around a place. */
const before = (place: number) => Math.max(0, place >> 4);
const behind = (place: number, tiles: number) => Math.min(tiles - 1, (place >> 4) + 1);

/** The depth's difference from the mean, in 1/512 of a unit. */
const differenceOf = (z: number, seen: number) =>
  Math.max(-FARTHEST, Math.min(FARTHEST, (z << FRACTION_BITS) - (seen >>> MEAN_SHIFT)));

const countOf = (seen: number) => (seen >>> 1) & MOST;

/** The mark of a pixel (see layout.ts); 0 if the pixel is invalid or has no past, or if it moved. */
function markOf(z: number, seen: number, scales: Float32Array): number {
  if (z === 0 || countOf(seen) === 0) return 0;
  const change = Math.trunc(f32(differenceOf(z, seen) * scales[z]));
  return change <= -JUMP || change >= JUMP ? 0 : (change << MARK_BITS) + 1;
}

/** The memory of a pixel that begins, `offset` (1/512 of a unit) beside its depth. */
function firstSeen(z: number, offset: number): number {
  if (z === 0) return 0;
  const mean = Math.min((z << FRACTION_BITS) - offset, MOST_MEAN);
  return (mean << MEAN_SHIFT) | 2 | (((mean + ONE / 2) >>> FRACTION_BITS) - (mean >>> FRACTION_BITS));
}

/** The memory of a pixel without a past. `mixed` is the offset of the tiles around. */
const begun = (z: number, mixed: number, { spans }: Rule) => firstSeen(z, Math.floor(f32(mixed * spans[z])));

/** A pixel's memory after the next frame. `mixed` is the gain around. An invalid pixel keeps its mean, unless all around it moved. */
function next(z: number, seen: number, mixed: number, rule: Rule): number {
  const most = rule.frames[mixed >> FRAMES_BITS];
  if (z === 0 && most === 1) return 0;
  const gain = Math.max(rule.gains[countOf(seen)], mixed * TWICE);
  const was = seen >>> MEAN_SHIFT;
  const mean = was + ((Math.floor(f32((z === 0 ? 0 : differenceOf(z, seen)) * gain)) + 1) >> 1);
  const count = Math.min(countOf(seen) + (z === 0 ? 0 : 1), most);
  const held = (was >>> FRACTION_BITS) + (seen & 1);
  const near = Math.abs(mean - held * ONE) <= HELD ? held : (mean + ONE / 2) >>> FRACTION_BITS;
  return (mean << MEAN_SHIFT) | (count << 1) | (near - (mean >>> FRACTION_BITS));
}
