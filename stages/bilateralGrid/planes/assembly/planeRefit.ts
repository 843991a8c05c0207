// `refitResidual` of ../planeRefit.ts: blurs residuals along y (1 2 1), relative to the middle column's centre, solves
// for second planes with the first fits' designs, and adds these to the planes. planeFit.ts chooses the cells.
import { reciprocal } from "../../../core/assembly/vectors.ts";
import * as layout from "../layout.ts";
import { three } from "./taps.ts";

/**
 * Refits four planes. A second plane at the distance d at the column's centre is added with the weight s² / (1 + s²), where s is
 * `significance` · d² / v; its slope has `slope` times that weight.
 */
export function refitQuad(
  above: usize,
  middle: usize,
  below: usize,
  apart: v128,
  significance: v128,
  slope: v128,
  cell: usize,
  plane: usize,
  design: usize,
): void {
  const r0 = v128.load(above, layout.OFF);
  const r1 = v128.load(below, layout.OFF);
  const r = three(above, middle, below, layout.OFF);
  const each = v128.load(design, layout.EACH);
  const u = v128.load(design, layout.MEAN_U);
  const v = v128.load(design, layout.MEAN_V);
  const ur = f32x4.mul(f32x4.sub(three(above, middle, below, layout.U_OFF), f32x4.mul(u, r)), each);
  const moved = f32x4.add(three(above, middle, below, layout.V_OFF), f32x4.mul(apart, f32x4.sub(r1, r0)));
  const vr = f32x4.mul(f32x4.sub(moved, f32x4.mul(v, r)), each);
  const uv = v128.load(design, layout.INVERSE_UV);
  const gu = f32x4.add(f32x4.mul(v128.load(design, layout.INVERSE_UU), ur), f32x4.mul(uv, vr));
  const gv = f32x4.add(f32x4.mul(uv, ur), f32x4.mul(v128.load(design, layout.INVERSE_VV), vr));
  const middleR = f32x4.sub(f32x4.mul(r, each), f32x4.add(f32x4.mul(gu, u), f32x4.mul(gv, v)));
  let s = f32x4.mul(f32x4.mul(significance, v128.load(cell, 32)), f32x4.mul(middleR, middleR));
  s = f32x4.mul(s, s);
  // From r to 1/depth.
  const square = f32x4.mul(v128.load(cell, 16), f32x4.mul(s, reciprocal(f32x4.add(s, f32x4.splat(1)))));
  v128.store(plane, f32x4.add(v128.load(plane, layout.INVERSE), f32x4.mul(middleR, square)), layout.INVERSE);
  const sloped = f32x4.mul(square, slope);
  v128.store(plane, f32x4.add(v128.load(plane, layout.ACROSS), f32x4.mul(gu, sloped)), layout.ACROSS);
  v128.store(plane, f32x4.add(v128.load(plane, layout.DOWN), f32x4.mul(gv, sloped)), layout.DOWN);
}
