/** Multiplies depths as `scale` of stages/core/depthRescaler.ts does, eight pixels at a time. */

/**
 * `source` and `sink` are addresses, which may be the same. `bytes` is a multiple of 16; the bytes behind the last pixel are 0. Returns the
 * greatest depth.
 */
export function scale(source: usize, sink: usize, bytes: usize, factor: i32): i32 {
  const factors = i16x8.splat(<i16>factor);
  let greatest = i64x2.splat(0);
  let at: usize = 0;
  do {
    const depth = v128.load(source + at);
    greatest = i16x8.max_u(greatest, depth);
    v128.store(sink + at, i16x8.mul(depth, factors));
    at += 16;
  } while (at < bytes);
  const four = i32x4.max_u(i32x4.extend_low_i16x8_u(greatest), i32x4.extend_high_i16x8_u(greatest));
  const low = max(i32x4.extract_lane(four, 0), i32x4.extract_lane(four, 1));
  return max(low, max(i32x4.extract_lane(four, 2), i32x4.extract_lane(four, 3)));
}
