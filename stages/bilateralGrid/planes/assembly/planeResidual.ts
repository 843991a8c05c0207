// `residualOf` of ../planeRefit.ts for a row of tiles: the residuals of each tile's pixels from the tile's own planes,
// computed from its moments. planeSpread.ts blurs them along x.
import {
  ACROSS,
  DOWN,
  INVERSE,
  N,
  NEAR,
  OFF,
  QUAD_MOMENTS,
  QUAD_PLANES,
  QUAD_RESIDUALS,
  R,
  U,
  U_OFF,
  UR,
  UU,
  UV,
  V,
  V_OFF,
  VR,
  VV,
} from "../layout.ts";
import { twice } from "./taps.ts";

/**
 * Writes the residuals of a row of `columns` tiles to `out`. `moments` is the first tile's output of planeBuild.ts, `masks` begins with
 * that tile's mask, `planes` are the first tile's; each quad has room for two columns more. `cells` is as in planeFit.ts. Residuals of
 * cells with no pixel of the tile in or beside them are 0.
 */
export function residuals(
  moments: usize,
  masks: usize,
  words: i32,
  columns: i32,
  cells: usize,
  planes: usize,
  out: usize,
): void {
  const across: usize = columns + 2;
  for (let column = 0; column < columns; column++) {
    for (let word = 0; word < words; word++, masks += 8) {
      for (let bits = load<u64>(masks); bits !== 0; bits &= bits - 1) {
        const quad: usize = (word << 6) + <i32>ctz(bits);
        const at = quad * across;
        const to = out + at * QUAD_RESIDUALS;
        residual(moments + at * QUAD_MOMENTS, cells + quad * QUAD_PLANES, planes + at * QUAD_PLANES, to);
      }
    }
    moments += QUAD_MOMENTS;
    planes += QUAD_PLANES;
    out += QUAD_RESIDUALS;
  }
}

function residual(at: usize, cell: usize, plane: usize, to: usize): void {
  // From 1/depth to r.
  const square = v128.load(cell, 48);
  const r = f32x4.mul(f32x4.sub(v128.load(plane, INVERSE), v128.load(cell)), square);
  const gu = f32x4.mul(v128.load(plane, ACROSS), square);
  const gv = f32x4.mul(v128.load(plane, DOWN), square);
  // Before the first cell and behind the last one there are no residuals.
  const near = v128.and(v128.load(at, NEAR), f32x4.lt(square, i64x2.splat(0)));
  v128.store(to, v128.and(offOf(at, R, N, U, V, r, gu, gv), near), OFF);
  v128.store(to, v128.and(offOf(at, UR, U, UU, UV, r, gu, gv), near), U_OFF);
  v128.store(to, v128.and(offOf(at, VR, V, UV, VV, r, gu, gv), near), V_OFF);
}

/** A moment of r minus its prediction by the plane. */
function offOf(at: usize, moment: usize, plain: usize, u: usize, v: usize, r: v128, gu: v128, gv: v128): v128 {
  const slope = f32x4.add(f32x4.mul(gu, v128.load(at + u)), f32x4.mul(gv, v128.load(at + v)));
  return f32x4.sub(f32x4.sub(v128.load(at + moment), f32x4.mul(r, v128.load(at + plain))), slope);
}

/** Adds up the residuals of a quad of three columns, for planeSpread.ts; the side columns lie `apart` to the left and to the right. */
export function mixResiduals(left: usize, middle: usize, right: usize, apart: v128, to: usize): void {
  const r0 = v128.load(left, OFF);
  const r1 = v128.load(right, OFF);
  v128.store(to, f32x4.add(f32x4.add(r0, r1), twice(middle, OFF)), OFF);
  const beside = f32x4.add(v128.load(left, U_OFF), v128.load(right, U_OFF));
  const moved = f32x4.mul(apart, f32x4.sub(r1, r0));
  v128.store(to, f32x4.add(f32x4.add(beside, twice(middle, U_OFF)), moved), U_OFF);
  const along = f32x4.add(v128.load(left, V_OFF), v128.load(right, V_OFF));
  v128.store(to, f32x4.add(along, twice(middle, V_OFF)), V_OFF);
}
