/**
 * `planeFit` of ../planeFit.ts for a row of columns, four cells at a time: blurs the moments along y (1 2 1), relative
 * to the middle column's centre, and fits a plane to each cell that a pixel lies in or beside. Cells beyond the axis are fitted, too, with
 * weight 0. The second fit, of the residuals, is in this file, too.
 */

import { reciprocal } from "../../../core/assembly/vectors.ts";
import * as layout from "../layout.ts";
import { refitQuad } from "./planeRefit.ts";
import { three, twice } from "./taps.ts";

/**
 * `top`, `row` and `bottom` are three rows of what planeSpread.ts leaves: of moments, or, for the second fit, of residuals. `designs` are
 * what the first fit leaves for the second. All of these, and the planes, hold a quad of each of `columns` columns, then the next quad of
 * each: pixels of adjacent columns lie in the same quads, so few pages of memory are in use at a time. `cells` holds for each quad 1/c,
 * −1/c², 1/v and −c², where c is the depth of a cell's middle and v the variance of a flat plane's pixels; all 0 where there is no cell. It
 * fits the quads in the masks of the regions around the column's centre: two regions above it, in `asked`, and two below. `ridge` and
 * `thin` are RIDGE of ../planeMoments.ts and THIN of ../planeSolve.ts. A `significance` other than 0 asks for the second fit, of whose
 * slopes the share `slope` is added (planeRefit.ts).
 */
export function planeFit(
  top: usize,
  row: usize,
  bottom: usize,
  topMasks: usize,
  rowMasks: usize,
  bottomMasks: usize,
  columns: i32,
  words: i32,
  nothing: usize,
  apart: f32,
  cells: usize,
  asked: usize,
  askedBelow: usize,
  planes: usize,
  designs: usize,
  ridge: f32,
  thin: f32,
  significance: f32,
  slope: f32,
): void {
  const beside: usize = words << 3;
  const isSecond = significance !== 0;
  const size: usize = isSecond ? layout.QUAD_RESIDUALS : layout.QUAD_MOMENTS;
  const gap = f32x4.splat(apart);
  const slopes = f32x4.splat(slope);
  for (let column = 0; column < columns; column++) {
    for (let word = 0; word < words; word++) {
      const aboveBits = load<u64>(topMasks);
      const middleBits = load<u64>(rowMasks);
      const belowBits = load<u64>(bottomMasks);
      let bits = load<u64>(asked) | load<u64>(asked + beside) | load<u64>(askedBelow) | load<u64>(askedBelow + beside);
      while (bits !== 0) {
        const bit = ctz(bits);
        bits &= bits - 1;
        const quad: usize = (word << 6) + <i32>bit;
        const at = quad * columns * size;
        const above = (aboveBits >> bit) & 1 ? top + at : nothing;
        const middle = (middleBits >> bit) & 1 ? row + at : nothing;
        const below = (belowBits >> bit) & 1 ? bottom + at : nothing;
        const cell = cells + quad * layout.QUAD_PLANES;
        const plane = planes + quad * columns * layout.QUAD_PLANES;
        const design = designs + quad * columns * layout.QUAD_DESIGNS;
        if (isSecond) refitQuad(above, middle, below, gap, f32x4.splat(significance), slopes, cell, plane, design);
        else fitQuad(above, middle, below, gap, f32x4.splat(ridge), f32x4.splat(thin), cell, plane, design);
      }
      topMasks += 8;
      rowMasks += 8;
      bottomMasks += 8;
      asked += 8;
      askedBelow += 8;
    }
    top += size;
    row += size;
    bottom += size;
    planes += layout.QUAD_PLANES;
    designs += layout.QUAD_DESIGNS;
  }
}

