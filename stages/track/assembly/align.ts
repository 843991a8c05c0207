/**
 * The loops of stages/track/align.ts, two pixels at a time. `values` holds f64: the pose, 12; fx, fy, cx, cy; then the numbers that each
 * loop lists. A pixel without a partner adds 0, so that the sums have the twin's bits. `places` has room for a record for each two pixels
 * of a row.
 */
import { choose, highHalves, lowHalves, zipHigh, zipLow } from "../../core/assembly/vectors.ts";
import { FIT_M, FIT_PER_M2, HUBER, NEAREST, NOISE_M, NOISE_PER_M2, PLACE_BYTES, SIGMAS } from "../layout.ts";

/** Sums, in bytes. */
const LENGTH = 33 * 8;

// A record of two pixels: their moved points, the keyframe's pixels onto which these project, and the addresses of those pixels' planes.
const QX: usize = 0;
const QY: usize = 16;
const QZ: usize = 32;
const DEPTH: usize = 48;
const COLUMN: usize = 64;
const ROW: usize = 80;
const IS_INSIDE: usize = 96;
const PLANES: usize = 112;
const PLACE: usize = PLACE_BYTES;

/** `values` after the lens: the scene's centre, 3; its radius; the gate. */
export function accumulate(
  sums: usize,
  z: usize,
  planes: usize,
  values: usize,
  width: i32,
  height: i32,
  every: i32,
  isCrowded: i32,
  places: usize,
): void {
  memory.fill(sums, 0, LENGTH);
  const one = f64x2.splat(1);
  const ox = v128.load_splat<u64>(values, 128);
  const oy = v128.load_splat<u64>(values, 136);
  const oz = v128.load_splat<u64>(values, 144);
  const gate = v128.load_splat<u64>(values, 160);
  const scale = f64x2.div(one, v128.load_splat<u64>(values, 152));
  const ix = f64x2.div(one, v128.load_splat<u64>(values, 96));
  const iy = f64x2.div(one, v128.load_splat<u64>(values, 104));
  const middle = sigmaOf(oz);
  const seen = f64x2.div(one, mul(oz, oz));
  let valid = 0;
  for (let y = every >> 1; y < height; y += every) {
    valid += project(places, z, planes, values, width, height, every, y);
    let place = places;
    for (let x = every >> 1; x < width; x += 2 * every, place += PLACE) {
      let isPartner = v128.load(place, IS_INSIDE);
      if (!v128.any_true(isPartner)) continue;
      const qx = v128.load(place, QX);
      const qy = v128.load(place, QY);
      const qz = v128.load(place, QZ);
      const first = v128.load(load<u32>(place, PLANES));
      const second = v128.load(load<u32>(place, PLANES + 4));
      const k = depthOf(first, second);
      const sigma = sigmaOf(k);
      const range = f64x2.max(mul(gate, k), mul(f64x2.splat(SIGMAS), sigma));
      isPartner = v128.and(isPartner, v128.and(f64x2.ne(k, i64x2.splat(0)), f64x2.le(f64x2.abs(sub(qz, k)), range)));
      if (!v128.any_true(isPartner)) continue;
      const nx = normalX(first, second);
      const ny = normalY(first, second);
      const nz = normalZ(first, second);
      const off = offOf(place, nx, ny, nz, k, values, ix, iy);
      let weight = isCrowded ? crowdedWeight(off, f64x2.max(sigma, middle), mul(k, k), seen) : calmWeight(off, sigma);
      weight = v128.and(weight, isPartner);
      const sx = mul(sub(qx, ox), scale);
      const sy = mul(sub(qy, oy), scale);
      const sz = mul(sub(qz, oz), scale);
      const j0 = sub(mul(sy, nz), mul(sz, ny));
      const j1 = sub(mul(sz, nx), mul(sx, nz));
      const j2 = sub(mul(sx, ny), mul(sy, nx));
      const w0 = mul(weight, j0);
      const w1 = mul(weight, j1);
      const w2 = mul(weight, j2);
      const w3 = mul(weight, nx);
      const w4 = mul(weight, ny);
      const w5 = mul(weight, nz);
      const back = f64x2.neg(off);
      increase(sums, mul(w0, j0), mul(w0, j1));
      increase(sums + 16, mul(w0, j2), mul(w0, nx));
      increase(sums + 32, mul(w0, ny), mul(w0, nz));
      increase(sums + 48, mul(w1, j1), mul(w1, j2));
      increase(sums + 64, mul(w1, nx), mul(w1, ny));
      increase(sums + 80, mul(w1, nz), mul(w2, j2));
      increase(sums + 96, mul(w2, nx), mul(w2, ny));
      increase(sums + 112, mul(w2, nz), mul(w3, nx));
      increase(sums + 128, mul(w3, ny), mul(w3, nz));
      increase(sums + 144, mul(w4, ny), mul(w4, nz));
      increase(sums + 160, mul(w5, nz), mul(w0, back));
      increase(sums + 176, mul(w1, back), mul(w2, back));
      increase(sums + 192, mul(w3, back), mul(w4, back));
      increase(sums + 208, mul(w5, back), v128.and(one, isPartner));
      const square = add(add(mul(sx, sx), mul(sy, sy)), mul(sz, sz));
      increase(sums + 224, v128.and(sx, isPartner), v128.and(sy, isPartner));
      increase(sums + 240, v128.and(sz, isPartner), v128.and(square, isPartner));
    }
  }
  store<f64>(sums, <f64>valid, 256);
}

