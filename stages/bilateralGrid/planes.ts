import type { DepthArray } from "../../sources/frame.ts";
import { MOMENTS, type PlaneShape, sigmaAt } from "./planeGrid.ts";

/** How a plane counts whose pixels lie off it: half as far off as this share of sigma, to the fourth power. */
export const FLATNESS = 0.1;
/** How far off a plane a pixel may lie that takes its depth from it, in sigmas: `RESIDUAL`·√2 counts a quarter. */
export const RESIDUAL = 0.15;
/** Added to what the places of pixels vary by, in px²: a few pixels in a row tell no slope across it. */
export const RIDGE = 2e-4;
/** A plane counts half whose pixels vary so little in the direction that they vary least in, px². */
export const THIN = 0.05;
/** No pixel moves farther than this, in sigmas. */
export const REACH = 3;

/** Along depth; in the image, 1 2 1. */
const DEPTH_TAPS = [1, 4, 6, 4, 1] as const;

/** Numbers of a plane: 1/depth at the column's centre, what it grows by with a pixel to the right and down, and its weight. */
const PLANE = 4;
/** Moments that are not there to fill up: n, Σu, Σv, Σr, Σuu, Σuv, Σvv, Σrr, Σur, Σvr. */
const SUMS = 10;
/** Rows of columns whose blurred moments are kept: the three around a row, and one to make it a power of two. */
const KEPT = 4;

/** What the passes work on, for frames of one shape. */
export interface PlaneScratch {
  /** For each column and 32 of its cells: a bit for each that is there, and the number of those before. */
  readonly index: Int32Array;
  /** For each column and cell that is there, `MOMENTS` words. */
  readonly moments: Int32Array;
  /** A column being built, dense. All 0 between calls. */
  readonly bins: Int32Array;
  /** Blurred along depth, of `KEPT` rows of columns, by cell; and for which frame and row (see `stampOf`). */
  readonly blurred: Float64Array;
  readonly blurredFor: Float64Array;
  /** Planes of two rows of columns (one column more on each side), by cell; and for which frame and row. */
  readonly planes: Float64Array;
  readonly fittedFor: Float64Array;
  frame: number;
}

/** Allocates scratch. */
export function planeScratch({ columns, rows, masks, slots, axis }: PlaneShape): PlaneScratch {
  const kept = KEPT * columns * axis.cells;
  const planes = 2 * (columns + 2) * axis.cells;
  return {
    index: new Int32Array(columns * rows * masks * 2),
    moments: new Int32Array(columns * rows * slots * MOMENTS),
    bins: new Int32Array(axis.cells * MOMENTS),
    blurred: new Float64Array(kept * SUMS),
    blurredFor: new Float64Array(kept),
    planes: new Float64Array(planes * PLANE),
    fittedFor: new Float64Array(planes),
    frame: 0,
  };
}

/** Adds each pixel to the moments of the cell it lies in, tile by tile, and packs the cells of each tile. */
export function planeBuild(depth: DepthArray, shape: PlaneShape, { index, moments, bins }: PlaneScratch): void {
  const { width, height, space, inset, columns, rows, masks, slots, entryOf, squareShift } = shape;
  const pixels = depth.data;
  const words = 12;
  for (let row = 0; row < rows; row++) {
    const top = row * space;
    const bottom = Math.min(height, top + space);
    for (let column = 0; column < columns; column++) {
      const left = column * space - inset;
      const right = Math.min(width, left + space);
      const own = (row * columns + column) * masks * 2;
      index.fill(0, own, own + masks * 2);
      for (let y = top; y < bottom; y++) {
        const v = y - top;
        for (let x = Math.max(0, left); x < right; x++) {
          const entry = entryOf[pixels[y * width + x]];
          if (entry < 0) continue;
          const u = x - left;
          const r = (entry << 16) >> 16;
          const cell = entry >> 16;
          const at = cell * words;
          index[own + 2 * (cell >> 5)] |= 1 << (cell & 31);
          bins[at] += 1;
          bins[at + 1] += u;
          bins[at + 2] += v;
          bins[at + 3] += r;
          bins[at + 4] += u * u;
          bins[at + 5] += u * v;
          bins[at + 6] += v * v;
          bins[at + 7] += (r * r) >> squareShift;
          bins[at + 8] += u * r;
          bins[at + 9] += v * r;
        }
      }
      let count = 0;
      for (let mask = 0; mask < masks; mask++) {
        index[own + 2 * mask + 1] = count;
        for (let bits = index[own + 2 * mask]; bits !== 0; bits &= bits - 1) {
          const from = (32 * mask + 31 - Math.clz32(bits & -bits)) * words;
          const to = ((row * columns + column) * slots + count++) * words;
          for (let word = 0; word < words; word++) {
            moments[to + word] = bins[from + word];
            bins[from + word] = 0;
          }
        }
      }
    }
  }
}

