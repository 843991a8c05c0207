/**
 * Compaction as stages/compact/cpu.ts has it, four pixels at a time. A point is one vector:
 *
 *   x x x x        x y z w ──► points        Each point is stored where the next one belongs. Only a valid pixel moves that
 *   y y y y  ──►   x y z w ──► + 16          place on, so the point of an invalid pixel is overwritten.
 *   z z z z        x y z w ──► + 16
 *   w w w w        x y z w ──► + 32
 */
import { kept } from "../../core/assembly/vectors.ts";

/**
 * Writes the points of the valid pixels in raster order and returns the address behind the last one; 16 bytes there are written, too.
 *
 * `depth` is u16. `colors` (0: the frame has none) is a word a pixel, with an alpha of 0 where the pixel has no colour. `rays` holds an
 * f32 for each column, in whole vectors, then one for each row. Up to three pixels past the end of a row are read.
 */
export function move(
  depth: usize,
  colors: usize,
  rays: usize,
  points: usize,
  width: i32,
  height: i32,
  unit: f32,
  near: f32,
  span: f32,
): usize {
  const units = kept(f32x4.splat(unit), points);
  const nearest = kept(f32x4.splat(near), points);
  const spans = kept(f32x4.splat(span), points);
  const darkest = kept(f32x4.splat(192), points);
  const lightest = kept(f32x4.splat(8388608 + 240), points);
  const opaque = kept(i32x4.splat(-1), points);
  // Only colours with an alpha above 0 exceed 0x00ffffff.
  const transparent = kept(i32x4.splat(0xffffff), points);
  let rayY: usize = rays + (((width + 3) & -4) << 2);
  for (let y = 0; y < height; y++, rayY += 4) {
    let column = rays;
    let left = width;
    do {
      const value = v128.load_ext<u16>(depth);
      const inside = i32x4.gt_s(i32x4.splat(left), i32x4(0, 1, 2, 3));
      const valid = v128.and(i32x4.gt_s(value, i32x4.splat(0)), inside);
      if (v128.any_true(valid)) {
        const float = f32x4.convert_i32x4_s(value);
        const z = f32x4.mul(float, units);
        const x = f32x4.mul(v128.load(column), z);
        const y = f32x4.mul(v128.load_splat<f32>(rayY), z);
        const color = colors ? v128.load(colors) : i32x4.splat(0);
        const seen = i32x4.gt_u(color, transparent);
        let w = color;
        if (!i32x4.all_true(seen)) {
          w = v128.bitselect(color, greyOf(float, nearest, spans, darkest, lightest, opaque), seen);
        }
        const mask = i32x4.bitmask(valid);
        const xyLow = v128.shuffle<u32>(x, y, 0, 4, 1, 5);
        const zwLow = v128.shuffle<u32>(z, w, 0, 4, 1, 5);
        const xyHigh = v128.shuffle<u32>(x, y, 2, 6, 3, 7);
        const zwHigh = v128.shuffle<u32>(z, w, 2, 6, 3, 7);
        v128.store(points, v128.shuffle<u64>(xyLow, zwLow, 0, 2));
        points += (mask & 1) << 4;
        v128.store(points, v128.shuffle<u64>(xyLow, zwLow, 1, 3));
        points += (mask & 2) << 3;
        v128.store(points, v128.shuffle<u64>(xyHigh, zwHigh, 0, 2));
        points += (mask & 4) << 2;
        v128.store(points, v128.shuffle<u64>(xyHigh, zwHigh, 1, 3));
        points += (mask & 8) << 1;
      }
      depth += 8;
      column += 16;
      if (colors) colors += 16;
      left -= 4;
    } while (left > 0);
    // `left` is 0 or, where the row ended within a vector, as far below 0 as the vector reaches into the next row.
    depth += left << 1;
    if (colors) colors += left << 2;
  }
  return points;
}

/**
 * For pixels without a colour: the darker the farther, opaque. Since 192 × 65535 < 2^24, an f32 holds the product exactly, and the rounded
 * quotient never crosses a whole number. A whole number that is added to 2^23 stands in a float's low bits; its lowest byte is the grey.
 */
function greyOf(depth: v128, near: v128, span: v128, darkest: v128, lightest: v128, opaque: v128): v128 {
  const far = f32x4.pmin(f32x4.sub(f32x4.pmax(depth, near), near), span);
  const grey = f32x4.sub(lightest, f32x4.floor(f32x4.div(f32x4.mul(far, darkest), span)));
  return v128.shuffle<u8>(grey, opaque, 0, 0, 0, 16, 4, 4, 4, 16, 8, 8, 8, 16, 12, 12, 12, 16);
}