function fitQuad(
  above: usize,
  middle: usize,
  below: usize,
  apart: v128,
  ridge: v128,
  thin: v128,
  cell: usize,
  to: usize,
  design: usize,
): void {
  const one = f32x4.splat(1);
  const n0 = v128.load(above, layout.N);
  const n1 = v128.load(below, layout.N);
  const n = f32x4.add(f32x4.add(n0, n1), twice(middle, layout.N));
  const each = reciprocal(f32x4.pmax(n, one));
  const u0 = v128.load(above, layout.U);
  const u1 = v128.load(below, layout.U);
  const u = f32x4.mul(f32x4.add(f32x4.add(u0, u1), twice(middle, layout.U)), each);
  const v0 = v128.load(above, layout.V);
  const v1 = v128.load(below, layout.V);
  const v = f32x4.mul(
    f32x4.add(f32x4.add(f32x4.add(v0, v1), twice(middle, layout.V)), f32x4.mul(apart, f32x4.sub(n1, n0))),
    each,
  );
  const r0 = v128.load(above, layout.R);
  const r1 = v128.load(below, layout.R);
  const r = f32x4.mul(f32x4.add(f32x4.add(r0, r1), twice(middle, layout.R)), each);
  const uu = f32x4.add(f32x4.sub(f32x4.mul(three(above, middle, below, layout.UU), each), f32x4.mul(u, u)), ridge);
  const uvSum = f32x4.add(three(above, middle, below, layout.UV), f32x4.mul(apart, f32x4.sub(u1, u0)));
  const uv = f32x4.sub(f32x4.mul(uvSum, each), f32x4.mul(u, v));
  const difference = f32x4.sub(v1, v0);
  const square = f32x4.mul(apart, f32x4.add(f32x4.mul(apart, f32x4.add(n0, n1)), f32x4.add(difference, difference)));
  const vvSum = f32x4.add(three(above, middle, below, layout.VV), square);
  const vv = f32x4.add(f32x4.sub(f32x4.mul(vvSum, each), f32x4.mul(v, v)), ridge);
  const ur = f32x4.sub(f32x4.mul(three(above, middle, below, layout.UR), each), f32x4.mul(u, r));
  const vrSum = f32x4.add(three(above, middle, below, layout.VR), f32x4.mul(apart, f32x4.sub(r1, r0)));
  const vr = f32x4.sub(f32x4.mul(vrSum, each), f32x4.mul(v, r));
  const rr = f32x4.sub(f32x4.mul(three(above, middle, below, layout.RR), each), f32x4.mul(r, r));
  // For a single row of pixels, rounding may make the variance negative.
  const determinant = f32x4.pmax(f32x4.sub(f32x4.mul(uu, vv), f32x4.mul(uv, uv)), f32x4.mul(ridge, ridge));
  const inverse = reciprocal(determinant);
  v128.store(design, each, layout.EACH);
  v128.store(design, u, layout.MEAN_U);
  v128.store(design, v, layout.MEAN_V);
  v128.store(design, f32x4.mul(vv, inverse), layout.INVERSE_UU);
  v128.store(design, f32x4.neg(f32x4.mul(uv, inverse)), layout.INVERSE_UV);
  v128.store(design, f32x4.mul(uu, inverse), layout.INVERSE_VV);
  const gu = f32x4.mul(f32x4.sub(f32x4.mul(ur, vv), f32x4.mul(vr, uv)), inverse);
  const gv = f32x4.mul(f32x4.sub(f32x4.mul(vr, uu), f32x4.mul(ur, uv)), inverse);
  // The weight: the number of pixels, reduced by residuals and by a small variance of positions.
  const residual = f32x4.sub(rr, f32x4.add(f32x4.mul(gu, ur), f32x4.mul(gv, vr)));
  let off = f32x4.add(one, f32x4.mul(v128.load(cell, 32), f32x4.pmax(residual, i64x2.splat(0))));
  off = f32x4.mul(off, off);
  const weighted = f32x4.mul(n, determinant);
  const lessened = f32x4.mul(f32x4.add(determinant, f32x4.mul(thin, f32x4.add(uu, vv))), f32x4.mul(off, off));
  const isCell = f32x4.lt(v128.load(cell, 16), i64x2.splat(0));
  v128.store(to, v128.and(f32x4.mul(weighted, reciprocal(lessened)), isCell), layout.WEIGHT);
  const perCentre = v128.load(cell);
  const middleR = f32x4.sub(r, f32x4.add(f32x4.mul(gu, u), f32x4.mul(gv, v)));
  v128.store(to, f32x4.mul(f32x4.sub(one, f32x4.mul(middleR, perCentre)), perCentre), layout.INVERSE);
  v128.store(to, f32x4.mul(gu, v128.load(cell, 16)), layout.ACROSS);
  v128.store(to, f32x4.mul(gv, v128.load(cell, 16)), layout.DOWN);
}