/** Bits that are set. */
function bitCount(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** What is kept of a row of columns is of this frame if it has this stamp. Rows begin at −1. */
const stampOf = ({ rows }: PlaneShape, { frame }: PlaneScratch, row: number): number => frame * (rows + 2) + row + 2;

/**
 * Where in `blurred` are the moments of one column around a cell, seen from its tile's corner: those of the five cells around it,
 * 1 4 6 4 1, and what their cells call r turned into this one's.
 */
function planeBlur(column: number, row: number, cell: number, shape: PlaneShape, scratch: PlaneScratch): number {
  const { columns, masks, slots, centres, scale, squareShift } = shape;
  const { index, moments, blurred, blurredFor } = scratch;
  const kept = ((row % KEPT) * columns + column) * centres.length + cell;
  const to = kept * SUMS;
  const stamp = stampOf(shape, scratch, row);
  if (blurredFor[kept] === stamp) return to;
  blurredFor[kept] = stamp;
  blurred.fill(0, to, to + SUMS);
  const first = Math.max(0, cell - 2);
  const many = Math.min(cell + 2, centres.length - 1) - first + 1;
  const [mask, shift] = [first >> 5, first & 31];
  const own = ((row * columns + column) * masks + mask) * 2;
  let bits = index[own] >>> shift;
  if (shift > 27 && mask + 1 < masks) bits |= index[own + 2] << (32 - shift);
  bits &= (1 << many) - 1;
  if (bits === 0) return to;
  let at = ((row * columns + column) * slots + index[own + 1] + bitCount(index[own] & ((1 << shift) - 1))) * MOMENTS;
  for (; bits !== 0; bits &= bits - 1, at += MOMENTS) {
    const from = first + 31 - Math.clz32(bits & -bits);
    const k = DEPTH_TAPS[from - cell + 2];
    // 1/depth is (1 − r/c)/c: so one cell's r is linear in another's.
    const ratio = centres[cell] / centres[from];
    const a = (ratio * ratio) / scale;
    const b = centres[cell] * (1 - ratio);
    const [n, u, v, r] = [moments[at], moments[at + 1], moments[at + 2], moments[at + 3]];
    blurred[to] += k * n;
    blurred[to + 1] += k * u;
    blurred[to + 2] += k * v;
    blurred[to + 3] += k * (a * r + b * n);
    blurred[to + 4] += k * moments[at + 4];
    blurred[to + 5] += k * moments[at + 5];
    blurred[to + 6] += k * moments[at + 6];
    blurred[to + 7] += k * (a * a * 2 ** squareShift * moments[at + 7] + 2 * a * b * r + b * b * n);
    blurred[to + 8] += k * (a * moments[at + 8] + b * u);
    blurred[to + 9] += k * (a * moments[at + 9] + b * v);
  }
  return to;
}

/**
 * Fits a plane to the pixels around a cell, by least squares, in 1/depth: those of 3 × 3 columns, 1 2 1 along x and y.
 * Gives where in `planes` it is; its weight is 0 if there is no pixel.
 */
function planeFit(column: number, row: number, cell: number, shape: PlaneShape, scratch: PlaneScratch): number {
  const { space, columns, rows, centres } = shape;
  const { planes, fittedFor, blurred } = scratch;
  const kept = ((row & 1) * (columns + 2) + column + 1) * centres.length + cell;
  const to = kept * PLANE;
  const stamp = stampOf(shape, scratch, row);
  if (fittedFor[kept] === stamp) return to;
  fittedFor[kept] = stamp;
  const centre = centres[cell];
  let [n, su, sv, sr, suu, suv, svv, srr, sur, svr] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y++) {
    for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x++) {
      const at = planeBlur(x, y, cell, shape, scratch);
      const c = blurred[at];
      if (c === 0) continue;
      const k = (y === row ? 2 : 1) * (x === column ? 2 : 1);
      // From the tile's corner to the centre of the column that the plane is of.
      const ox = (x - column) * space - (space - 1) / 2;
      const oy = (y - row) * space - (space - 1) / 2;
      const u = blurred[at + 1];
      const v = blurred[at + 2];
      const r = blurred[at + 3];
      n += k * c;
      su += k * (u + ox * c);
      sv += k * (v + oy * c);
      sr += k * r;
      suu += k * (blurred[at + 4] + ox * (2 * u + ox * c));
      suv += k * (blurred[at + 5] + ox * v + oy * u + ox * oy * c);
      svv += k * (blurred[at + 6] + oy * (2 * v + oy * c));
      srr += k * blurred[at + 7];
      sur += k * (blurred[at + 8] + ox * r);
      svr += k * (blurred[at + 9] + oy * r);
    }
  }
  if (n === 0) {
    planes[to + 3] = 0;
    return to;
  }
  const [u, v, r] = [su / n, sv / n, sr / n];
  const uu = suu / n - u * u + RIDGE;
  const uv = suv / n - u * v;
  const vv = svv / n - v * v + RIDGE;
  const ur = sur / n - u * r;
  const vr = svr / n - v * r;
  const determinant = uu * vv - uv * uv;
  const gu = (ur * vv - vr * uv) / determinant;
  const gv = (vr * uu - ur * uv) / determinant;
  const off = Math.max(0, srr / n - r * r - gu * ur - gv * vr) / (FLATNESS * sigmaAt(shape, centre)) ** 2;
  const thin = determinant / (uu + vv);
  planes[to] = (1 - (r - gu * u - gv * v) / centre) / centre;
  planes[to + 1] = -gu / (centre * centre);
  planes[to + 2] = -gv / (centre * centre);
  planes[to + 3] = (n * thin) / (thin + THIN) / (1 + off) ** 4;
  return to;
}