/** `values` after the lens: the tolerance `nearM` and its growth `nearPerM2`; the distance of the scene's centre. */
export function explain(
  counts: usize,
  z: usize,
  planes: usize,
  values: usize,
  width: i32,
  height: i32,
  every: i32,
  places: usize,
): void {
  memory.fill(counts, 0, 4 * 8);
  const one = f64x2.splat(1);
  const nearM = v128.load_splat<u64>(values, 128);
  const nearPerM2 = v128.load_splat<u64>(values, 136);
  const middle = v128.load_splat<u64>(values, 144);
  const ix = f64x2.div(one, v128.load_splat<u64>(values, 96));
  const iy = f64x2.div(one, v128.load_splat<u64>(values, 104));
  const seen = f64x2.div(one, mul(middle, middle));
  for (let y = every >> 1; y < height; y += every) {
    project(places, z, planes, values, width, height, every, y);
    let place = places;
    for (let x = every >> 1; x < width; x += 2 * every, place += PLACE) {
      let isSeen = v128.load(place, IS_INSIDE);
      if (!v128.any_true(isSeen)) continue;
      const first = v128.load(load<u32>(place, PLANES));
      const second = v128.load(load<u32>(place, PLANES + 4));
      const k = depthOf(first, second);
      isSeen = v128.and(isSeen, f64x2.ne(k, i64x2.splat(0)));
      const nx = normalX(first, second);
      const ny = normalY(first, second);
      const nz = normalZ(first, second);
      const off = offOf(place, nx, ny, nz, k, values, ix, iy);
      const isNear = v128.and(isSeen, f64x2.lt(f64x2.abs(off), add(nearM, mul(mul(nearPerM2, k), k))));
      const d = v128.load(place, DEPTH);
      const area = areaOf(mul(d, d), seen);
      increase(counts, v128.and(one, isNear), v128.and(one, isSeen));
      increase(counts + 16, v128.and(area, isNear), v128.and(area, isSeen));
    }
  }
}

/**
 * Writes the records of a row to `places`. Returns the number of valid pixels. A loop of its own: one loop for all would have more
 * instructions than a processor's reorder window holds, and each pixel would wait for the one before.
 */
