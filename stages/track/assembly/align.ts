/**
 * The loops of stages/track/align.ts, four pixels at a time. `values` holds f32: the pose, 12; fx, fy, cx, cy, 1 / fx, 1 / fy; then the
 * numbers that each loop lists. A pixel without a partner adds 0. `rowSums` has room for the sums of a row, four lanes for each sum, and
 * behind them for a record for each four pixels of the row. Sums are whole numbers, so that their order does not matter.
 */
import {
  abs,
  add,
  all,
  choose,
  highHalves,
  less,
  lowHalves,
  more,
  mul,
  neg,
  reciprocal,
  sub,
  zipHigh,
  zipLow,
} from "../../core/assembly/vectors.ts";
import {
  AREA_UNITS,
  FIT_M,
  FIT_PER_M2,
  HUBER,
  MATRIX_UNITS,
  MOST_PULL,
  MOST_WEIGHT,
  NOISE_M,
  NOISE_PER_M2,
  PLACE_UNITS,
  ROUNDING,
  SIDE_UNITS,
  SIGMAS,
  SQUARE_UNITS,
  SUMS_BYTES,
  VALID,
} from "../layout.ts";
import { DEPTH, IS_INSIDE, offOf, PLACE, PLANES, project, QX, QY, QZ } from "./partners.ts";