/**
 * Each pixel is a mean of what the eight planes around it say at its place: the nearer it lies to a plane's cell, the flatter
 * the plane's own pixels, and the nearer the pixel lies to it, the more it counts. Fits the planes as they are asked for.
 */
export function planeSlice(depth: DepthArray, shape: PlaneShape, scratch: PlaneScratch, filtered: DepthArray): void {
  const { width, height, space, inset, columns, positionOf, axis, sigma, sigmaGrowth } = shape;
  const { planes } = scratch;
  const [pixels, out] = [depth.data, filtered.data];
  const { cells, farthest } = axis;
  scratch.frame++;
  const half = (space - 1) / 2;
  const steepest = 1 / (RESIDUAL * Math.SQRT2);
  const reach = REACH;
  const at = new Int32Array(8);
  for (let y = 0; y < height; y++) {
    // The columns above and below, counted from −1.
    const v = (2 * y + 1 + space) / (2 * space);
    const above = Math.floor(v);
    const fy = v - above;
    const dy = y - (above - 1) * space - half;
    for (let left = 0; left <= columns; left++) {
      const start = left * space - inset - (space + 1) / 2;
      // Neighbouring pixels mostly lie between the same eight cells, whose planes are asked for once for all of them.
      let held = -2;
      const end = Math.min(width, Math.ceil(start + space));
      for (let x = Math.max(0, Math.ceil(start)); x < end; x++) {
        const i = y * width + x;
        const own = pixels[i];
        const position = positionOf[own];
        if (position < 0) {
          out[i] = own;
          continue;
        }
        const near = (position >> 16) - 1;
        if (near !== held) {
          held = near;
          for (let k = 0; k < 8; k++) {
            const cell = near + (k >> 2);
            const isCell = cell >= 0 && cell < cells;
            at[k] = isCell ? planeFit(left - 1 + (k & 1), above - 1 + ((k >> 1) & 1), cell, shape, scratch) : -1;
          }
        }
        const dx = x + inset - (left - 1) * space - half;
        const fx = dx / space;
        const fz = (position & 0xffff) / 65536;
        const range = Math.max(1, sigma + sigmaGrowth * own * own);
        const steep = (own * steepest) / range;
        let sum = 0;
        let weight = 0;
        for (let k = 0; k < 8; k++) {
          const p = at[k];
          if (p < 0) continue;
          const inverse =
            planes[p] + planes[p + 1] * (k & 1 ? dx - space : dx) + planes[p + 2] * (k & 2 ? dy - space : dy);
          const off = (inverse * own - 1) * steep;
          const share = 1 / (1 + off * off);
          const w =
            (k & 1 ? fx : 1 - fx) * (k & 2 ? fy : 1 - fy) * (k & 4 ? fz : 1 - fz) * planes[p + 3] * share * share;
          sum += w * inverse;
          weight += w;
        }
        const mean = sum > 0 ? weight / sum : own;
        const most = Math.min(own + reach * range, farthest);
        out[i] = Math.floor(Math.max(own - reach * range, 1, Math.min(most, mean)) + 0.5);
      }
    }
  }
}