function project(
  place: usize,
  z: usize,
  planes: usize,
  values: usize,
  width: i32,
  height: i32,
  every: i32,
  y: i32,
): i32 {
  const one = f64x2.splat(1);
  const cx = v128.load_splat<u64>(values, 112);
  const ix = f64x2.div(one, v128.load_splat<u64>(values, 96));
  const iy = f64x2.div(one, v128.load_splat<u64>(values, 104));
  const v = mul(sub(f64x2.splat(<f64>y), v128.load_splat<u64>(values, 120)), iy);
  let valid = 0;
  for (let x = every >> 1; x < width; x += 2 * every, place += PLACE) {
    const d = depthsAt(z + ((y * width + x) << 2), x, width, every);
    const isValid = f64x2.ne(d, i64x2.splat(0));
    valid += popcnt(i64x2.bitmask(isValid));
    const px = mul(mul(sub(columnsAt(x, every), cx), ix), d);
    const py = mul(v, d);
    const qx = turned(values, px, py, d);
    const qy = turned(values + 32, px, py, d);
    const qz = turned(values + 64, px, py, d);
    const w = f64x2.div(one, qz);
    const a = rounded(mul(qx, w), values);
    const b = rounded(mul(qy, w), values + 8);
    const isInFront = v128.and(isValid, f64x2.gt(qz, f64x2.splat(NEAREST)));
    const isInside = v128.and(isInFront, v128.and(isWithin(a, width), isWithin(b, height)));
    const column = v128.and(a, isInside);
    const row = v128.and(b, isInside);
    const at = i32x4.trunc_sat_f64x2_s_zero(add(mul(row, f64x2.splat(<f64>width)), column));
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

/** The depths of the pixel at `x` and of the one `every` farther on; 0 past the row's end. */
function depthsAt(at: usize, x: i32, width: i32, every: i32): v128 {
  const first = f64x2.splat(<f64>load<f32>(at));
  if (x + every >= width) return f64x2.replace_lane(first, 1, 0);
  return f64x2.replace_lane(first, 1, <f64>load<f32>(at + (every << 2)));
}

function columnsAt(x: i32, every: i32): v128 {
  return f64x2.replace_lane(f64x2.splat(<f64>x), 1, <f64>(x + every));
}

/** Adds the first pixel's parts of two adjacent sums, then the second pixel's. */
function increase(at: usize, a: v128, b: v128): void {
  v128.store(at, add(add(v128.load(at), lowHalves(a, b)), highHalves(a, b)));
}

/** One coordinate of the moved points; `row` is the address of that row of the motion. */
function turned(row: usize, x: v128, y: v128, z: v128): v128 {
  const xy = add(mul(v128.load_splat<u64>(row), x), mul(v128.load_splat<u64>(row, 8), y));
  return add(add(xy, mul(v128.load_splat<u64>(row, 16), z)), v128.load_splat<u64>(row, 24));
}

/** The pixel's column, or its row where `values` is 8 more. */
function rounded(slope: v128, values: usize): v128 {
  const place = add(mul(slope, v128.load_splat<u64>(values, 96)), v128.load_splat<u64>(values, 112));
  return f64x2.floor(add(place, f64x2.splat(0.5)));
}

function isWithin(place: v128, end: i32): v128 {
  return v128.and(f64x2.ge(place, i64x2.splat(0)), f64x2.lt(place, f64x2.splat(<f64>end)));
}

// Parts of two planes: the normals' coordinates and the depths.

function normalX(first: v128, second: v128): v128 {
  return f64x2.promote_low_f32x4(zipLow(first, second));
}

function normalY(first: v128, second: v128): v128 {
  return f64x2.promote_low_f32x4(v128.shuffle<u32>(first, second, 1, 5, 1, 5));
}

function normalZ(first: v128, second: v128): v128 {
  return f64x2.promote_low_f32x4(zipHigh(first, second));
}

function depthOf(first: v128, second: v128): v128 {
  return f64x2.promote_low_f32x4(v128.shuffle<u32>(first, second, 3, 7, 3, 7));
}

/** The distances of a record's moved points from planes with these normals at depth `k`. */
function offOf(place: usize, nx: v128, ny: v128, nz: v128, k: v128, values: usize, ix: v128, iy: v128): v128 {
  const x = mul(mul(sub(v128.load(place, COLUMN), v128.load_splat<u64>(values, 112)), ix), k);
  const y = mul(mul(sub(v128.load(place, ROW), v128.load_splat<u64>(values, 120)), iy), k);
  const across = mul(nx, sub(v128.load(place, QX), x));
  const down = mul(ny, sub(v128.load(place, QY), y));
  return add(add(across, down), mul(nz, sub(v128.load(place, QZ), k)));
}

function sigmaOf(k: v128): v128 {
  return add(f64x2.splat(NOISE_M), mul(mul(f64x2.splat(NOISE_PER_M2), k), k));
}

function calmWeight(off: v128, sigma: v128): v128 {
  const far = f64x2.abs(off);
  const isNear = f64x2.le(far, mul(f64x2.splat(HUBER), sigma));
  return f64x2.div(choose(isNear, f64x2.splat(1), f64x2.splat(HUBER)), mul(choose(isNear, sigma, far), sigma));
}

function crowdedWeight(off: v128, sigma: v128, square: v128, seen: v128): v128 {
  const fit = add(f64x2.splat(FIT_M), mul(f64x2.splat(FIT_PER_M2), square));
  const near = mul(fit, fit);
  const share = f64x2.div(near, mul(add(near, mul(off, off)), sigma));
  return mul(mul(areaOf(square, seen), share), share);
}

function areaOf(square: v128, seen: v128): v128 {
  return f64x2.min(f64x2.splat(1), mul(square, seen));
}

function add(a: v128, b: v128): v128 {
  return f64x2.add(a, b);
}

function sub(a: v128, b: v128): v128 {
  return f64x2.sub(a, b);
}

function mul(a: v128, b: v128): v128 {
  return f64x2.mul(a, b);
}
