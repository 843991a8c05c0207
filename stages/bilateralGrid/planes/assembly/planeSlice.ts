/**
 * `planeSlice` of stages/bilateralGrid/planes/planeSlice.ts, for the pixels between the centres of two rows of columns.
 *
 *   ○──○──○      A region lies between four columns. Its cells' planes are turned so that a vector holds the four columns', nearer
 *   │  │▓▓│      cells first: the record of a cell. A pixel reads two records side by side.
 *   ○──○──○
 */
import { kept, nearlyReciprocal, reciprocal } from "../../../core/assembly/vectors.ts";
import { ACROSS, DOWN, INVERSE, QUAD_PLANES, QUAD_RECORDS, RECORD, WEIGHT } from "../layout.ts";

/**
 * Slices a row of regions. `source` and `sink` are the addresses of x = 0 in its first row of pixels; a row takes `pitch` bytes. `depths`
 * holds for each depth: `RECORD` times the number of the nearer of the two cells between which it lies, its position between them, and the
 * factor of 1/depth and the offset that give a pixel's scaled distance from a plane. `across` holds for each pixel of a region's row, and
 * `down` for each of its rows, the distances from the four columns' centres and the weights. `sums` has room for a vector for each pixel of
 * a region. No pixel moves farther than `reach` sigmas; a sigma is sigma + growth · depth², at least 1.
 */
export function slice(
  source: usize,
  sink: usize,
  pitch: usize,
  rows: i32,
  space: i32,
  regions: i32,
  depths: usize,
  across: usize,
  down: usize,
  above: usize,
  below: usize,
  asked: usize,
  words: i32,
  records: usize,
  sums: usize,
  sigma: f32,
  growth: f32,
  farthest: f32,
  reach: f32,
): void {
  const line: usize = (space + 3) << 5;
  const wide: i32 = pitch >> 1;
  const one = kept(f32x4.splat(1), sums);
  const half = kept(f32x4.splat(0.5), sums);
  // A whole number that is added to 2^23 stands in a float's low bits.
  const whole = kept(f32x4.splat(8388608), sums);
  const sigmas = kept(f32x4.splat(sigma), sums);
  const growths = kept(f32x4.splat(growth), sums);
  const reaches = kept(f32x4.splat(reach), sums);
  const last = kept(f32x4.splat(farthest), sums);
  let x = -((space + 1) >> 1);
  for (let region = 0; region < regions; region++) {
    collect(above, below, regions + 1, asked, words, records);
    const first = max(-x, 0);
    const stop = min(space, wide - x);
    // Two loops: one for both would exceed a processor's reorder window.
    let slot = sums;
    for (let row = 0; row < rows; row++) {
      const dy = v128.load(down + (row << 4));
      const places = across + row * line;
      const from: usize = source + row * pitch + (x << 1);
      let i = first;
      do {
        const at = from + (i << 1);
        if (load<u64>(at) !== 0) fourMeans(at, places + (i << 5), dy, depths, records, slot, one);
        slot += 64;
        i += 4;
      } while (i < stop);
    }
    slot = sums;
    for (let row = 0; row < rows; row++) {
      const from: usize = row * pitch + (x << 1);
      let i = first;
      do {
        const at = from + (i << 1);
        let own = v128.load_ext<u16>(source + at);
        if (v128.any_true(own)) own = sliced(own, slot, sigmas, growths, reaches, last, one, half, whole);
        const to = sink + at;
        // Pixels beyond the region's end stay as they are.
        if (i + 4 > stop) {
          const inside = i32x4.lt_s(i32x4.add(i32x4.splat(i), i32x4(0, 1, 2, 3)), i32x4.splat(stop));
          own = v128.bitselect(own, v128.load_ext<u16>(to), inside);
        }
        v128.store_lane<u64>(to, i16x8.narrow_i32x4_u(own, own), 0);
        slot += 64;
        i += 4;
      } while (i < stop);
    }
    x += space;
    above += QUAD_PLANES;
    below += QUAD_PLANES;
    asked += words << 3;
  }
}

/** Writes the records of the quads that a region's pixels read. Pixels without a cell read the first record, which is zeros. */
function collect(above: usize, below: usize, columns: usize, asked: usize, words: i32, records: usize): void {
  for (let word = 0; word < words; word++, asked += 8) {
    for (let bits = load<u64>(asked); bits !== 0; bits &= bits - 1) {
      const quad: usize = (word << 6) + <i32>ctz(bits);
      let p = above + quad * columns * QUAD_PLANES;
      let q = below + quad * columns * QUAD_PLANES;
      const first = records + quad * QUAD_RECORDS;
      for (let at = first; at < first + RECORD; at += 16) {
        const a = v128.load(p);
        const b = v128.load(p, QUAD_PLANES);
        const c = v128.load(q);
        const d = v128.load(q, QUAD_PLANES);
        const lowAbove = v128.shuffle<u32>(a, b, 0, 4, 1, 5);
        const lowBelow = v128.shuffle<u32>(c, d, 0, 4, 1, 5);
        v128.store(at, v128.shuffle<u64>(lowAbove, lowBelow, 0, 2));
        v128.store(at + RECORD, v128.shuffle<u64>(lowAbove, lowBelow, 1, 3));
        const highAbove = v128.shuffle<u32>(a, b, 2, 6, 3, 7);
        const highBelow = v128.shuffle<u32>(c, d, 2, 6, 3, 7);
        v128.store(at + 2 * RECORD, v128.shuffle<u64>(highAbove, highBelow, 0, 2));
        v128.store(at + 3 * RECORD, v128.shuffle<u64>(highAbove, highBelow, 1, 3));
        p += 16;
        q += 16;
      }
    }
  }
}

