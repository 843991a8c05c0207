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
  MEAN_SHIFT,
  MOST,
  MOST_MEAN,
  ONE,
  STEPS,
  TILE,
  TWICE,
} from "./layout.ts";
import { type Rule, ruleFor, type TemporalParameters } from "./rule.ts";
import { answers } from "./tiles.ts";
import { inUnits, lensOf, shown, type Warp, warp } from "./warp.ts";

const f32 = Math.fround;

/**
 * The twin of shaders/temporal/, whose comments explain the method; equals it to the last bit. warp.ts has the first kernel, tiles.ts
 * `answer` of the second, mean.wgsl, and this file the rest of that.
 */
export function temporalTwin({ intrinsics, metresPerUnit }: FrameShape, parameters: TemporalParameters): Twin {
  const { width, height } = intrinsics;
  const pixels = width * height;
  const [across, down] = [Math.ceil(width / TILE), Math.ceil(height / TILE)];
  const remembered = () => ({ seen: new Int32Array(pixels), trends: new Int32Array(across * down) });
  const memory = new PingPong([remembered(), remembered()]);
  const data = new Uint16Array(pixels);
  const output = image(data, [height, width]);
  let rule = ruleFor(parameters, metresPerUnit);
  const haveChanged = watchChanges(parameters);
  const own: Warp = {
    depth: data,
    before: memory.pair[0].seen,
    carried: new Int32Array(pixels),
    scales: rule.scales,
    state: POSE_STATE.lost,
    pose: new Float32Array(12),
    lens: lensOf(intrinsics),
    sums: new Int32Array(across * down),
  };
  const [gains, offsets] = [new Float32Array(across * down), new Float32Array(across * down)];
  const tiles = { across, down, sums: own.sums, gains, offsets };

  return {
    run(frame, context: FrameContext) {
      if (haveChanged()) rule = ruleFor(parameters, metresPerUnit, rule);
      const turn = memory.take(context);
      const [after, before] = [memory.pair[turn], memory.pair[turn === 0 ? 1 : 0]];
      own.depth = frame.depth.data;
      own.before = before.seen;
      own.state = memory.continues ? (frame.pose?.state ?? POSE_STATE.still) : POSE_STATE.lost;
      if (frame.pose) inUnits(own.pose, frame.pose.toBefore, metresPerUnit);
      warp(own);
      answers(tiles, memory.continues ? before.trends : undefined, after.trends, rule);
      follow(own, after);
      frame.depth = output;
    },
  };

  function follow({ depth, carried }: Warp, { seen }: { seen: Int32Array }) {
    for (let y = 0, i = 0; y < height; y++) {
      // Places are in sixteenths of a tile, from the first tile's centre.
      const placeY = 2 * y + 1 - TILE;
      for (let x = 0; x < width; x++, i++) {
        const mixed = mixedAt(2 * x + 1 - TILE, placeY, carried[i] === 0 ? offsets : gains, across, down);
        const now = next(depth[i], carried[i], mixed, rule);
        seen[i] = now;
        data[i] = depth[i] === 0 ? 0 : shown(now);
      }
    }
  }
}

/** Gain or offset at a place, 256 times as large, from those of the four tiles around. */
function mixedAt(x: number, y: number, values: Float32Array, across: number, down: number): number {
  const column = Math.floor(x / STEPS);
  const row = Math.floor(y / STEPS);
  const left = Math.max(0, column);
  const right = Math.min(across - 1, column + 1);
  const top = Math.max(0, row) * across;
  const bottom = Math.min(down - 1, row + 1) * across;
  const partX = x - STEPS * column;
  const partY = y - STEPS * row;
  const above = (STEPS - partX) * values[top + left] + partX * values[top + right];
  const below = (STEPS - partX) * values[bottom + left] + partX * values[bottom + right];
  return (STEPS - partY) * above + partY * below;
}

/** A pixel's memory after the frame. `mixed` is the offset of the tiles around for a pixel without a past, else their gain. */
const next = (z: number, seen: number, mixed: number, rule: Rule) =>
  seen === 0 ? begun(z, mixed, rule) : followed(z, seen, mixed, rule);

/** The memory of a pixel with a past. An invalid pixel keeps its mean, unless all around it moved. */
function followed(z: number, seen: number, mixed: number, { gains, frames }: Rule): number {
  const isHole = z === 0;
  const counted = (seen >>> 1) & MOST;
  const gain = Math.max(gains[counted], mixed * TWICE);
  const was = seen >>> MEAN_SHIFT;
  const difference = isHole ? 0 : Math.max(-FARTHEST, Math.min(FARTHEST, (z << FRACTION_BITS) - was));
  const mean = was + ((Math.floor(f32(difference * gain)) + 1) >> 1);
  const most = frames[mixed >> FRAMES_BITS];
  const count = Math.min(counted + (isHole ? 0 : 1), most);
  const held = (was >>> FRACTION_BITS) + (seen & 1);
  const nearest = (mean + ONE / 2) >>> FRACTION_BITS;
  const near = Math.abs(mean - held * ONE) <= HELD ? held : nearest;
  const word = (mean << MEAN_SHIFT) | (count << 1) | (near - (mean >>> FRACTION_BITS));
  return isHole && most === 1 ? 0 : word;
}

/** The memory of a pixel without a past. */
function begun(z: number, mixed: number, { spans }: Rule): number {
  const first = Math.min((z << FRACTION_BITS) - Math.floor(f32(mixed * spans[z])), MOST_MEAN);
  const up = ((first + ONE / 2) >>> FRACTION_BITS) - (first >>> FRACTION_BITS);
  return z === 0 ? 0 : (first << MEAN_SHIFT) | 2 | up;
}
