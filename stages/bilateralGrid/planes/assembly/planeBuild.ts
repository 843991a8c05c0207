/**
 * `build` of stages/bilateralGrid/planes/planeBuild.ts, and the blur along depth (1 4 6 4 1), for a row of tiles.
 *
 *   a tile ──► bins, by cell: (n u v uu) (uv vv left right) (r 2ur 2vr rr) ──► raw, by moment ──► out, four cells a quad
 *
 * u and v count from the tile's middle. The numbers are f32, except the bins' last four. Bins, flags and raw are 0 between tiles.
 */
import { BIN, LOWER, NEAR, PLACE, QUAD_MOMENTS, QUAD_TAPS, TAP } from "../layout.ts";

/** Moments in `raw`: those of a quad, and two that tell in which quarters of the tile a cell's pixels lie. */
const RAW_MOMENTS = 12;

/**
 * Builds a row of tiles. A row of pixels takes `pitch` bytes and has whole tiles; `masks` are 0. A tile's mask has `words` words of 64
 * bits. `entries` holds for each depth its cell, r and rr; depths without a cell have 0. `places` holds for each pixel of a tile (1 u v uu)
 * (uv vv left right) (1 2u 2v 1), the last four as whole numbers. `left` and `right` tell in which quarter the pixel lies: in the left half
 * `left` is 1 above and `LOWER` below, and `right` is 0; in the right half they change places. `flags` has a byte for each cell, in
 * `blocks` of 16, and zeros for 48 behind them. The moments of `raw` lie `rawPitch` bytes apart. `asked` is the mask of the cells that the
 * region above and left of the first tile's centre needs; the next mask is that of the region to the right, and the masks of the regions
 * below lie `lower` bytes further. In `out` a quad has room for `columns` columns, tile by tile.
 */
export function build(
  pixels: usize,
  pitch: usize,
  space: i32,
  entries: usize,
  places: usize,
  bins: usize,
  flags: usize,
  blocks: i32,
  raw: usize,
  rawPitch: usize,
  taps: usize,
  masks: usize,
  words: i32,
  asked: usize,
  lower: usize,
  out: usize,
  columns: usize,
): void {
  const end = pixels + pitch;
  const mask: usize = words << 3;
  for (; pixels < end; pixels += space << 1) {
    add(pixels, pitch, space, entries, places, bins, flags);
    gather(flags, blocks, bins, raw, rawPitch, masks, mask, asked, lower);
    blur(raw, rawPitch, taps, masks, words, out, columns);
    clear(raw, rawPitch, masks, words);
    masks += mask;
    asked += mask;
    out += QUAD_MOMENTS;
  }
}

/** Adds each pixel of a tile to its cell's bin. The flags of cells with pixels become 255. */
function add(pixels: usize, pitch: usize, space: i32, entries: usize, places: usize, bins: usize, flags: usize): void {
  const last = pixels + pitch * space;
  for (; pixels < last; pixels += pitch) {
    const end = pixels + (space << 1);
    let at = pixels;
    while (at < end) {
      const stop = min(at + 16, end);
      // Skips eight invalid pixels at a time.
      if (!v128.any_true(v128.load(at))) {
        places += ((stop - at) >> 1) * PLACE;
        at = stop;
        continue;
      }
      do {
        const entry = v128.load(entries + ((<usize>load<u16>(at)) << 4));
        const cell: usize = i32x4.extract_lane(entry, 0);
        store<u8>(flags + cell, 255);
        const bin = bins + cell * BIN;
        v128.store(bin, f32x4.add(v128.load(bin), v128.load(places)));
        v128.store(bin, f32x4.add(v128.load(bin, 16), v128.load(places, 16)), 16);
        // r, 2u · r, 2v · r, r²
        const products = i32x4.mul(v128.shuffle<u32>(entry, entry, 1, 1, 1, 2), v128.load(places, 32));
        v128.store(bin, i32x4.add(v128.load(bin, 32), products), 32);
        places += PLACE;
        at += 2;
      } while (at < stop);
    }
  }
}

/**
 * Moves the bins to `raw`, where the cells of one moment are adjacent. Marks in `mask`, one bit per quad, the quads within two cells of an
 * occupied cell; and in the masks of the four regions around the tile's centre the quads within one cell of a cell with pixels in that
 * region.
 */
