/** Lines one pixel wide and corners, as shaders/median/thin.wgsl and ../thin.ts find them (there is the method). */
import { AROUND_X, AROUND_Y, FARTHER, NEARER, OTHERS, THIN_BITS } from "../layout.ts";

/**
 * Stores eight medians. If any is more than a step away from its pixel, those of lines one pixel wide, and with `corners` those of the
 * corners of small things, become the pixel's own depth. `row` is the address of the row of pixels, which is `stride` bytes long, and `x`
 * where the eight lie in it, in bytes.
 */
export function storeMedians(sink: usize, median: v128, row: usize, x: usize, stride: usize, corners: bool): void {
  const own = v128.load(row + x);
  v128.store(sink + x, median);
  const apart = v128.or(i16x8.sub_sat_u(median, own), i16x8.sub_sat_u(own, median));
  let far = i16x8.bitmask(i16x8.gt_u(apart, i16x8.shr_u(own, THIN_BITS)));
  while (far !== 0) {
    const at = x + 2 * ctz(far);
    if (isThin(row, at, stride, corners)) store<u16>(sink + at, load<u16>(row + at));
    far &= far - 1;
  }
}

function isThin(row: usize, x: usize, stride: usize, corners: bool): bool {
  const seen = around(row, x, stride);
  if (popcnt(seen & 255) !== 1) return isLine(seen, corners);
  const to = ctz(seen & 255);
  const next = around(row + offset(AROUND_Y, to) * stride, x + 2 * offset(AROUND_X, to), stride);
  return popcnt(next & 255) === 2 && isLine(next, false);
}

function around(row: usize, x: usize, stride: usize): i32 {
  const z = <i32>load<u16>(row + x);
  const step = z >> THIN_BITS;
  let seen = 0;
  for (let i = 0; i < 8; i++) {
    // Left of the row this is a large number.
    const u = x + 2 * offset(AROUND_X, i);
    const other = u < stride ? <i32>load<u16>(row + offset(AROUND_Y, i) * stride + u) : 0;
    if (other === 0) continue;
    if (abs(other - z) <= step) seen |= 1 << i;
    else seen += other < z ? NEARER : FARTHER;
  }
  return seen;
}

function offset(table: i32, i: i32): isize {
  return ((table >> (2 * i)) & 3) - 1;
}

function isLine(seen: i32, corners: bool): bool {
  const alike = seen & 255;
  const turned = alike | (alike << 8);
  const isOpposite = (alike & ((turned >> 3) | (turned >> 4) | (turned >> 5))) !== 0;
  const isCorner = corners && (alike & (turned >> 1) & (turned >> 2)) !== 0;
  const nearer = (seen >> 8) & 15;
  const farther = seen >> 12;
  return (isOpposite || isCorner) && popcnt(alike) <= 3 && min(nearer, farther) === 0 && max(nearer, farther) >= OTHERS;
}
