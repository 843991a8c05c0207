/**
 * The loops of stages/track/align.ts. `values` holds f64: the pose, 12; fx, fy, cx, cy; then the numbers that each loop lists. Adjacent
 * sums are added up two at a time.
 */
import { FIT_M, FIT_PER_M2, HUBER, NEAREST, NOISE_M, NOISE_PER_M2, SIGMAS } from "../numbers.ts";

/** Sums, in bytes. */
const LENGTH = 33 * 8;

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
): void {
  memory.fill(sums, 0, LENGTH);
  const fx = load<f64>(values, 96);
  const fy = load<f64>(values, 104);
  const cx = load<f64>(values, 112);
  const cy = load<f64>(values, 120);
  const ox = load<f64>(values, 128);
  const oy = load<f64>(values, 136);
  const oz = load<f64>(values, 144);
  const gate = load<f64>(values, 160);
  const scale = 1 / load<f64>(values, 152);
  const ix = 1 / fx;
  const iy = 1 / fy;
  const middle = NOISE_M + NOISE_PER_M2 * oz * oz;
  const seen = 1 / (oz * oz);
  const columns = <f64>width;
  const rows = <f64>height;
  for (let y = every >> 1; y < height; y += every) {
    const v = (<f64>y - cy) * iy;
    for (let x = every >> 1; x < width; x += every) {
      const d = <f64>load<f32>(z + ((y * width + x) << 2));
      if (d === 0) continue;
      store<f64>(sums, load<f64>(sums, 256) + 1, 256);
      const px = (<f64>x - cx) * ix * d;
      const py = v * d;
      const qz = turned(values + 64, px, py, d);
      if (!(qz > NEAREST)) continue;
      const qx = turned(values, px, py, d);
      const qy = turned(values + 32, px, py, d);
      const w = 1 / qz;
      const a = floor(qx * w * fx + cx + 0.5);
      const b = floor(qy * w * fy + cy + 0.5);
      if (!(a >= 0 && b >= 0 && a < columns && b < rows)) continue;
      const plane = planes + ((<i32>b * width + <i32>a) << 4);
      const k = <f64>load<f32>(plane, 12);
      if (k === 0) continue;
      const sigma = NOISE_M + NOISE_PER_M2 * k * k;
      if (abs(qz - k) > max(gate * k, SIGMAS * sigma)) continue;
      const nx = <f64>load<f32>(plane);
      const ny = <f64>load<f32>(plane, 4);
      const nz = <f64>load<f32>(plane, 8);
      const off = nx * (qx - (a - cx) * ix * k) + ny * (qy - (b - cy) * iy * k) + nz * (qz - k);
      const weight = isCrowded === 0 ? calmWeight(off, sigma) : crowdedWeight(off, max(sigma, middle), k * k, seen);
      const sx = (qx - ox) * scale;
      const sy = (qy - oy) * scale;
      const sz = (qz - oz) * scale;
      const j0 = sy * nz - sz * ny;
      const j1 = sz * nx - sx * nz;
      const j2 = sx * ny - sy * nx;
      const w0 = weight * j0;
      const w1 = weight * j1;
      const w2 = weight * j2;
      const w3 = weight * nx;
      const w4 = weight * ny;
      const w5 = weight * nz;
      const n01 = pair(nx, ny);
      const n12 = pair(ny, nz);
      const back = f64x2.splat(-off);
      increase(sums, f64x2.mul(f64x2.splat(w0), pair(j0, j1)));
      increase(sums + 16, f64x2.mul(f64x2.splat(w0), pair(j2, nx)));
      increase(sums + 32, f64x2.mul(f64x2.splat(w0), n12));
      increase(sums + 48, f64x2.mul(f64x2.splat(w1), pair(j1, j2)));
      increase(sums + 64, f64x2.mul(f64x2.splat(w1), n01));
      increase(sums + 80, f64x2.mul(pair(w1, w2), pair(nz, j2)));
      increase(sums + 96, f64x2.mul(f64x2.splat(w2), n01));
      increase(sums + 112, f64x2.mul(pair(w2, w3), pair(nz, nx)));
      increase(sums + 128, f64x2.mul(f64x2.splat(w3), n12));
      increase(sums + 144, f64x2.mul(f64x2.splat(w4), n12));
      increase(sums + 160, f64x2.mul(pair(w5, w0), pair(nz, -off)));
      increase(sums + 176, f64x2.mul(pair(w1, w2), back));
      increase(sums + 192, f64x2.mul(pair(w3, w4), back));
      increase(sums + 208, pair(w5 * -off, 1));
      increase(sums + 224, pair(sx, sy));
      increase(sums + 240, pair(sz, sx * sx + sy * sy + sz * sz));
    }
  }
}