function gather(
  flags: usize,
  blocks: i32,
  bins: usize,
  raw: usize,
  rawPitch: usize,
  mask: usize,
  maskBytes: usize,
  asked: usize,
  lower: usize,
): void {
  // Cell 0 stands for pixels without a cell.
  store<u8>(flags, 0);
  for (let block = 0; block < blocks; block++, flags += 16) {
    const flagged = v128.load(flags);
    // Three or four of a hundred cells are occupied, so 64 flags are tested at a time.
    const ahead = v128.or(v128.load(flags, 16), v128.or(v128.load(flags, 32), v128.load(flags, 48)));
    if (!v128.any_true(v128.or(flagged, ahead))) {
      flags += 48;
      block += 3;
      continue;
    }
    if (!v128.any_true(flagged)) continue;
    let bits: i32 = i8x16.bitmask(flagged);
    v128.store(flags, i64x2.splat(0));
    while (bits !== 0) {
      const shift = ctz(bits) & 12;
      const four = (bits >> shift) & 15;
      bits ^= four << shift;
      const quad = (block << 2) + (shift >> 2);
      turn(bins + quad * (4 * BIN), raw + (quad << 4), rawPitch);
      // The quad, the quad before it if the first two cells of the quad reach that one, and the quad behind.
      const first = (quad - 1) & 7;
      const byte: usize = (quad - 1) >>> 3;
      markQuads(mask + byte, (2 | i32((four & 3) !== 0) | (i32(four > 3) << 2)) << first);
      // Likewise for each quarter of the tile, where cells reach one cell further.
      markQuarters(raw + (quad << 4) + 6 * rawPitch, asked + byte, lower, first);
      markQuarters(raw + (quad << 4) + 7 * rawPitch, asked + byte + maskBytes, lower, first);
    }
  }
}

/** Transposes four bins to one vector per moment in `raw`, and clears the bins. */
function turn(bin: usize, at: usize, rawPitch: usize): void {
  const zero = i64x2.splat(0);
  for (let end = bin + BIN; bin < end; bin += 16) {
    const a = v128.load(bin);
    const b = v128.load(bin, BIN);
    const c = v128.load(bin, 2 * BIN);
    const d = v128.load(bin, 3 * BIN);
    const low0 = v128.shuffle<u32>(a, b, 0, 4, 1, 5);
    const low1 = v128.shuffle<u32>(c, d, 0, 4, 1, 5);
    v128.store(at, v128.shuffle<u64>(low0, low1, 0, 2));
    v128.store(at + rawPitch, v128.shuffle<u64>(low0, low1, 1, 3));
    const high0 = v128.shuffle<u32>(a, b, 2, 6, 3, 7);
    const high1 = v128.shuffle<u32>(c, d, 2, 6, 3, 7);
    v128.store(at + 2 * rawPitch, v128.shuffle<u64>(high0, high1, 0, 2));
    v128.store(at + 3 * rawPitch, v128.shuffle<u64>(high0, high1, 1, 3));
    v128.store(bin, zero);
    v128.store(bin, zero, BIN);
    v128.store(bin, zero, 2 * BIN);
    v128.store(bin, zero, 3 * BIN);
    at += 4 * rawPitch;
  }
  // The last four are whole numbers; two of these four are twice the moment.
  at -= 4 * rawPitch;
  const half = f32x4.splat(0.5);
  v128.store(at, f32x4.convert_i32x4_s(v128.load(at)));
  v128.store(at + rawPitch, f32x4.mul(half, f32x4.convert_i32x4_s(v128.load(at + rawPitch))));
  v128.store(at + 2 * rawPitch, f32x4.mul(half, f32x4.convert_i32x4_s(v128.load(at + 2 * rawPitch))));
  v128.store(at + 3 * rawPitch, f32x4.convert_i32x4_s(v128.load(at + 3 * rawPitch)));
}

/**
 * Marks the quads that pixels in the left or right half of a tile reach: those of its upper half at `at`, those of its lower half `lower`
 * bytes further.
 */
function markQuarters(half: usize, at: usize, lower: usize, first: i32): void {
  const counts = i32x4.trunc_sat_f32x4_s(v128.load(half));
  const upperCounts = v128.and(counts, i32x4.splat(LOWER - 1));
  markQuads(at, reached(i32x4.bitmask(i32x4.gt_s(upperCounts, i64x2.splat(0)))) << first);
  markQuads(at + lower, reached(i32x4.bitmask(i32x4.gt_s(counts, i32x4.splat(LOWER - 1)))) << first);
}

/** The quads of the cells within one of `four`: the quad before, their own, and the one behind, as three bits. */
function reached(four: i32): i32 {
  return (i32(four !== 0) << 1) | (four & 1) | ((four >> 1) & 4);
}

function markQuads(at: usize, bits: i32): void {
  store<u16>(at, <u16>(<i32>load<u16>(at) | bits));
}

