/**
 * Surfaces as stages/paint/cpu.ts colours them, four pixels at a time, in its order and with its names. The loops
 * read a pixel's neighbours at these byte offsets; memory around the image holds zeros:
 *
 *            − reach · stride
 *   − reach        0          + reach
 *            + reach · stride
 */
import * as layout from "../layout.ts";

/**
 * Depth is u16, in rows of `stride` bytes. `rays` holds an f32 for each column, in whole vectors, then one for each row; `lights` an
 * f32 for each depth; `colors` a word for each pixel. `mode` is NORMAL, CLAY or LIT. Up to three pixels past the end of a row are read,
 * and written before the next row is.
 */
export function shade(
  depth: usize,
  words: usize,
  rays: usize,
  lights: usize,
  colors: usize,
  mode: i32,
  width: i32,
  height: i32,
  stride: usize,
  reach: usize,
  stepX: f32,
  stepY: f32,
  jump: f32,
): void {
  const zero = i64x2.splat(0);
  const jumps = f32x4.splat(jump);
  const stepXs = f32x4.splat(stepX);
  const stepYs = f32x4.splat(stepY);
  const rows = (reach >> 1) * stride;
  let rowsRay: usize = rays + (((width + 3) & -4) << 2);
  for (let y = 0; y < height; y++, rowsRay += 4) {
    const rayY = v128.load_splat<f32>(rowsRay);
    const rayYY1 = f32x4.add(f32x4.mul(rayY, rayY), f32x4.splat(1));
    let at = depth;
    let column = rays;
    let left = width;
    do {
      const value = v128.load_ext<u16>(at);
      if (v128.any_true(value)) {
        const z = f32x4.convert_i32x4_s(value);
        const limit = f32x4.mul(jumps, z);
        const right = f32x4.convert_i32x4_s(v128.load_ext<u16>(at + reach));
        const isRight = beside(right, z, limit);
        const before = f32x4.convert_i32x4_s(v128.load_ext<u16>(at - reach));
        const isBefore = beside(before, z, limit);
        const below = f32x4.convert_i32x4_s(v128.load_ext<u16>(at + rows));
        const isBelow = beside(below, z, limit);
        const above = f32x4.convert_i32x4_s(v128.load_ext<u16>(at - rows));
        const isAbove = beside(above, z, limit);
        // Without a usable neighbour on either side, the surface is taken to be perpendicular in this direction.
        let across = f32x4.add(v128.and(right, isRight), v128.and(before, isBefore));
        across = f32x4.mul(stepXs, v128.bitselect(z, across, f32x4.eq(across, zero)));
        let down = f32x4.add(v128.and(below, isBelow), v128.and(above, isAbove));
        down = f32x4.mul(stepYs, v128.bitselect(z, down, f32x4.eq(down, zero)));
        // A missing neighbour is replaced by the pixel itself.
        let nx = f32x4.sub(v128.bitselect(right, z, isRight), v128.bitselect(before, z, isBefore));
        let ny = f32x4.sub(v128.bitselect(below, z, isBelow), v128.bitselect(above, z, isAbove));
        nx = f32x4.mul(nx, down);
        ny = f32x4.mul(ny, across);
        const area = f32x4.mul(across, down);
        const rayX = v128.load(column);
        const minusNz = f32x4.add(area, f32x4.add(f32x4.mul(rayX, nx), f32x4.mul(rayY, ny)));
        const across2 = f32x4.add(f32x4.mul(nx, nx), f32x4.mul(ny, ny));
        const length2 = f32x4.add(across2, f32x4.mul(minusNz, minusNz));
        let color: v128;
        if (mode === layout.NORMAL) {
          color = normalColor(nx, ny, minusNz, length2);
        } else {
          const ray2 = f32x4.add(f32x4.mul(rayX, rayX), rayYY1);
          const light = mode === layout.LIT ? raked(nx, ny, minusNz, length2) : lit(area, f32x4.mul(length2, ray2));
          const clay = f32x4.mul(light, lightsOf(value, lights));
          color = mode === layout.LIT ? ownColor(light, clay, v128.load(colors)) : clayColor(clay);
        }
        v128.store(words, v128.andnot(color, i32x4.eq(value, zero)));
      } else {
        v128.store(words, zero);
      }
      at += 8;
      column += 16;
      words += 16;
      colors += 16;
      left -= 4;
    } while (left > 0);
    // Where the last vector reached past the end of the row, `left` is below 0 by as many pixels.
    words += left << 2;
    colors += left << 2;
    depth += stride;
  }
}