function increase(at: usize, by: v128): void {
  v128.store(at, f64x2.add(v128.load(at), by));
}

function pair(a: f64, b: f64): v128 {
  return f64x2.replace_lane(f64x2.splat(a), 1, b);
}

/** One coordinate of the moved point; `row` is the address of that row of the motion. */
function turned(row: usize, x: f64, y: f64, z: f64): f64 {
  return load<f64>(row) * x + load<f64>(row, 8) * y + load<f64>(row, 16) * z + load<f64>(row, 24);
}

function calmWeight(off: f64, sigma: f64): f64 {
  const far = abs(off);
  return far <= HUBER * sigma ? 1 / (sigma * sigma) : HUBER / (far * sigma);
}

function crowdedWeight(off: f64, sigma: f64, square: f64, seen: f64): f64 {
  const fit = FIT_M + FIT_PER_M2 * square;
  const near = fit * fit;
  const share = near / ((near + off * off) * sigma);
  return areaOf(square, seen) * share * share;
}

function areaOf(square: f64, seen: f64): f64 {
  return min<f64>(1, square * seen);
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
): void {
  const fx = load<f64>(values, 96);
  const fy = load<f64>(values, 104);
  const cx = load<f64>(values, 112);
  const cy = load<f64>(values, 120);
  const nearM = load<f64>(values, 128);
  const nearPerM2 = load<f64>(values, 136);
  const middle = load<f64>(values, 144);
  const ix = 1 / fx;
  const iy = 1 / fy;
  const seen = 1 / (middle * middle);
  const columns = <f64>width;
  const rows = <f64>height;
  let near: f64 = 0;
  let whole: f64 = 0;
  let nearArea: f64 = 0;
  let wholeArea: f64 = 0;
  for (let y = every >> 1; y < height; y += every) {
    const v = (<f64>y - cy) * iy;
    for (let x = every >> 1; x < width; x += every) {
      const d = <f64>load<f32>(z + ((y * width + x) << 2));
      if (d === 0) continue;
      const px = (<f64>x - cx) * ix * d;
      const py = v * d;
      const qz = turned(values + 64, px, py, d);
      if (!(qz > NEAREST)) continue;
      const qx = turned(values, px, py, d);
      const qy = turned(values + 32, px, py, d);
      const w = 1 / qz;
      const a = floor(qx * w * fx + cx + 0.5);
      const b = floor(qy * w * fy + cy + 0.5);
      if (!(a >= 0 && b >= 0 && a < columns && b < rows)) continue;
      const plane = planes + ((<i32>b * width + <i32>a) << 4);
      const k = <f64>load<f32>(plane, 12);
      if (k === 0) continue;
      const nx = <f64>load<f32>(plane);
      const ny = <f64>load<f32>(plane, 4);
      const nz = <f64>load<f32>(plane, 8);
      const side = nx * (qx - (a - cx) * ix * k) + ny * (qy - (b - cy) * iy * k);
      const off = side + nz * (qz - k);
      const area = areaOf(d * d, seen);
      whole++;
      wholeArea += area;
      if (abs(off) >= nearM + nearPerM2 * k * k) continue;
      near++;
      nearArea += area;
    }
  }
  store<f64>(counts, near);
  store<f64>(counts, whole, 8);
  store<f64>(counts, nearArea, 16);
  store<f64>(counts, wholeArea, 24);
}
