import { type DepthArray, image } from "../../sources/frame.ts";
import type { Twin } from "../stage.ts";
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

/** Floats of a plane: 1/depth at the column's centre, what it grows by with a pixel to the right and down, and its weight. */
const PLANE = 4;

/** What the passes work on, for frames of one shape. */
export interface PlaneScratch {
  /** For each column and 32 of its cells: a bit for each that is there, and the number of those before. */
  readonly index: Int32Array;
  /** For each column and cell that is there, `MOMENTS` words. */
  readonly moments: Int32Array;
  /** A column being built, dense. All 0 between calls. */
  readonly bins: Int32Array;
  /** Planes by column (one more on each side) and cell; only those that a pixel of this frame asked for mean anything. */
  readonly planes: Float32Array;
  /** By plane: the frame it was fitted for. */
  readonly fitted: Uint32Array;
  frame: number;
}

/** Allocates scratch. */
export function planeScratch({ columns, rows, masks, slots, axis }: PlaneShape): PlaneScratch {
  const planes = (columns + 2) * (rows + 2) * axis.cells;
  return {
    index: new Int32Array(columns * rows * masks * 2),
    moments: new Int32Array(columns * rows * slots * MOMENTS),
    bins: new Int32Array(axis.cells * MOMENTS),
    planes: new Float32Array(planes * PLANE),
    fitted: new Uint32Array(planes),
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

/**
 * Fits a plane to the pixels around a cell, by least squares, in 1/depth. The pixels of a cell come with 1 2 1 along x and y
 * and 1 4 6 4 1 along depth; what their cell calls r is turned into this cell's.
 * Leaves it at `planes[to]`, with weight 0 if there is no pixel.
 */
export function planeFit(
  column: number,
  row: number,
  cell: number,
  shape: PlaneShape,
  { index, moments }: Pick<PlaneScratch, "index" | "moments">,
  planes: Float32Array,
  to: number,
): void {
  const { space, columns, rows, masks, slots, centres, scale, squareShift } = shape;
  const square = 2 ** squareShift;
  const centre = centres[cell];
  const first = Math.max(0, cell - 2);
  const many = Math.min(cell + 2, centres.length - 1) - first + 1;
  const [mask, shift] = [first >> 5, first & 31];
  let [n, su, sv, sr, suu, suv, svv, srr, sur, svr] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y++) {
    for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x++) {
      const own = ((y * columns + x) * masks + mask) * 2;
      let bits = index[own] >>> shift;
      if (shift > 27 && mask + 1 < masks) bits |= index[own + 2] << (32 - shift);
      bits &= (1 << many) - 1;
      if (bits === 0) continue;
      let at = ((y * columns + x) * slots + index[own + 1] + bitCount(index[own] & ((1 << shift) - 1))) * MOMENTS;
      const tap = (y === row ? 2 : 1) * (x === column ? 2 : 1);
      // From the tile's corner to the centre of the column that the plane is of.
      const ox = (x - column) * space - (space - 1) / 2;
      const oy = (y - row) * space - (space - 1) / 2;
      for (; bits !== 0; bits &= bits - 1, at += MOMENTS) {
        const from = first + 31 - Math.clz32(bits & -bits);
        const k = tap * DEPTH_TAPS[from - cell + 2];
        // 1/depth is (1 − r/c)/c: so one cell's r is linear in another's.
        const ratio = centre / centres[from];
        const a = (ratio * ratio) / scale;
        const b = centre * (1 - ratio);
        const [c, u, v, r] = [moments[at], moments[at + 1], moments[at + 2], moments[at + 3]];
        const here = a * r + b * c;
        n += k * c;
        su += k * (u + ox * c);
        sv += k * (v + oy * c);
        sr += k * here;
        suu += k * (moments[at + 4] + ox * (2 * u + ox * c));
        suv += k * (moments[at + 5] + ox * v + oy * u + ox * oy * c);
        svv += k * (moments[at + 6] + oy * (2 * v + oy * c));
        srr += k * (a * a * square * moments[at + 7] + 2 * a * b * r + b * b * c);
        sur += k * (a * moments[at + 8] + b * u + ox * here);
        svr += k * (a * moments[at + 9] + b * v + oy * here);
      }
    }
  }
  if (n === 0) {
    planes[to + 3] = 0;
    return;
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
}

/**
 * Each pixel is a mean of what the eight planes around it say at its place: the nearer it lies to a plane's cell, the flatter
 * the plane's own pixels, and the nearer the pixel lies to it, the more it counts. Fits the planes as they are asked for.
 */
export function planeSlice(depth: DepthArray, shape: PlaneShape, scratch: PlaneScratch, filtered: DepthArray): void {
  const { width, height, space, inset, columns, positionOf, axis } = shape;
  const { planes, fitted } = scratch;
  const [pixels, out] = [depth.data, filtered.data];
  const { cells, farthest } = axis;
  const frame = ++scratch.frame;
  const across = cells;
  const down = cells * (columns + 2);
  const half = (space - 1) / 2;
  for (let y = 0; y < height; y++) {
    // The columns above and below, counted from the one before the first.
    const above = Math.floor((2 * y + 1 + space) / (2 * space));
    const fy = (2 * y + 1 + space) / (2 * space) - above;
    const dy = y - (above - 1) * space - half;
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      const own = pixels[at];
      const position = positionOf[own];
      if (position < 0) {
        out[at] = own;
        continue;
      }
      const place = (2 * (x + inset) + 1 + space) / (2 * space);
      const left = Math.floor(place);
      const fx = place - left;
      const dx = x + inset - (left - 1) * space - half;
      const fz = (position & 0xffff) / 65536;
      const near = (position >> 16) - 1;
      const sigma = sigmaAt(shape, own);
      const steep = own / (RESIDUAL * Math.SQRT2 * sigma);
      let sum = 0;
      let weight = 0;
      for (let k = 0; k < 8; k++) {
        const [i, j, cell] = [k & 1, (k >> 1) & 1, near + (k >> 2)];
        if (cell < 0 || cell >= cells) continue;
        const plane = (above + j) * down + (left + i) * across + cell;
        if (fitted[plane] !== frame) {
          fitted[plane] = frame;
          planeFit(left + i - 1, above + j - 1, cell, shape, scratch, planes, plane * PLANE);
        }
        const p = plane * PLANE;
        const inverse = planes[p] + planes[p + 1] * (dx - i * space) + planes[p + 2] * (dy - j * space);
        const off = (inverse * own - 1) * steep;
        const share = 1 / (1 + off * off);
        const w = (i ? fx : 1 - fx) * (j ? fy : 1 - fy) * (k > 3 ? fz : 1 - fz) * planes[p + 3] * share * share;
        sum += w * inverse;
        weight += w;
      }
      const reach = REACH * sigma;
      const mean = sum > 0 ? weight / sum : own;
      const held = Math.max(own - reach, 1, Math.min(own + reach, farthest, mean));
      out[at] = Math.floor(held + 0.5);
    }
  }
}

/** The filter as a stage of the CPU backend. Its output array is used again for the next frame. */
export function planeTwin(shape: PlaneShape): Twin {
  const { width, height } = shape;
  const scratch = planeScratch(shape);
  const filtered = image(new Uint16Array(width * height), [height, width]);
  return {
    run(frame) {
      planeBuild(frame.depth, shape, scratch);
      planeSlice(frame.depth, shape, scratch, filtered);
      frame.depth = filtered;
    },
  };
}
