/**
 * The points of a row's pixels, moved, and the keyframe's pixels onto which they project: `partnerOf` of stages/track/align.ts, four pixels
 * at a time. align.ts says what `values` holds.
 */
import { add, all, mul, reciprocal, sub } from "../../core/assembly/vectors.ts";
import { NEAREST, PLACE_BYTES } from "../layout.ts";

// A record of four pixels: their moved points, the keyframe's pixels onto which these project, and the addresses of those pixels' planes.
export const QX: usize = 0;
export const QY: usize = 16;
export const QZ: usize = 32;
export const DEPTH: usize = 48;
export const COLUMN: usize = 64;
export const ROW: usize = 80;
export const IS_INSIDE: usize = 96;
export const PLANES: usize = 112;
export const PLACE: usize = PLACE_BYTES;

/**
 * Writes the records of a row to `places`. Returns the number of valid pixels. A loop of its own: one loop for all would have more
 * instructions than a processor's reorder window holds, and each pixel would wait for the one before.
 */
export function project(
  place: usize,
  z: usize,
  planes: usize,
  values: usize,
  width: i32,
  height: i32,
  every: i32,
  y: i32,
): i32 {
  const cx = v128.load_splat<f32>(values, 56);
  const ix = v128.load_splat<f32>(values, 64);
  const v = mul(sub(all(<f32>y), v128.load_splat<f32>(values, 60)), v128.load_splat<f32>(values, 68));
  let valid = 0;
  for (let x = every >> 1; x < width; x += 4 * every, place += PLACE) {
    const d = depthsAt(z + ((y * width + x) << 2), x, width, every);
    const isValid = f32x4.ne(d, all(0));
    valid += popcnt(i32x4.bitmask(isValid));
    const px = mul(mul(sub(columnsAt(x, every), cx), ix), d);
    const py = mul(v, d);
    const qx = turned(values, px, py, d);
    const qy = turned(values + 16, px, py, d);
    const qz = turned(values + 32, px, py, d);
    const w = reciprocal(qz);
    const a = rounded(mul(qx, w), values);
    const b = rounded(mul(qy, w), values + 4);
    const isInFront = v128.and(isValid, f32x4.gt(qz, all(NEAREST)));
    const isInside = v128.and(isInFront, v128.and(isWithin(a, width), isWithin(b, height)));
    const column = v128.and(a, isInside);
    const row = v128.and(b, isInside);
    const at = i32x4.trunc_sat_f32x4_s(add(mul(row, all(<f32>width)), column));
    v128.store(place, qx, QX);
    v128.store(place, qy, QY);
    v128.store(place, qz, QZ);
    v128.store(place, d, DEPTH);
    v128.store(place, column, COLUMN);
    v128.store(place, row, ROW);
    v128.store(place, isInside, IS_INSIDE);
    v128.store(place, i32x4.add(i32x4.splat(<i32>planes), i32x4.shl(at, 4)), PLANES);
  }
  return valid;
}

/** The depths of the pixel at `x` and of the three after it, `every` apart; 0 past the row's end. */
function depthsAt(at: usize, x: i32, width: i32, every: i32): v128 {
  const step: usize = every << 2;
  let depths = v128.load_zero<f32>(at);
  if (x + every < width) depths = v128.load_lane<f32>(at + step, depths, 1);
  if (x + 2 * every < width) depths = v128.load_lane<f32>(at + 2 * step, depths, 2);
  if (x + 3 * every < width) depths = v128.load_lane<f32>(at + 3 * step, depths, 3);
  return depths;
}

function columnsAt(x: i32, every: i32): v128 {
  return f32x4.convert_i32x4_s(i32x4.add(i32x4.splat(x), i32x4.mul(i32x4.splat(every), i32x4(0, 1, 2, 3))));
}

/** One coordinate of the moved points; `row` is the address of that row of the motion. */
function turned(row: usize, x: v128, y: v128, z: v128): v128 {
  const xy = add(mul(v128.load_splat<f32>(row), x), mul(v128.load_splat<f32>(row, 4), y));
  return add(add(xy, mul(v128.load_splat<f32>(row, 8), z)), v128.load_splat<f32>(row, 12));
}

/** The pixel's column, or its row where `values` is 4 more. */
function rounded(slope: v128, values: usize): v128 {
  const place = add(mul(slope, v128.load_splat<f32>(values, 48)), v128.load_splat<f32>(values, 56));
  return f32x4.floor(add(place, all(0.5)));
}

function isWithin(place: v128, end: i32): v128 {
  return v128.and(f32x4.ge(place, all(0)), f32x4.lt(place, all(<f32>end)));
}

/** The distances of a record's moved points from planes with these normals at depth `k`. */
export function offOf(place: usize, nx: v128, ny: v128, nz: v128, k: v128, values: usize): v128 {
  const x = mul(
    mul(sub(v128.load(place, COLUMN), v128.load_splat<f32>(values, 56)), v128.load_splat<f32>(values, 64)),
    k,
  );
  const y = mul(mul(sub(v128.load(place, ROW), v128.load_splat<f32>(values, 60)), v128.load_splat<f32>(values, 68)), k);
  const across = mul(nx, sub(v128.load(place, QX), x));
  const down = mul(ny, sub(v128.load(place, QY), y));
  return add(add(across, down), mul(nz, sub(v128.load(place, QZ), k)));
}