/** Whether a neighbour lies on the same surface. */
function beside(there: v128, z: v128, limit: v128): v128 {
  return f32x4.le(f32x4.abs(f32x4.sub(there, z)), limit);
}

/** The colours of the directions that surfaces face. */
function normalColor(nx: v128, ny: v128, minusNz: v128, length2: v128): v128 {
  const inverse = f32x4.div(f32x4.splat(1), f32x4.sqrt(length2));
  const scale = v128.and(inverse, f32x4.gt(length2, i64x2.splat(0)));
  return wordOf(byteOf(nx, scale), byteOf(f32x4.neg(ny), scale), byteOf(minusNz, scale));
}

/** The light of the lamp at the side. */
function raked(nx: v128, ny: v128, minusNz: v128, length2: v128): v128 {
  const alongX = f32x4.mul(nx, f32x4.splat(<f32>layout.TO_LAMP_X));
  const alongY = f32x4.mul(ny, f32x4.splat(<f32>layout.TO_LAMP_Y));
  const along = f32x4.sub(f32x4.add(alongX, alongY), f32x4.mul(minusNz, f32x4.splat(<f32>layout.TO_LAMP_Z)));
  return f32x4.add(f32x4.splat(<f32>layout.RAKED), f32x4.mul(f32x4.splat(<f32>layout.RAKE), facing(along, length2)));
}

/** The light of the lamp at the camera. */
function lit(area: v128, length2: v128): v128 {
  return f32x4.add(f32x4.splat(<f32>layout.AMBIENT), f32x4.mul(f32x4.splat(<f32>layout.LAMP), facing(area, length2)));
}

/** The camera's colours in a light; where the camera has none, clay in its light. */
function ownColor(light: v128, clay: v128, own: v128): v128 {
  const isClay = i32x4.eq(i32x4.shr_u(own, 24), i64x2.splat(0));
  const shown = v128.bitselect(clay, light, isClay);
  const r = v128.bitselect(f32x4.splat(<f32>layout.RED), tintOf(own), isClay);
  const g = v128.bitselect(f32x4.splat(<f32>layout.GREEN), tintOf(i32x4.shr_u(own, 8)), isClay);
  const b = v128.bitselect(f32x4.splat(<f32>layout.BLUE), tintOf(i32x4.shr_u(own, 16)), isClay);
  return wordOf(shineOf(r, shown), shineOf(g, shown), shineOf(b, shown));
}

function clayColor(light: v128): v128 {
  const r = shineOf(f32x4.splat(<f32>layout.RED), light);
  const g = shineOf(f32x4.splat(<f32>layout.GREEN), light);
  const b = shineOf(f32x4.splat(<f32>layout.BLUE), light);
  return wordOf(r, g, b);
}

/** How far a surface faces something, from 0 to 1. pmax gives its first argument where the second is not a number, which 0 / 0 is. */
function facing(along: v128, length2: v128): v128 {
  return f32x4.pmax(i64x2.splat(0), f32x4.div(along, f32x4.sqrt(length2)));
}

/** The brightness of clay at four depths. */
function lightsOf(depth: v128, lights: usize): v128 {
  let light = v128.load_zero<f32>(lights + (i32x4.extract_lane(depth, 0) << 2));
  light = v128.load_lane<f32>(lights + (i32x4.extract_lane(depth, 1) << 2), light, 1);
  light = v128.load_lane<f32>(lights + (i32x4.extract_lane(depth, 2) << 2), light, 2);
  return v128.load_lane<f32>(lights + (i32x4.extract_lane(depth, 3) << 2), light, 3);
}

function tintOf(color: v128): v128 {
  return f32x4.convert_i32x4_s(v128.and(color, i32x4.splat(255)));
}

function shineOf(tint: v128, light: v128): v128 {
  return f32x4.pmin(f32x4.splat(255), f32x4.add(f32x4.mul(tint, light), f32x4.splat(0.5)));
}

function byteOf(n: v128, scale: v128): v128 {
  return f32x4.add(f32x4.splat(128), f32x4.mul(f32x4.splat(127.5), f32x4.mul(n, scale)));
}

/** A whole number that is added to 2^23 stands in a float's low bits. The high bits are overwritten by alpha or shifted out. */
function wordOf(r: v128, g: v128, b: v128): v128 {
  const whole = f32x4.splat(8388608);
  const red = v128.or(i32x4.splat(0xff000000), f32x4.add(f32x4.floor(r), whole));
  const green = i32x4.shl(f32x4.add(f32x4.floor(g), whole), 8);
  return v128.or(red, v128.or(green, i32x4.shl(f32x4.add(f32x4.floor(b), whole), 16)));
}
