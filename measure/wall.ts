import type { DepthFrame } from "../core/frame.ts";
import { leastSquares } from "../core/matrix.ts";
import type { PlaneFit } from "./plane.ts";
import { tolerance } from "./propose.ts";
import { HALF_WITHIN } from "./robust.ts";
import { type Rect, type Scene, sigmaAt } from "./scene.ts";
import { eachAround } from "./square.ts";

// What a flat wall that fills the picture shows of a camera: its lens, pixels, columns and rows, and parts that lie beside the plane.

/** What is wrong with single pixels and parts of the picture of a wall. */
export interface WallFaults {
  /** Pixels that always tell the same wrong depth. */
  readonly stuck: number;
  /** Columns and rows without depth between others that have it. */
  readonly deadLines: number;
  /** How far the worst part of the picture lies off the bent wall, mm, and how far parts usually do. */
  readonly bump: { readonly x: number; readonly y: number; readonly mm: number; readonly usualMm: number } | null;
  /** How much farther a wall seems at the corners than a plane, mm. */
  readonly bowlMm: number | null;
  /** How much a wall seems to bend as an S from one side to the other, mm. */
  readonly sidewaysMm: number | null;
}

/**
 * A stuck pixel is off by this share of its distance, has this many neighbours on the wall, and varies less than this share of the noise.
 */
const OFF = 0.02;
const BESIDE = 6;
const STILL = 0.2;
/** A line is dead if less than DEAD of its pixels have a depth, and more than ALIVE in both lines beside it. */
const DEAD = 0.1;
const ALIVE = 0.7;
/** More dead lines than this share of all are no damage of the sensor: something covers the wall, or takes its light. */
const MOST_DEAD = 0.01;
/**
 * Parts of the picture overlap by half, and are this share of its width wide; at least this share of one lies on the wall. Their middles
 * lie farther from the rim than RIM of the picture: makers state how good depth is for the middle 80 %, "80 % ROI".
 */
const PART = 0.125;
const MOST_OF = 0.5;
const RIM = 0.1;
/** The bend is fitted this many times again, without what is farther beside it than this many standard deviations. */
const ROUNDS = 2;
const BESIDE_WALL = 2.2;
/** The share of a cubic bend that is left when the plane that fits the bend best is taken out. */
const CUBIC = 0.4;

/** How much farther than a plane a pixel measures, along the axis, m. */
export const offOf = ({ z, rays }: Scene, { q }: Pick<PlaneFit, "q">, i: number): number =>
  z[i] - 1 / (q[0] * rays.x[i] + q[1] * rays.y[i] + q[2]);

/** Looks at all of the picture of a wall: `near` are pixels on it, bent or not, evenly spread. */
export function wallFaults(scene: Scene, plane: PlaneFit, near: readonly number[]): WallFaults {
  const { x, y } = scene.rays;
  const termsOf = (i: number) => {
    const round = x[i] ** 2 + y[i] ** 2;
    return [round, round * x[i], round * y[i], x[i], y[i], 1];
  };
  let rows = near.map(termsOf);
  let offs = near.map((i) => offOf(scene, plane, i));
  let fit = leastSquares(rows, offs);
  for (let round = 0; fit && round < ROUNDS; round++) {
    // A bump would bend the whole: what lies far beside the bent wall does not count.
    const bend = fit;
    const left = rows.map((row, k) => Math.abs(offs[k] - row.reduce((sum, term, n) => sum + term * bend[n], 0)));
    const cut = (BESIDE_WALL * Float64Array.from(left).sort()[left.length >> 1]) / HALF_WITHIN;
    [rows, offs] = [rows.filter((_, k) => left[k] < cut), offs.filter((_, k) => left[k] < cut)];
    fit = leastSquares(rows, offs) ?? fit;
  }
  const deadLines = deadIn(scene, 1) + deadIn(scene, scene.width);
  const stuck = stuckIn(scene, plane);
  if (!fit) return { stuck, deadLines, bump: null, bowlMm: null, sidewaysMm: null };
  const bend = fit;
  const bent = (i: number) => termsOf(i).reduce((sum, term, k) => sum + term * bend[k], 0);
  const most = (of: (row: readonly number[]) => number) =>
    rows.reduce((far, row) => (Math.abs(of(row)) > Math.abs(far) ? of(row) : far), 0);
  return {
    stuck,
    deadLines,
    bump: bumpIn(scene, plane, bent),
    bowlMm: 1000 * most((row) => bend[0] * row[0]),
    sidewaysMm: 1000 * CUBIC * most((row) => bend[1] * row[1] + bend[2] * row[2]),
  };
}

function stuckIn(scene: Scene, plane: PlaneFit): number {
  const { z, spread } = scene;
  let stuck = 0;
  for (let i = 0; i < z.length; i++) {
    if (z[i] === 0 || scene.frames < 3) continue;
    if (spread[i] > STILL * sigmaAt(scene, z[i])) continue;
    const off = Math.abs(offOf(scene, plane, i));
    if (off < Math.max(OFF * z[i], 2 * tolerance(scene, z[i]))) continue;
    let beside = 0;
    eachAround(i, scene, 1, (j) => {
      if (z[j] > 0 && Math.abs(offOf(scene, plane, j)) < tolerance(scene, z[j])) beside++;
    });
    if (beside >= BESIDE) stuck++;
  }
  return stuck;
}

