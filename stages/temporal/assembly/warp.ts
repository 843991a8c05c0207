/**
 * The memory in another view of the camera, as shaders/temporal/warp.wgsl and stages/temporal/warp.ts have it, four pixels at a time.
 *
 * Pixels lie `row` to a row, a multiple of 8, and are invalid past the frame's width. Behind the words of `before` and `warped` lie their
 * trends, half a word each. `motion` holds f32: the rows of the motion from the new camera to the one before, its shifts in units of depth;
 * then fx, fy, cx, cy, 1/fx and 1/fy. `scales` is by depth (rule.ts).
 */
import { abs, add, div, less, more, mul, sub } from "../../core/assembly/vectors.ts";
import { JUMP, LEAST_ALONG, LEAST_SHARE, MEAN_SHIFT, MOST, MOST_MOVED, NEAREST, ONE } from "../layout.ts";

/** Depth below which a mean has room in its word. */
const TOO_FAR: f32 = 33553920;

export function warp(
  depth: usize,
  before: usize,
  warped: usize,
  scales: usize,
  motion: usize,
  row: usize,
  width: i32,
  height: i32,
): void {
  const zero = i64x2.splat(0);
  const words = row << 2;
  const half = f32x4.splat(0.5);
  const one = f32x4.splat(1);
  const trendsBefore = before + ((row * height) << 2);
  let trends = warped + ((row * height) << 2);
  const focalX = v128.load_splat<u32>(motion, 48);
  const focalY = v128.load_splat<u32>(motion, 52);
  const centreX = v128.load_splat<u32>(motion, 56);
  const centreY = v128.load_splat<u32>(motion, 60);
  const columns = f32x4.splat(<f32>width);
  const rows = f32x4.splat(<f32>height);
  for (let y = 0; y < height; y++) {
    const v = mul(sub(f32x4.splat(<f32>y), centreY), v128.load_splat<u32>(motion, 68));
    const x0 = add(mul(v128.load_splat<u32>(motion, 4), v), v128.load_splat<u32>(motion, 8));
    const y0 = add(mul(v128.load_splat<u32>(motion, 20), v), v128.load_splat<u32>(motion, 24));
    const z0 = add(mul(v128.load_splat<u32>(motion, 36), v), v128.load_splat<u32>(motion, 40));
    let x: i32 = 0;
    do {
      const z = v128.load_ext<u16>(depth);
      const column = i32x4.add(i32x4.splat(x), i32x4(0, 1, 2, 3));
      let valid = v128.and(i32x4.gt_s(z, zero), i32x4.lt_s(column, i32x4.splat(width)));
      let seen = zero;
      let trend = zero;
      if (v128.any_true(valid)) {
        const far = f32x4.convert_i32x4_s(z);
        const u = mul(sub(f32x4.convert_i32x4_s(column), centreX), v128.load_splat<u32>(motion, 64));
        const along = add(mul(v128.load_splat<u32>(motion, 32), u), z0);
        const qz = add(mul(along, far), v128.load_splat<u32>(motion, 44));
        const inverse = div(one, qz);
        const qx = add(mul(add(mul(v128.load_splat<u32>(motion), u), x0), far), v128.load_splat<u32>(motion, 12));
        const qy = add(mul(add(mul(v128.load_splat<u32>(motion, 16), u), y0), far), v128.load_splat<u32>(motion, 28));
        const px = add(mul(mul(qx, inverse), focalX), centreX);
        const py = add(mul(mul(qy, inverse), focalY), centreY);
        valid = v128.and(valid, f32x4.gt(qz, f32x4.splat(<f32>NEAREST)));
        valid = v128.and(valid, v128.and(f32x4.gt(px, f32x4.splat(-1)), f32x4.gt(py, f32x4.splat(-1))));
        valid = v128.and(valid, v128.and(f32x4.lt(px, columns), f32x4.lt(py, rows)));
        if (v128.any_true(valid)) {
          const left = f32x4.floor(px);
          const top = f32x4.floor(py);
          const right = sub(px, left);
          const below = sub(py, top);
          const at = i32x4.add(
            i32x4.mul(i32x4.trunc_sat_f32x4_s(top), i32x4.splat(<i32>row)),
            i32x4.trunc_sat_f32x4_s(left),
          );
          let scale = v128.load_zero<f32>(scales + ((<usize>load<u16>(depth)) << 2));
          scale = v128.load_lane<f32>(scales + ((<usize>load<u16>(depth, 2)) << 2), scale, 1);
          scale = v128.load_lane<f32>(scales + ((<usize>load<u16>(depth, 4)) << 2), scale, 2);
          scale = v128.load_lane<f32>(scales + ((<usize>load<u16>(depth, 6)) << 2), scale, 3);
          const sigmas = mul(scale, f32x4.splat(<f32>ONE));
          // Which of the columns and rows of the four neighbours lie within the frame.
          const hasLeft = v128.and(valid, f32x4.ge(left, f32x4.splat(0)));
          const hasRight = v128.and(valid, f32x4.lt(add(left, one), columns));
          const hasTop = f32x4.ge(top, f32x4.splat(0));
          const hasBelow = f32x4.lt(add(top, one), rows);
          const first = v128.and(at, valid);
          const at0 = before + (i32x4.extract_lane(first, 0) << 2);
          const at1 = before + (i32x4.extract_lane(first, 1) << 2);
          const at2 = before + (i32x4.extract_lane(first, 2) << 2);
          const at3 = before + (i32x4.extract_lane(first, 3) << 2);
          let share = zero;
          let sum = zero;
          let counts = zero;
          let best = zero;
          let bestAt = zero;
          let low = zero;
          let high = zero;
          for (let k = 0; k < 4; k++) {
            // The left and the right neighbour lie side by side: one load for both. What lies outside the frame is masked below.
            if (k === 0) {
              low = v128.load_zero<u64>(at0);
              low = v128.load_lane<u64>(at1, low, 1);
              high = v128.load_zero<u64>(at2);
              high = v128.load_lane<u64>(at3, high, 1);
            } else if (k === 2) {
              low = v128.load_zero<u64>(at0 + words);
              low = v128.load_lane<u64>(at1 + words, low, 1);
              high = v128.load_zero<u64>(at2 + words);
              high = v128.load_lane<u64>(at3 + words, high, 1);
            }
            const inside = v128.and(k & 1 ? hasRight : hasLeft, k & 2 ? hasBelow : hasTop);
            const word = k & 1 ? v128.shuffle<u32>(low, high, 1, 3, 5, 7) : v128.shuffle<u32>(low, high, 0, 2, 4, 6);
            const mean = mul(f32x4.convert_i32x4_s(i32x4.shr_u(word, MEAN_SHIFT)), f32x4.splat(<f32>(1.0 / <f64>ONE)));
            let near = v128.andnot(inside, i32x4.eq(word, zero));
            near = v128.and(near, f32x4.lt(mul(abs(sub(mean, qz)), sigmas), f32x4.splat(<f32>JUMP)));
            const across = k & 1 ? right : sub(one, right);
            const down = k & 2 ? below : sub(one, below);
            const weight = v128.and(mul(across, down), near);
            share = add(share, weight);
            sum = add(sum, v128.and(div(weight, mean), near));
            const count = v128.and(i32x4.shr_u(word, 1), i32x4.splat(MOST));
            counts = add(counts, mul(weight, f32x4.convert_i32x4_s(count)));
            const isBest = f32x4.gt(weight, best);
            best = v128.bitselect(weight, best, isBest);
            bestAt = v128.bitselect(i32x4.add(first, i32x4.splat((k & 1) + (k & 2 ? <i32>row : 0))), bestAt, isBest);
          }
          const off = sub(qz, div(share, sum));
          const there = sub(far, div(off, more(f32x4.splat(<f32>LEAST_ALONG), along)));
          const mean = f32x4.floor(add(mul(there, f32x4.splat(<f32>ONE)), half));
          let known = v128.and(valid, f32x4.gt(share, f32x4.splat(<f32>LEAST_SHARE)));
          known = v128.and(known, v128.and(f32x4.gt(mean, f32x4.splat(0)), f32x4.lt(mean, f32x4.splat(TOO_FAR))));
          const whole = i32x4.trunc_sat_f32x4_s(mean);
          const rounded = f32x4.floor(add(div(counts, share), half));
          const count = i32x4.trunc_sat_f32x4_s(less(f32x4.splat(<f32>MOST_MOVED), more(one, rounded)));
          const up = i32x4.sub(i32x4.shr_u(i32x4.add(whole, i32x4.splat(ONE >> 1)), 9), i32x4.shr_u(whole, 9));
          seen = v128.or(v128.or(i32x4.shl(whole, MEAN_SHIFT), i32x4.shl(count, 1)), up);
          seen = v128.and(seen, known);
          trend = i32x4.splat(load<i16>(trendsBefore + ((<usize>i32x4.extract_lane(bestAt, 0)) << 1)));
          trend = i32x4.replace_lane(trend, 1, load<i16>(trendsBefore + ((<usize>i32x4.extract_lane(bestAt, 1)) << 1)));
          trend = i32x4.replace_lane(trend, 2, load<i16>(trendsBefore + ((<usize>i32x4.extract_lane(bestAt, 2)) << 1)));
          trend = i32x4.replace_lane(trend, 3, load<i16>(trendsBefore + ((<usize>i32x4.extract_lane(bestAt, 3)) << 1)));
          trend = v128.and(trend, known);
        }
      }
      v128.store(warped, seen);
      v128.store_lane<u64>(trends, i16x8.narrow_i32x4_s(trend, trend), 0);
      depth += 8;
      warped += 16;
      trends += 8;
      x += 4;
    } while (x < <i32>row);
  }
}