/**
 * Blurs the quads marked in `mask`. `taps` holds for each quad and each of five taps the factors of a cell's n and r in the blurred r, and
 * those of its n, r and rr in the blurred rr: one cell's r is linear in another's.
 */
function blur(raw: usize, rawPitch: usize, taps: usize, mask: usize, words: i32, out: usize, columns: usize): void {
  for (let word = 0; word < words; word++) {
    for (let bits = load<u64>(mask + (word << 3)); bits !== 0; bits &= bits - 1) {
      const quad: usize = (word << 6) + <i32>ctz(bits);
      const tap = taps + quad * QUAD_TAPS;
      // Two cells before.
      const n = raw + (quad << 4) - 8;
      const r = n + 8 * rawPitch;
      let to = out + quad * columns * QUAD_MOMENTS;
      const beside = f32x4.add(v128.load(n, 4), v128.load(n, 12));
      v128.store(to, f32x4.gt(f32x4.add(beside, v128.load(n, 8)), i64x2.splat(0)), NEAR);
      for (let moment = 0; moment < 6; moment++, to += 16) v128.store(to, tapped(n + moment * rawPitch));
      for (let moment = 0; moment < 3; moment++, to += 16) {
        v128.store(to, tappedLinear(tap, r + moment * rawPitch, n + moment * rawPitch));
      }
      // In two parts: an engine schedules all loads of one expression before its first operation.
      v128.store(to, squareNear(tap, r + 3 * rawPitch, r, n));
      v128.store(to, squareFar(v128.load(to), tap, r + 3 * rawPitch, r, n));
    }
  }
}

/** 1 4 6 4 1. These sums are exact. */
function tapped(from: usize): v128 {
  const ends = f32x4.add(v128.load(from), v128.load(from, 16));
  const besides = f32x4.mul(f32x4.add(v128.load(from, 4), v128.load(from, 12)), f32x4.splat(4));
  return f32x4.add(ends, f32x4.add(besides, f32x4.mul(v128.load(from, 8), f32x4.splat(6))));
}

/**
 * Blurs r, ur or vr, for which n, u or v are needed, too. The order is planeBuild.wgsl's, from the nearest cell to the farthest. The middle
 * cell's r counts as it is.
 */
function tappedLinear(tap: usize, from: usize, plain: usize): v128 {
  let sum = f32x4.add(linear(tap, from, plain, 0), linear(tap + TAP, from, plain, 4));
  sum = f32x4.add(sum, f32x4.mul(v128.load(tap, 2 * TAP), v128.load(from, 8)));
  sum = f32x4.add(sum, linear(tap + 3 * TAP, from, plain, 12));
  return f32x4.add(sum, linear(tap + 4 * TAP, from, plain, 16));
}

function linear(tap: usize, from: usize, plain: usize, cell: usize): v128 {
  return f32x4.add(
    f32x4.mul(v128.load(tap), v128.load(from + cell)),
    f32x4.mul(v128.load(tap, 16), v128.load(plain + cell)),
  );
}

/** The moment rr, blurred: what the first three of the five cells give, from their r and n. */
function squareNear(tap: usize, from: usize, r: usize, n: usize): v128 {
  const sum = f32x4.add(square(tap, from, r, n, 0), square(tap + TAP, from, r, n, 4));
  return f32x4.add(sum, f32x4.mul(v128.load(tap, 2 * TAP + 32), v128.load(from, 8)));
}

/** Adds what the other two of the five cells give to the blurred moment rr. */
function squareFar(sum: v128, tap: usize, from: usize, r: usize, n: usize): v128 {
  const more = f32x4.add(sum, square(tap + 3 * TAP, from, r, n, 12));
  return f32x4.add(more, square(tap + 4 * TAP, from, r, n, 16));
}

function square(tap: usize, from: usize, r: usize, n: usize, cell: usize): v128 {
  const own = f32x4.add(
    f32x4.mul(v128.load(tap, 32), v128.load(from + cell)),
    f32x4.mul(v128.load(tap, 48), v128.load(r + cell)),
  );
  return f32x4.add(own, f32x4.mul(v128.load(tap, 64), v128.load(n + cell)));
}

/** Clears the marked quads of `raw`: no other quad has pixels. */
function clear(raw: usize, rawPitch: usize, mask: usize, words: i32): void {
  for (let word = 0; word < words; word++) {
    for (let bits = load<u64>(mask + (word << 3)); bits !== 0; bits &= bits - 1) {
      const quad: usize = (word << 6) + <i32>ctz(bits);
      let at = raw + (quad << 4);
      for (let moment = 0; moment < RAW_MOMENTS; moment++, at += rawPitch) v128.store(at, i64x2.splat(0));
    }
  }
}