/** `values` after the lens: the scene's centre, 3; its radius; the gate; the unit. */
export function accumulate(
  sums: usize,
  z: usize,
  planes: usize,
  values: usize,
  width: i32,
  height: i32,
  every: i32,
  isCrowded: i32,
  rowSums: usize,
): void {
  const places = rowSums + SUMS_BYTES;
  memory.fill(sums, 0, 8 * VALID);
  memory.fill(rowSums, 0, 16 * VALID);
  const one = all(1);
  const ox = v128.load_splat<f32>(values, 72);
  const oy = v128.load_splat<f32>(values, 76);
  const oz = v128.load_splat<f32>(values, 80);
  const scale = reciprocal(v128.load_splat<f32>(values, 84));
  const gate = v128.load_splat<f32>(values, 88);
  const unit = v128.load_splat<f32>(values, 92);
  const middle = sigmaOf(oz);
  const perMiddle = reciprocal(middle);
  const precision = mul(middle, middle);
  const seen = reciprocal(mul(oz, oz));
  const matrixUnits = mul(all(MATRIX_UNITS), unit);
  const sideUnits = mul(all(-SIDE_UNITS), unit);
  const placeUnits = mul(all(PLACE_UNITS), unit);
  const squareUnits = mul(all(SQUARE_UNITS), unit);
  let valid = 0;
  for (let y = every >> 1; y < height; y += every) {
    valid += project(places, z, planes, values, width, height, every, y);
    let place = places;
    for (let x = every >> 1; x < width; x += 4 * every, place += PLACE) {
      let isPartner = v128.load(place, IS_INSIDE);
      if (!v128.any_true(isPartner)) continue;
      const qx = v128.load(place, QX);
      const qy = v128.load(place, QY);
      const qz = v128.load(place, QZ);
      const p0 = v128.load(load<u32>(place, PLANES));
      const p1 = v128.load(load<u32>(place, PLANES + 4));
      const p2 = v128.load(load<u32>(place, PLANES + 8));
      const p3 = v128.load(load<u32>(place, PLANES + 12));
      const k = highHalves(zipHigh(p0, p1), zipHigh(p2, p3));
      const sigma = sigmaOf(k);
      const range = more(mul(gate, k), mul(all(SIGMAS), sigma));
      isPartner = v128.and(isPartner, v128.and(f32x4.ne(k, all(0)), f32x4.le(abs(sub(qz, k)), range)));
      if (!v128.any_true(isPartner)) continue;
      const nx = lowHalves(zipLow(p0, p1), zipLow(p2, p3));
      const ny = highHalves(zipLow(p0, p1), zipLow(p2, p3));
      const nz = lowHalves(zipHigh(p0, p1), zipHigh(p2, p3));
      const off = offOf(place, nx, ny, nz, k, values);
      let weight = isCrowded
        ? crowdedWeight(off, more(sigma, middle), middle, mul(k, k), seen)
        : less(all(MOST_WEIGHT), calmWeight(off, sigma, precision));
      const sx = mul(sub(qx, ox), scale);
      const sy = mul(sub(qy, oy), scale);
      const sz = mul(sub(qz, oz), scale);
      const square = add(add(mul(sx, sx), mul(sy, sy)), mul(sz, sz));
      isPartner = v128.and(isPartner, f32x4.le(mul(more(weight, one), more(square, one)), all(MOST_PULL)));
      weight = v128.and(weight, isPartner);
      const j0 = sub(mul(sy, nz), mul(sz, ny));
      const j1 = sub(mul(sz, nx), mul(sx, nz));
      const j2 = sub(mul(sx, ny), mul(sy, nx));
      const scaled = mul(weight, matrixUnits);
      const w0 = mul(scaled, j0);
      const w1 = mul(scaled, j1);
      const w2 = mul(scaled, j2);
      const w3 = mul(scaled, nx);
      const w4 = mul(scaled, ny);
      const w5 = mul(scaled, nz);
      const residual = mul(off, perMiddle);
      const pulled = mul(weight, residual);
      const pull = mul(pulled, sideUnits);
      increase(rowSums, mul(w0, j0));
      increase(rowSums + 16, mul(w0, j1));
      increase(rowSums + 32, mul(w0, j2));
      increase(rowSums + 48, mul(w0, nx));
      increase(rowSums + 64, mul(w0, ny));
      increase(rowSums + 80, mul(w0, nz));
      increase(rowSums + 96, mul(w1, j1));
      increase(rowSums + 112, mul(w1, j2));
      increase(rowSums + 128, mul(w1, nx));
      increase(rowSums + 144, mul(w1, ny));
      increase(rowSums + 160, mul(w1, nz));
      increase(rowSums + 176, mul(w2, j2));
      increase(rowSums + 192, mul(w2, nx));
      increase(rowSums + 208, mul(w2, ny));
      increase(rowSums + 224, mul(w2, nz));
      increase(rowSums + 240, mul(w3, nx));
      increase(rowSums + 256, mul(w3, ny));
      increase(rowSums + 272, mul(w3, nz));
      increase(rowSums + 288, mul(w4, ny));
      increase(rowSums + 304, mul(w4, nz));
      increase(rowSums + 320, mul(w5, nz));
      increase(rowSums + 336, mul(pull, j0));
      increase(rowSums + 352, mul(pull, j1));
      increase(rowSums + 368, mul(pull, j2));
      increase(rowSums + 384, mul(pull, nx));
      increase(rowSums + 400, mul(pull, ny));
      increase(rowSums + 416, mul(pull, nz));
      increase(rowSums + 432, v128.and(one, isPartner));
      increase(rowSums + 448, v128.and(mul(sx, placeUnits), isPartner));
      increase(rowSums + 464, v128.and(mul(sy, placeUnits), isPartner));
      increase(rowSums + 480, v128.and(mul(sz, placeUnits), isPartner));
      increase(rowSums + 496, v128.and(mul(square, squareUnits), isPartner));
      increase(rowSums + 512, neg(mul(less(all(HUBER * HUBER), mul(pulled, residual)), sideUnits)));
    }
    addRow(sums, rowSums);
  }
  store<f64>(sums, <f64>valid, 8 * VALID);
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
  rowSums: usize,
): void {
  const places = rowSums + SUMS_BYTES;
  const nearM = v128.load_splat<f32>(values, 72);
  const nearPerM2 = v128.load_splat<f32>(values, 76);
  const middle = v128.load_splat<f32>(values, 80);
  const seen = reciprocal(mul(middle, middle));
  let near = i32x4.splat(0);
  let some = i32x4.splat(0);
  let nearArea = i32x4.splat(0);
  let area = i32x4.splat(0);
  for (let y = every >> 1; y < height; y += every) {
    project(places, z, planes, values, width, height, every, y);
    let place = places;
    for (let x = every >> 1; x < width; x += 4 * every, place += PLACE) {
      let isSeen = v128.load(place, IS_INSIDE);
      if (!v128.any_true(isSeen)) continue;
      const p0 = v128.load(load<u32>(place, PLANES));
      const p1 = v128.load(load<u32>(place, PLANES + 4));
      const p2 = v128.load(load<u32>(place, PLANES + 8));
      const p3 = v128.load(load<u32>(place, PLANES + 12));
      const k = highHalves(zipHigh(p0, p1), zipHigh(p2, p3));
      isSeen = v128.and(isSeen, f32x4.ne(k, all(0)));
      const nx = lowHalves(zipLow(p0, p1), zipLow(p2, p3));
      const ny = highHalves(zipLow(p0, p1), zipLow(p2, p3));
      const nz = lowHalves(zipHigh(p0, p1), zipHigh(p2, p3));
      const off = offOf(place, nx, ny, nz, k, values);
      const isNear = v128.and(isSeen, f32x4.lt(abs(off), add(nearM, mul(mul(nearPerM2, k), k))));
      const d = v128.load(place, DEPTH);
      const own = nearest(mul(areaOf(mul(d, d), seen), all(AREA_UNITS)));
      // A mask is −1.
      near = i32x4.sub(near, isNear);
      some = i32x4.sub(some, isSeen);
      nearArea = i32x4.add(nearArea, v128.and(own, isNear));
      area = i32x4.add(area, v128.and(own, isSeen));
    }
  }
  store<f64>(counts, sumOf(near));
  store<f64>(counts, sumOf(some), 8);
  store<f64>(counts, sumOf(nearArea), 16);
  store<f64>(counts, sumOf(area), 24);
}

