import { pointAt } from "../../core/geometry.ts";
import { compose, invert, type Rigid, rigid, turnOf } from "../../core/pose.ts";
import { eachPartner } from "./icp.ts";
import type { CodedLook, Turn } from "./look.ts";
import { NOISE_M, WORTH } from "./worth.ts";

/** A readout time counts if it follows from LEAST pairs of looks or more, and differs from 0 by SURE standard deviations. */
const LEAST = 6;
const SURE = 3;
/** A camera's turn between frames further apart than this, ms, says little of its turn while one of them was read out. */
const RECENT_MS = 100;
/** How far partners may be apart, m. */
const REACH_M = 0.05;
/** Unknowns of a pair: a shift, a turn and the readout time; the right side follows them. */
const UNKNOWNS = 7;
const WIDTH = 8;

/**
 * Learns from aligned looks in what time the camera reads its images out, from the first row to the last. A rolling shutter bends an image
 * by the camera's turn while its rows are read, and no motion aligns two looks that were bent differently: what is left over shows the
 * time. It is 0 where it cannot be told from 0, as with a global shutter, or for a camera that turns slowly.
 */
export class Shutter {
  /** What it learnt. */
  readonly sums = { count: 0, weight: 0, sum: 0, squares: 0 };

  /** The readout time, ms; below 0 where the last row comes first. */
  get readoutMs(): number {
    const { count, weight, sum } = this.sums;
    const mean = sum / weight;
    return count >= LEAST && Math.abs(mean) > SURE * this.sigmaMs ? mean : 0;
  }

  /** The readout time's standard deviation, ms: that by the residuals of the pairs, or by how much the pairs differ, whichever is more. */
  get sigmaMs(): number {
    const { count, weight, sum, squares } = this.sums;
    const mean = sum / weight;
    const scatter = Math.max(0, squares / weight - mean * mean) / (count - 1);
    return Math.sqrt(Math.max(scatter, 1 / weight));
  }

  /** Adds two looks that `motion` aligns if images take `takenMs` to be read out. Looks without the camera's turns tell nothing. */
  add(look: CodedLook, to: CodedLook, motion: Rigid, takenMs: number): void {
    if (!look.rate || !to.rate) return;
    const sums = new Float64Array(WIDTH * WIDTH);
    const count = gather(sums, look, to, motion, look.rate, to.rate);
    const noise = sums[WIDTH * WIDTH - 1] / count + NOISE_M ** 2;
    for (let k = 0; k < UNKNOWNS - 1; k++) {
      for (let r = k + 1; r < UNKNOWNS; r++) {
        const times = sums[WIDTH * k + r] / sums[(WIDTH + 1) * k];
        for (let c = r; c < WIDTH; c++) sums[WIDTH * r + c] -= times * sums[WIDTH * k + c];
      }
    }
    const [own, right] = sums.subarray((UNKNOWNS - 1) * (WIDTH + 1));
    const [weight, ms] = [(WORTH * own) / (count * noise), takenMs + right / own];
    if (!(weight > 0) || !Number.isFinite(ms)) return;
    this.sums.count++;
    this.sums.weight += weight;
    this.sums.sum += weight * ms;
    this.sums.squares += weight * ms * ms;
  }
}

/** A frame's time, ms, and the camera's pose then. */
export interface Tracked {
  readonly ms: number;
  readonly tracked: Rigid;
}

/** How the camera turns in a frame, in its axes, radians per ms; `undefined` where no frame came shortly before. */
export function rateOf(before: Tracked | undefined, { ms, tracked }: Tracked): Turn | undefined {
  const gap = ms - (before?.ms ?? Number.NaN);
  if (!before || !(gap > 0 && gap < RECENT_MS)) return undefined;
  const [x, y, z] = turnOf(compose(rigid(), invert(rigid(), before.tracked), tracked));
  return [x / gap, y / gap, z / gap];
}

/** Adds up the upper triangle of the normal equations of all partners, and returns how many partners there are. */
function gather(sums: Float64Array, look: CodedLook, to: CodedLook, m: Rigid, own: Turn, other: Turn): number {
  const { across, down, depths, lens } = look;
  const row = new Float64Array(WIDTH);
  let count = 0;
  eachPartner(look, to, m, REACH_M, [0, 0, 0], (known, off, pixel, place) => {
    const [x, y, z] = place;
    const line = Math.floor(pixel / across);
    const d = depths[pixel];
    const [px, py] = pointAt(lens, pixel - line * across, line, d);
    // How the place of the pixel, and that of its partner, change with the readout time.
    const [s, r] = [line / down - 0.5, ((y / z) * to.lens.fy + to.lens.cy) / to.down - 0.5];
    const [ux, uy, uz] = [
      s * (own[1] * d - own[2] * py),
      s * (own[2] * px - own[0] * d),
      s * (own[0] * py - own[1] * px),
    ];
    const gx = m[0] * ux + m[1] * uy + m[2] * uz - r * (other[1] * z - other[2] * y);
    const gy = m[4] * ux + m[5] * uy + m[6] * uz - r * (other[2] * x - other[0] * z);
    const gz = m[8] * ux + m[9] * uy + m[10] * uz - r * (other[0] * y - other[1] * x);
    row.set(known);
    row[UNKNOWNS - 1] = known[0] * gx + known[1] * gy + known[2] * gz;
    row[UNKNOWNS] = off;
    for (let a = 0; a < WIDTH; a++) for (let b = a; b < WIDTH; b++) sums[WIDTH * a + b] += row[a] * row[b];
    count++;
  });
  return count;
}
