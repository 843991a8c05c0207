/**
 * Blurs the moments or residuals of a row of columns along x (1 2 1), relative to the middle column's centre.
 *
 *   ○ ○ ○ ○      quads of cells that are there, a bit each in a column's mask
 *   └─┼─┘
 * · ● ● ● ● ·    one column more on each side; what is in any of the three is in theirs
 */
import { N, QUAD_MOMENTS, QUAD_RESIDUALS, R, RR, U, UR, UU, UV, V, VR, VV } from "../layout.ts";
import { mixResiduals } from "./planeResidual.ts";
import { three, twice } from "./taps.ts";

/**
 * `masks` begins and ends with two columns of zeros. A quad has room for `columns` columns, also in the output, `mixed`; `cells` is
 * the address of the (missing) column before the first. `nothing` is a quad of zeros. Columns' centres are `apart` pixels apart.
 * `ofResiduals` is 1 for residuals and 0 for moments.
 */
export function spread(
  cells: usize,
  masks: usize,
  columns: i32,
  words: i32,
  nothing: usize,
  apart: f32,
  mixed: usize,
  mixedMasks: usize,
  ofResiduals: i32,
): void {
  const row: usize = words << 3;
  const size: usize = ofResiduals ? QUAD_RESIDUALS : QUAD_MOMENTS;
  const gap = f32x4.splat(apart);
  for (let column = 0; column < columns; column++) {
    for (let word = 0; word < words; word++) {
      const leftBits = load<u64>(masks);
      const middleBits = load<u64>(masks + row);
      const rightBits = load<u64>(masks + 2 * row);
      let bits = leftBits | middleBits | rightBits;
      store<u64>(mixedMasks, bits);
      while (bits !== 0) {
        const bit = ctz(bits);
        bits &= bits - 1;
        const at: usize = ((word << 6) + <i32>bit) * columns * size;
        const own = cells + at;
        const left = (leftBits >> bit) & 1 ? own - size : nothing;
        const middle = (middleBits >> bit) & 1 ? own : nothing;
        const right = (rightBits >> bit) & 1 ? own + size : nothing;
        if (ofResiduals) mixResiduals(left, middle, right, gap, mixed + at);
        else mix(left, middle, right, gap, mixed + at);
      }
      masks += 8;
      mixedMasks += 8;
    }
    cells += size;
    mixed += size;
  }
}

/** Adds up a quad of three columns; the side columns lie `apart` to the left and to the right. */
function mix(left: usize, middle: usize, right: usize, apart: v128, to: usize): void {
  const n0 = v128.load(left, N);
  const n1 = v128.load(right, N);
  v128.store(to, f32x4.add(f32x4.add(n0, n1), twice(middle, N)), N);
  const u0 = v128.load(left, U);
  const u1 = v128.load(right, U);
  const u = f32x4.add(f32x4.add(u0, u1), twice(middle, U));
  v128.store(to, f32x4.add(u, f32x4.mul(apart, f32x4.sub(n1, n0))), U);
  const v0 = v128.load(left, V);
  const v1 = v128.load(right, V);
  v128.store(to, f32x4.add(f32x4.add(v0, v1), twice(middle, V)), V);
  const difference = f32x4.sub(u1, u0);
  const square = f32x4.mul(apart, f32x4.add(f32x4.mul(apart, f32x4.add(n0, n1)), f32x4.add(difference, difference)));
  v128.store(to, f32x4.add(three(left, middle, right, UU), square), UU);
  v128.store(to, f32x4.add(three(left, middle, right, UV), f32x4.mul(apart, f32x4.sub(v1, v0))), UV);
  v128.store(to, three(left, middle, right, VV), VV);
  const r0 = v128.load(left, R);
  const r1 = v128.load(right, R);
  v128.store(to, f32x4.add(f32x4.add(r0, r1), twice(middle, R)), R);
  v128.store(to, f32x4.add(three(left, middle, right, UR), f32x4.mul(apart, f32x4.sub(r1, r0))), UR);
  v128.store(to, three(left, middle, right, VR), VR);
  v128.store(to, three(left, middle, right, RR), RR);
}