/** The whole numbers next to four f32 below 2^22. */
function nearest(x: v128): v128 {
  const rounding = all(ROUNDING);
  return i32x4.sub(add(x, rounding), rounding);
}

function increase(at: usize, x: v128): void {
  v128.store(at, i32x4.add(v128.load(at), nearest(x)));
}

/** Adds the sums of a row, and clears them. */
function addRow(sums: usize, rowSums: usize): void {
  for (let i = 0; i < VALID; i++) {
    const at = rowSums + (i << 4);
    store<f64>(sums + (i << 3), load<f64>(sums + (i << 3)) + sumOf(v128.load(at)));
    v128.store(at, i32x4.splat(0));
  }
}

function sumOf(four: v128): f64 {
  const two = i64x2.add(i64x2.extend_low_i32x4_s(four), i64x2.extend_high_i32x4_s(four));
  return <f64>(i64x2.extract_lane(two, 0) + i64x2.extract_lane(two, 1));
}

function sigmaOf(k: v128): v128 {
  return add(all(NOISE_M), mul(mul(all(NOISE_PER_M2), k), k));
}

function calmWeight(off: v128, sigma: v128, precision: v128): v128 {
  const far = abs(off);
  const isNear = f32x4.le(far, mul(all(HUBER), sigma));
  const pull = mul(precision, choose(isNear, all(1), all(HUBER)));
  return mul(pull, reciprocal(mul(choose(isNear, sigma, far), sigma)));
}

function crowdedWeight(off: v128, sigma: v128, middle: v128, square: v128, seen: v128): v128 {
  const fit = add(all(FIT_M), mul(all(FIT_PER_M2), square));
  const near = mul(fit, fit);
  const share = mul(mul(near, middle), reciprocal(mul(add(near, mul(off, off)), sigma)));
  return mul(mul(areaOf(square, seen), share), share);
}

function areaOf(square: v128, seen: v128): v128 {
  return less(all(1), mul(square, seen));
}
