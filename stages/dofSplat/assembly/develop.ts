/** The pixels of a finished tile, four of a row at a time: `develop` of the twin's accumulate.ts, with its names. */
import { abs, add, all, div, less, more, mul, sub, whole } from "../../core/assembly/vectors.ts";
import {
  FILM_ROW,
  LIGHT_STEPS,
  LIT_BLUE,
  LIT_BLUR,
  LIT_FILL,
  LIT_GREEN,
  LIT_INVERSE_FOCUS,
  LIT_RED,
  OPAQUE,
  SHARP,
  UNDRAWN,
} from "../layout.ts";
import { BLUES, DISTANCES, GREENS, ROOM } from "./accumulate.ts";

/**
 * `rgba` and `depth` are the addresses of the tile's first pixel in the picture, which is `stride` pixels wide; `width` and `height` are
 * the tile's. `lit` has the numbers `LIT_…` (layout.ts), `bytes` the sRGB byte of each 65535th of light; `empty` is a pixel of the
 * background.
 */
export function develop(
  film: usize,
  width: i32,
  height: i32,
  rgba: usize,
  depth: usize,
  stride: i32,
  lit: usize,
  bytes: usize,
  empty: i32,
): void {
  const red = v128.load_splat<f32>(lit, 4 * LIT_RED);
  const green = v128.load_splat<f32>(lit, 4 * LIT_GREEN);
  const blue = v128.load_splat<f32>(lit, 4 * LIT_BLUE);
  const fill = v128.load_splat<f32>(lit, 4 * LIT_FILL);
  const blur = v128.load_splat<f32>(lit, 4 * LIT_BLUR);
  const inverseFocus = v128.load_splat<f32>(lit, 4 * LIT_INVERSE_FOCUS);
  for (let row = 0; row < height; row++, film += FILM_ROW, rgba += stride << 2, depth += stride << 2) {
    for (let u = 0; u < width; u += 4) {
      const at = film + (u << 2);
      const room = v128.load(at, ROOM);
      let pixels = i32x4.splat(empty);
      let distance = i32x4.splat(0);
      if (v128.any_true(f32x4.ne(room, all(1)))) {
        let r = v128.load(at);
        let g = v128.load(at, GREENS);
        let b = v128.load(at, BLUES);
        distance = v128.load(at, DISTANCES);
        // Full pixels have no background to divide or to add.
        if (v128.any_true(room)) {
          const cover = sub(all(1), room);
          const soft = less(all(1), mul(blur, abs(sub(inverseFocus, div(all(1), distance)))));
          const opaque = more(sub(all(1), mul(fill, mix(all(SHARP), all(1), soft))), all(OPAQUE));
          const shown = less(div(cover, opaque), all(1));
          const most = more(cover, all(1e-9));
          r = mix(red, div(r, most), shown);
          g = mix(green, div(g, most), shown);
          b = mix(blue, div(b, most), shown);
        }
        pixels = encoded(bytes, r, g, b);
        distance = v128.and(distance, f32x4.le(room, all(UNDRAWN)));
      }
      storeUpTo(rgba + (u << 2), pixels, width - u);
      storeUpTo(depth + (u << 2), distance, width - u);
    }
  }
}

function mix(a: v128, b: v128, share: v128): v128 {
  return add(mul(a, sub(all(1), share)), mul(b, share));
}

/** Four pixels of light, r | g << 8 | b << 16 | 255 << 24. */
function encoded(bytes: usize, red: v128, green: v128, blue: v128): v128 {
  const r = stepOf(red);
  const g = stepOf(green);
  const b = stepOf(blue);
  let pixels = i32x4.splat(0xff000000);
  pixels = v128.load_lane<u8>(bytes + i32x4.extract_lane(r, 0), pixels, 0);
  pixels = v128.load_lane<u8>(bytes + i32x4.extract_lane(g, 0), pixels, 1);
  pixels = v128.load_lane<u8>(bytes + i32x4.extract_lane(b, 0), pixels, 2);
  pixels = v128.load_lane<u8>(bytes + i32x4.extract_lane(r, 1), pixels, 4);
  pixels = v128.load_lane<u8>(bytes + i32x4.extract_lane(g, 1), pixels, 5);
  pixels = v128.load_lane<u8>(bytes + i32x4.extract_lane(b, 1), pixels, 6);
  pixels = v128.load_lane<u8>(bytes + i32x4.extract_lane(r, 2), pixels, 8);
  pixels = v128.load_lane<u8>(bytes + i32x4.extract_lane(g, 2), pixels, 9);
  pixels = v128.load_lane<u8>(bytes + i32x4.extract_lane(b, 2), pixels, 10);
  pixels = v128.load_lane<u8>(bytes + i32x4.extract_lane(r, 3), pixels, 12);
  pixels = v128.load_lane<u8>(bytes + i32x4.extract_lane(g, 3), pixels, 13);
  return v128.load_lane<u8>(bytes + i32x4.extract_lane(b, 3), pixels, 14);
}

function stepOf(light: v128): v128 {
  return whole(add(mul(less(light, all(1)), all(LIGHT_STEPS)), all(0.5)));
}

/** Stores four words, or `left` words if fewer are left. */
function storeUpTo(at: usize, words: v128, left: i32): void {
  if (left >= 4) {
    v128.store(at, words);
    return;
  }
  v128.store_lane<u32>(at, words, 0);
  if (left >= 2) v128.store_lane<u32>(at, words, 1, 4);
  if (left >= 3) v128.store_lane<u32>(at, words, 2, 8);
}