/** For each of four pixels from `from` on: Σ weight · inverse and Σ weight of two pairs of planes each, (s w s w). */
function fourMeans(
  from: usize,
  place: usize,
  dy: v128,
  depths: usize,
  records: usize,
  scratch: usize,
  one: v128,
): void {
  let slot = scratch;
  do {
    const depth = depths + ((<usize>load<u16>(from)) << 4);
    const record = records + load<i32>(depth);
    const dx = v128.load(place);
    const tap = v128.load(place, 16);
    const far = f32x4.mul(tap, v128.load_splat<f32>(depth, 4));
    const scaled = v128.load_splat<f32>(depth, 8);
    const steep = v128.load_splat<f32>(depth, 12);
    const near = f32x4.mul(f32x4.sub(tap, far), v128.load(record, WEIGHT));
    const nearInverse = inverseAt(record, dx, dy);
    const nearWeight = f32x4.mul(near, nearlyReciprocal(squared(offOf(nearInverse, scaled, steep, one))));
    const behind = record + RECORD;
    const farInverse = inverseAt(behind, dx, dy);
    const farTap = f32x4.mul(far, v128.load(behind, WEIGHT));
    const farWeight = f32x4.mul(farTap, nearlyReciprocal(squared(offOf(farInverse, scaled, steep, one))));
    const sum = f32x4.add(f32x4.mul(nearWeight, nearInverse), f32x4.mul(farWeight, farInverse));
    const total = f32x4.add(nearWeight, farWeight);
    v128.store(slot, f32x4.add(v128.shuffle<u32>(sum, total, 0, 4, 1, 5), v128.shuffle<u32>(sum, total, 2, 6, 3, 7)));
    from += 2;
    place += 32;
    slot += 16;
  } while (slot < scratch + 64);
}

/** 1/depth at a place, by the planes of four columns. */
function inverseAt(record: usize, dx: v128, dy: v128): v128 {
  const across = f32x4.mul(v128.load(record, ACROSS), dx);
  return f32x4.add(v128.load(record, INVERSE), f32x4.add(across, f32x4.mul(v128.load(record, DOWN), dy)));
}

/** 1 + the square of the pixel's scaled distance from each plane. */
function offOf(inverse: v128, scaled: v128, steep: v128, one: v128): v128 {
  return f32x4.add(squared(f32x4.sub(f32x4.mul(inverse, scaled), steep)), one);
}

function squared(a: v128): v128 {
  return f32x4.mul(a, a);
}

/** Four depths from the sums; pixels without a plane near them stay as they are. */
function sliced(
  own: v128,
  scratch: usize,
  sigma: v128,
  growth: v128,
  reach: v128,
  farthest: v128,
  one: v128,
  half: v128,
  whole: v128,
): v128 {
  const p0 = v128.load(scratch);
  const p1 = v128.load(scratch, 16);
  const p2 = v128.load(scratch, 32);
  const p3 = v128.load(scratch, 48);
  const a = f32x4.add(v128.shuffle<u64>(p0, p1, 0, 2), v128.shuffle<u64>(p0, p1, 1, 3));
  const b = f32x4.add(v128.shuffle<u64>(p2, p3, 0, 2), v128.shuffle<u64>(p2, p3, 1, 3));
  const sum = v128.shuffle<u32>(a, b, 0, 2, 4, 6);
  const total = v128.shuffle<u32>(a, b, 1, 3, 5, 7);
  const depth = f32x4.convert_i32x4_s(own);
  const growing = f32x4.mul(growth, f32x4.mul(depth, depth));
  const range = f32x4.mul(reach, f32x4.pmax(f32x4.add(sigma, growing), one));
  const most = f32x4.pmin(f32x4.add(depth, range), farthest);
  const mean = f32x4.pmax(
    f32x4.pmin(f32x4.mul(total, reciprocal(sum)), most),
    f32x4.pmax(f32x4.sub(depth, range), one),
  );
  const rounded = f32x4.add(f32x4.floor(f32x4.add(mean, half)), whole);
  return v128.bitselect(v128.xor(rounded, whole), own, f32x4.gt(sum, i64x2.splat(0)));
}
