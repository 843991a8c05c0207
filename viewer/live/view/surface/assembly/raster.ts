/**
 * Points drawn as raster.ts has it, in its order and with its names, four at a time until it comes to the raster:
 *
 *   x y z c              x x x x      at at at at
 *   x y z c    ──►       y y y y  ──► w  w  w  w   ──► one by one, the nearest on top
 *   x y z c              z z z z      c  c  c  c
 *   x y z c              c c c c
 */
import {
  add,
  all,
  div,
  highHalves,
  lowHalves,
  mul,
  sub,
  whole,
  zipHigh,
  zipLow,
} from "../../../../../stages/core/assembly/vectors.ts";
import { GROWTH, LEFT, NEAR, ROW_W, ROW_X, ROW_Y, TOP } from "../rasterLayout.ts";

// Offsets in scratch of the numbers of four points, bytes.
const AT: usize = 0;
const W: usize = 16;
const WORD: usize = 32;
const ROW: usize = 48;
const SIZE: usize = 64;

/**
 * `points` are whole groups of four and end at `end`. Distances are compared as whole numbers, which keep the order of positive floats;
 * subtracting 1 makes 0 (no point) the farthest.
 */
export function drawPoints(
  points: usize,
  end: usize,
  view: usize,
  scratch: usize,
  pixels: usize,
  distances: usize,
  width: i32,
  height: i32,
  mostPx: i32,
): void {
  const xx = v128.load_splat<f32>(view, 4 * ROW_X);
  const xy = v128.load_splat<f32>(view, 4 * (ROW_X + 1));
  const xz = v128.load_splat<f32>(view, 4 * (ROW_X + 2));
  const x0 = v128.load_splat<f32>(view, 4 * (ROW_X + 3));
  const yx = v128.load_splat<f32>(view, 4 * ROW_Y);
  const yy = v128.load_splat<f32>(view, 4 * (ROW_Y + 1));
  const yz = v128.load_splat<f32>(view, 4 * (ROW_Y + 2));
  const y0 = v128.load_splat<f32>(view, 4 * (ROW_Y + 3));
  const wx = v128.load_splat<f32>(view, 4 * ROW_W);
  const wy = v128.load_splat<f32>(view, 4 * (ROW_W + 1));
  const wz = v128.load_splat<f32>(view, 4 * (ROW_W + 2));
  const w0 = v128.load_splat<f32>(view, 4 * (ROW_W + 3));
  const left = v128.load_splat<f32>(view, 4 * LEFT);
  const top = v128.load_splat<f32>(view, 4 * TOP);
  const growth = v128.load_splat<f32>(view, 4 * GROWTH);
  const most = f32x4.splat(<f32>mostPx);
  const across = f32x4.splat(<f32>width);
  const down = f32x4.splat(<f32>height);
  for (; points < end; points += 64) {
    const p0 = v128.load(points);
    const p1 = v128.load(points, 16);
    const p2 = v128.load(points, 32);
    const p3 = v128.load(points, 48);
    const low0 = zipLow(p0, p1);
    const low1 = zipLow(p2, p3);
    const high0 = zipHigh(p0, p1);
    const high1 = zipHigh(p2, p3);
    const x = lowHalves(low0, low1);
    const y = highHalves(low0, low1);
    const z = lowHalves(high0, high1);
    const w = add(add(mul(wx, x), mul(wy, y)), add(mul(wz, z), w0));
    const before = f32x4.gt(w, all(NEAR));
    // If no point is larger than a pixel, the size needs no computation.
    let size = all(1);
    const grown = mul(growth, z);
    const isLarger = v128.any_true(v128.and(f32x4.gt(grown, w), before));
    if (isLarger) size = f32x4.max(all(1), f32x4.min(most, f32x4.ceil(div(grown, w))));
    const half = mul(all(0.5), sub(size, all(1)));
    const right = add(add(mul(xx, x), mul(xy, y)), add(mul(xz, z), x0));
    const below = add(add(mul(yx, x), mul(yy, y)), add(mul(yz, z), y0));
    const column = f32x4.floor(add(sub(left, half), div(right, w)));
    const row = f32x4.floor(add(sub(top, half), div(below, w)));
    // Squares to the left of this column, or above this row, are out of sight.
    const first = sub(all(1), size);
    const inColumns = v128.and(f32x4.ge(column, first), f32x4.lt(column, across));
    const inRows = v128.and(f32x4.ge(row, first), f32x4.lt(row, down));
    let lanes = i32x4.bitmask(v128.and(before, v128.and(inColumns, inRows)));
    if (lanes === 0) continue;
    v128.store(scratch, w, W);
    v128.store(scratch, highHalves(high0, high1), WORD);
    if (isLarger) {
      v128.store(scratch, whole(column), AT);
      v128.store(scratch, whole(row), ROW);
      v128.store(scratch, whole(size), SIZE);
      for (; lanes !== 0; lanes &= lanes - 1) {
        drawSquare(scratch + (ctz(lanes) << 2), pixels, distances, width, height);
      }
    } else {
      v128.store(scratch, i32x4.shl(whole(add(mul(row, across), column)), 2), AT);
      for (; lanes !== 0; lanes &= lanes - 1) {
        const point = scratch + (ctz(lanes) << 2);
        const at = load<u32>(point, AT);
        const own = load<u32>(point, W);
        const there = load<u32>(distances + at);
        const isNearer = there - 1 >= own;
        store<u32>(distances + at, isNearer ? own : there);
        store<u32>(pixels + at, select<u32>(load<u32>(point, WORD), load<u32>(pixels + at), isNearer));
      }
    }
  }
}

/** Draws a point's square, clipped to the image; `point` is the point's lane of scratch. */
function drawSquare(point: usize, pixels: usize, distances: usize, width: i32, height: i32): void {
  const column = load<i32>(point, AT);
  const row = load<i32>(point, ROW);
  const size = load<i32>(point, SIZE);
  const w = load<u32>(point, W);
  const word = load<u32>(point, WORD);
  const left = max<i32>(column, 0);
  const right = min<i32>(column + size, width);
  const bottom = min<i32>(row + size, height);
  for (let r = max<i32>(row, 0); r < bottom; r++) {
    const end = (r * width + right) << 2;
    for (let at = (r * width + left) << 2; at < end; at += 4) {
      if (load<u32>(distances + at) - 1 < w) continue;
      store<u32>(distances + at, w);
      store<u32>(pixels + at, word);
    }
  }
}
