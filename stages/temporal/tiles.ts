import { FADE_BITS, JUMP, MARK_BITS, MOST, PIXELS_BITS, WHOLE, WHOLE_BITS } from "./layout.ts";
import type { Rule } from "./rule.ts";

const PIXELS_MASK = 2 ** MARK_BITS - 1;
const f32 = Math.fround;

/**
 * Computes, from the sums of marks of `across` × `down` tiles, the tiles' new trends, their gains (whole numbers, see `WHOLE`), and by how
 * much new pixels are to be moved, in 1/256 of a sigma. Twin and fast form both take this step; shaders/temporal/mean.wgsl explains it.
 */
export function answer(
  sums: Int32Array,
  trends: Int32Array,
  trended: Int32Array,
  gains: Float32Array,
  offsets: Float32Array,
  across: number,
  down: number,
  { weights, answers, gains: byCount }: Rule,
): void {
  const least = Math.trunc((WHOLE / 2) * byCount[MOST]);
  for (let y = 0, i = 0; y < down; y++) {
    const above = y > 0 ? -across : 0;
    const below = y + 1 < down ? across : 0;
    const column = (at: number) =>
      2 * sums[at] + (above === 0 ? 0 : sums[at + above]) + (below === 0 ? 0 : sums[at + below]);
    let left = 0;
    let own = column(i);
    for (let x = 0; x < across; x++, i++) {
      const right = x + 1 < across ? column(i + 1) : 0;
      const total = left + 2 * own + right;
      const change = Math.trunc(f32((total >> MARK_BITS) * weights[(total & PIXELS_MASK) >> PIXELS_BITS]));
      const trend = trends[i] - (trends[i] >> FADE_BITS) + change;
      trended[i] = trend;
      gains[i] = answers[Math.min(JUMP, Math.max(Math.abs(change), Math.abs(trend)))];
      offsets[i] = (change * (WHOLE - Math.max(gains[i], least))) >> WHOLE_BITS;
      left = own;
      own = right;
    }
  }
}
