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
export function answers(tiles: Tiles, trends: Int32Array | undefined, trended: Int32Array, tables: Rule): void {
  for (let y = 0; y < tiles.down; y++)
    for (let x = 0; x < tiles.across; x++) answer(x, y, tiles, trends, trended, tables);
}

/** Computes a tile's new trend, its gain, and by how much new pixels are to be moved, in 1/256 of a sigma, as mean.wgsl explains. */
function answer(
  x: number,
  y: number,
  { across, down, sums, gains, offsets }: Tiles,
  trends: Int32Array | undefined,
  trended: Int32Array,
  tables: Rule,
): void {
  let total = 0;
  for (let i = 0; i < 9; i++) {
    const [stepX, stepY] = [(i % 3) - 1, Math.trunc(i / 3) - 1];
    const [thereX, thereY] = [x + stepX, y + stepY];
    const isInside = thereX >= 0 && thereY >= 0 && thereX < across && thereY < down;
    const weight = (2 - Math.abs(stepX)) * (2 - Math.abs(stepY));
    total += isInside ? weight * sums[thereY * across + thereX] : 0;
  }
  const at = y * across + x;
  const change = Math.trunc(f32((total >> MARK_BITS) * tables.weights[(total & PIXELS_MASK) >> PIXELS_BITS]));
  const was = trends ? trends[at] : 0;
  const trend = was - (was >> FADE_BITS) + change;
  trended[at] = trend;
  const felt = Math.max(Math.abs(change), Math.abs(trend));
  gains[at] = tables.answers[Math.min(felt, JUMP)];
  const least = Math.trunc((WHOLE / 2) * tables.gains[MOST]);
  offsets[at] = (change * (WHOLE - Math.max(gains[at], least))) >> WHOLE_BITS;
}