/** How many lines of pixels, `step` apart, have no depth while those beside them have. */
function deadIn({ z, width, height }: Scene, step: number): number {
  const [lines, length, along] = step === 1 ? [width, height, width] : [height, width, 1];
  const shares = Float64Array.from({ length: lines }, (_, line) => {
    let seen = 0;
    for (let k = 0; k < length; k++) if (z[line * step + k * along] > 0) seen++;
    return seen / length;
  });
  const dead = shares.filter((share, k) => share < DEAD && shares[k - 2] > ALIVE && shares[k + 2] > ALIVE).length;
  return dead <= Math.max(1, MOST_DEAD * lines) ? dead : 0;
}

/** The part of the picture that is farthest beside the bent wall. */
function bumpIn(scene: Scene, plane: PlaneFit, bent: (i: number) => number): WallFaults["bump"] {
  const side = Math.max(2, Math.round(PART * scene.width));
  const parts: { readonly x: number; readonly y: number; readonly mm: number }[] = [];
  for (let y = 0; y + side <= scene.height; y += side >> 1)
    for (let x = 0; x + side <= scene.width; x += side >> 1) {
      let [sum, count, all] = [0, 0, 0];
      for (let v = y; v < y + side; v += 2)
        for (let u = x; u < x + side; u += 2) {
          const i = v * scene.width + u;
          all++;
          if (scene.z[i] === 0) continue;
          const off = offOf(scene, plane, i) - bent(i);
          if (Math.abs(off) > OFF * scene.z[i] + tolerance(scene, scene.z[i])) continue;
          sum += off;
          count++;
        }
      const [u, v] = [x + side / 2, y + side / 2];
      const off = Math.max(Math.abs(u / scene.width - 0.5), Math.abs(v / scene.height - 0.5));
      if (count > MOST_OF * all && off < 0.5 - RIM) parts.push({ x: u, y: v, mm: (1000 * sum) / count });
    }
  if (parts.length < 9) return null;
  const sizes = Float64Array.from(parts, ({ mm }) => Math.abs(mm)).sort();
  const worst = parts.reduce((far, part) => (Math.abs(part.mm) > Math.abs(far.mm) ? part : far));
  return { ...worst, usualMm: sizes[sizes.length >> 1] / HALF_WITHIN };
}

/**
 * How much of the noise whole columns or rows of a region share from frame to frame, 0 to 1. Light that another camera or a lamp adds comes
 * in stripes, while noise of single pixels cancels out along a line.
 */
export function stripesIn(scene: Scene, frames: readonly DepthFrame[], { x, y, width, height }: Rect): number | null {
  if (frames.length < 3) return null;
  let [shared, squares, count] = [0, 0, 0];
  for (const { depth, metresPerUnit } of frames) {
    const sums = [new Float64Array(width), new Float64Array(height)];
    const counts = [new Uint16Array(width), new Uint16Array(height)];
    let [own, pixels] = [0, 0];
    for (let v = 0; v < height; v++)
      for (let u = 0; u < width; u++) {
        const i = (y + v) * scene.width + x + u;
        if (depth.data[i] === 0 || scene.z[i] === 0) continue;
        const off = depth.data[i] * metresPerUnit - scene.z[i];
        own += off * off;
        pixels++;
        for (const [k, line] of [u, v].entries()) {
          sums[k][line] += off;
          counts[k][line]++;
        }
      }
    if (pixels === 0) continue;
    const varies = sums.map((list, k) => {
      const means = list.map((sum, line) => sum / Math.max(1, counts[k][line]));
      const middle = means.reduce((sum, mean) => sum + mean, 0) / means.length;
      return means.reduce((sum, mean) => sum + (mean - middle) ** 2, 0) / means.length;
    });
    shared += Math.max(...varies);
    squares += own / pixels;
    count++;
  }
  return count > 0 && squares > 0 ? Math.sqrt(shared / squares) : null;
}

/**
 * The root mean square distance from a plane of a region's single frames, m, over the pixels that lie on it in their mean. How far a frame
 * lies off as a whole is drift and no noise.
 */
export function noiseOn(
  scene: Scene,
  plane: Pick<PlaneFit, "q">,
  frames: readonly DepthFrame[],
  pixels: readonly number[],
) {
  const on = pixels.filter((i) => Math.abs(offOf(scene, plane, i)) < 2 * tolerance(scene, scene.z[i]));
  const { x, y } = scene.rays;
  const [a, b, c] = plane.q;
  const offset = 1 / Math.hypot(a, b, c);
  let [squares, count] = [0, 0];
  for (const { depth, metresPerUnit } of frames) {
    let [sum, own, seen] = [0, 0, 0];
    for (const i of on) {
      const z = depth.data[i] * metresPerUnit;
      if (z === 0) continue;
      const off = (z * (a * x[i] + b * y[i] + c) - 1) * offset;
      sum += off;
      own += off * off;
      seen++;
    }
    squares += own - (sum * sum) / Math.max(1, seen);
    count += seen;
  }
  return Math.sqrt(squares / Math.max(1, count));
}
