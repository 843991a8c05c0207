import { FADE_BITS, JUMP, MARK_BITS, MOST, PIXELS_BITS, WHOLE, WHOLE_BITS } from "./layout.ts";
import type { Rule } from "./rule.ts";

const PIXELS_MASK = 2 ** MARK_BITS - 1;
const f32 = Math.fround;

/** `across` × `down` tiles: the sums of their marks, their gains (whole numbers, see `WHOLE`) and their offsets. */
export interface Tiles {
  readonly across: number;
  readonly down: number;
  readonly sums: Int32Array;
  readonly gains: Float32Array;
  readonly offsets: Float32Array;
}

/** Computes gains and offsets of all tiles from their sums, for twin and fast form; `trends` is `undefined` if there is no memory. */
export function answers(tiles: Tiles, trends: Int32Array | undefined, trended: Int32Array, rule: Rule): void {
  for (let y = 0; y < tiles.down; y++)
    for (let x = 0; x < tiles.across; x++) answer(x, y, tiles, trends, trended, rule);
}

/** Computes a tile's new trend, its gain, and by how much new pixels are to be moved, in 1/256 of a sigma, as mean.wgsl explains. */
function answer(
  x: number,
  y: number,
  { across, down, sums, gains, offsets }: Tiles,
  trends: Int32Array | undefined,
  trended: Int32Array,
  { weights, answers: byChange, gains: byCount }: Rule,
): void {
  const at = y * across + x;
  const column = (i: number) => (y > 0 ? sums[i - across] : 0) + 2 * sums[i] + (y + 1 < down ? sums[i + across] : 0);
  const total = (x > 0 ? column(at - 1) : 0) + 2 * column(at) + (x + 1 < across ? column(at + 1) : 0);
  const change = Math.trunc(f32((total >> MARK_BITS) * weights[(total & PIXELS_MASK) >> PIXELS_BITS]));
  const was = trends ? trends[at] : 0;
  const trend = was - (was >> FADE_BITS) + change;
  trended[at] = trend;
  gains[at] = byChange[Math.min(JUMP, Math.max(Math.abs(change), Math.abs(trend)))];
  const least = Math.trunc((WHOLE / 2) * byCount[MOST]);
  offsets[at] = (change * (WHOLE - Math.max(gains[at], least))) >> WHOLE_BITS;
}
