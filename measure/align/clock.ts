import { LensModel, type PlanePoint } from "../../core/calibration/lens.ts";
import { compose, invert, type Rigid, rigid, turned } from "../../core/pose.ts";
import { cannotTell, type Reading, reading, TWO_SIDED_95 } from "../reading.ts";
import { type Motion, PART } from "./motion.ts";
import type { Stand } from "./pose.ts";

// By how much one camera's clock is late against another camera's. The places of both cameras are known. Where one camera sees a point of
// a moving thing, the other camera cannot look through that point at the same time, whichever sides of the thing they see. So the two
// clocks are shifted until the points of each camera stick out least from what the other camera sees moving.

/** A point that sticks out by this much, m, counts as seen through; a point that sticks out farther costs no more. */
const THROUGH_M = 0.05;
/** Depths of a pixel in two frames that differ by more are two surfaces, m. */
const ONE_M = 0.15;
/** At the right lag the cameras see through at most this share of the points; at lags outside of the trough, through this share more. */
const LOW = 0.1;
const ALSO = 0.12;
/** The recordings have to share at least this part of the shorter one, and a lag needs this share of the points that other lags have. */
const SHARED = 0.5;
const ENOUGH = 0.3;
/**
 * A surface faces a camera if the cosine between the ray and the direction into the surface is above this; cameras with fewer ms between
 * their frames show where it is in the meantime.
 */
const FACING = 0.25;
const SMOOTH_MS = 45;
/** The fewest points of each camera that have to lie where the other one would see whether they are there. */
const FEWEST = 500;
/** Lags at which costs are computed: up to this far from the best lag, to both sides. */
const AROUND_MS = 150;
const STEP_MS = 3;
/** The parabola through the costs is fitted up to this far from the best lag. */
const MIDDLE_MS = 30;
/** A thing's place between two frames is guessed: the guess's error, divided by the product of both cameras' frame periods, 1/ms. */
const GUESSED = 6e-4;
/** The largest error with which a clock is told, ms. */
const MOST_MS = 8;
/** The parts of the recording whose differences give the error. */
const PARTS = 10;

/** Those points of one camera's moving things that lie before what another camera sees standing, in that camera's small image. */
interface Asked {
  readonly from: Motion;
  readonly to: Motion;
  /** 1 if times of `from` are the first camera's, so that the clock's difference is taken off, else −1. */
  readonly sign: 1 | -1;
  readonly pixels: Int32Array;
  /** The points' depths there, m, and the width of a step of `Motion.within` there, m. */
  readonly depths: Float32Array;
  readonly wide: Float32Array;
  /** 1 for points whose surface faces the other camera, so that it sees the points themselves. */
  readonly faces: Uint8Array;
  /** The points of frame k of `from` are numbers `firsts[k]` to `firsts[k + 1]`. */
  readonly firsts: Uint32Array;
}

/** Finds where the other camera can look up each `every`th point of one camera, moved by `m`: points before what stands in its view. */
function askedOf(from: Motion, to: Motion, m: Rigid, sign: 1 | -1, every = 1): Asked {
  const { points } = from;
  const [lens, half] = [new LensModel(to.intrinsics), to.step >> 1];
  const [pixels, depths, faces]: number[][] = [[], [], []];
  const firsts = new Uint32Array(from.firsts.length);
  const pixel: PlanePoint = [0, 0];
  for (let k = 0; k + 1 < firsts.length; k++) {
    for (let n = 3 * every * Math.ceil(from.firsts[k] / every); n < 3 * from.firsts[k + 1]; n += 3 * every) {
      const [px, py, pz] = [points[n], points[n + 1], points[n + 2]];
      const [x, y, z] = [0, 4, 8].map((r) => m[r] * px + m[r + 1] * py + m[r + 2] * pz + m[r + 3]);
      if (z < 0.1) continue;
      lens.project(x / z, y / z, pixel);
      const [u, v] = [Math.round((pixel[0] - half) / to.step), Math.round((pixel[1] - half) / to.step)];
      if (!(u >= 0 && v >= 0 && u < to.across && v < to.down)) continue;
      const i = v * to.across + u;
      if (!(z < to.background[i] - 2 * to.reach[i])) continue;
      pixels.push(i);
      depths.push(z);
      let along = 0;
      for (let c = 0; c < 3; c++) along += from.inwards[n + c] * (m[c] * x + m[4 + c] * y + m[8 + c] * z);
      faces.push(along > FACING * Math.hypot(x, y, z) ? 1 : 0);
    }
    firsts[k + 1] = pixels.length;
  }
  const wide = Float32Array.from(depths, (z) => (z * to.step * PART) / to.intrinsics.fx);
  const all = { pixels: Int32Array.from(pixels), depths: Float32Array.from(depths), faces: Uint8Array.from(faces) };
  return { from, to, sign, ...all, wide, firsts };
}

/**
 * How far a point sticks out of what the other camera sees moving, m, at the time `part` of the way from that camera's frame j to the next
 * one. With `isBoth`, a point behind the surface seen there counts, too, by its distance, if its own surface faces the other camera.
 */
function sticksOut(asked: Asked, n: number, j: number, part: number, isBoth: boolean): number {
  const { to, pixels, depths, wide, faces } = asked;
  const now = pixels[n] + j * to.background.length;
  const next = part > 0 ? now + to.background.length : now;
  const within = (1 - part) * to.within[now] + part * to.within[next];
  if (within <= 0) return -within * wide[n];
  const [before, after] = [to.depths[now] * to.metresPerUnit, to.depths[next] * to.metresPerUnit];
  if (before === 0 && after === 0) return 0;
  const isOne = before > 0 && after > 0 && Math.abs(before - after) < ONE_M;
  const nearest = after === 0 || (before > 0 && part < 0.5) ? before : after;
  const by = (isOne ? (1 - part) * before + part * after : nearest) - depths[n];
  return isBoth && faces[n] > 0 ? Math.abs(by) : Math.max(0, by);
}

const medianStep = (times: Float64Array) =>
  Float64Array.from(times.subarray(1), (ms, k) => ms - times[k]).sort()[(times.length - 1) >> 1];

/** For each lag and each part of the recording, how many points were asked for, and the sum of what each costs, 0 to 1. */
interface Costs {
  readonly lags: Float64Array;
  readonly sums: Float64Array;
  readonly counts: Float64Array;
}

/** `isRough` takes the nearest frame instead of a guess between two frames, and counts the points through which the other camera looks. */
function costsOf(asked: readonly Asked[], lags: Float64Array, isRough: boolean): Costs {
  const [sums, counts] = [new Float64Array(PARTS * lags.length), new Float64Array(PARTS * lags.length)];
  for (const one of asked) {
    const { from, to, sign, firsts } = one;
    const gap = 2.2 * medianStep(to.times);
    // These points would pull the lag to one side if those of one camera alone counted.
    const isBoth = !isRough && Math.max(gap / 2.2, medianStep(from.times)) < SMOOTH_MS;
    for (const [l, lag] of lags.entries()) {
      let j = 0;
      for (let k = 0; k < from.times.length; k++) {
        const ms = from.times[k] - sign * lag;
        while (j + 2 < to.times.length && to.times[j + 1] <= ms) j++;
        const between = to.times[j + 1] - to.times[j];
        const part = (ms - to.times[j]) / between;
        if (!(part >= 0 && part <= 1 && between < gap)) continue;
        const at = Math.floor((k / from.times.length) * PARTS) * lags.length + l;
        const near = isRough && part >= 0.5 ? j + 1 : j;
        for (let n = firsts[k]; n < firsts[k + 1]; n++) {
          const out = Math.min(1, sticksOut(one, n, near, isRough ? 0 : part, isBoth) / THROUGH_M);
          sums[at] += isRough ? Math.floor(out) : out * out;
        }
        counts[at] += firsts[k + 1] - firsts[k];
      }
    }
  }
  return { lags, sums, counts };
}

/** The mean cost at each lag, of all parts but one. */
function meansOf({ lags, sums, counts }: Costs, without = -1): { costs: Float64Array; asked: Float64Array } {
  const [costs, asked] = [new Float64Array(lags.length), new Float64Array(lags.length)];
  for (let k = 0; k < sums.length; k++) {
    if (Math.floor(k / lags.length) === without) continue;
    costs[k % lags.length] += sums[k];
    asked[k % lags.length] += counts[k];
  }
  for (let l = 0; l < lags.length; l++) costs[l] /= asked[l];
  return { costs, asked };
}

/** The lag of the least cost, by a parabola through those around it, ms. */
function lowest({ lags }: Costs, costs: Float64Array): number {
  const least = costs.indexOf(Math.min(...costs));
  const [s, b] = [5, 3].map((length) => new Array<number>(length).fill(0));
  for (let l = 0; l < lags.length; l++) {
    const x = (lags[l] - lags[least]) / MIDDLE_MS;
    if (Math.abs(x) > 1 || Number.isNaN(costs[l])) continue;
    for (let p = 0; p < 5; p++) s[p] += x ** p;
    for (let p = 0; p < 3; p++) b[p] += costs[l] * x ** p;
  }
  // The normal equations of c + d · x + e · x², by Cramer's rule.
  const det = (p: readonly number[], q: readonly number[], r: readonly number[]) =>
    p[0] * (q[1] * r[2] - q[2] * r[1]) - q[0] * (p[1] * r[2] - p[2] * r[1]) + r[0] * (p[1] * q[2] - p[2] * q[1]);
  const [p, q, r] = [s.slice(0, 3), s.slice(1, 4), s.slice(2, 5)];
  return lags[least] - (MIDDLE_MS * det(p, b, r)) / (2 * det(p, q, b));
}

const evenly = (from: number, to: number, step: number) =>
  Float64Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, k) => from + k * step);

/** The lag at which the fewest points are seen through, and whether it is the only one. */
function troughOf(asked: readonly Asked[], { times: first }: Motion, { times: second }: Motion) {
  const [spanA, spanB] = [first, second].map((times) => times[times.length - 1] - times[0]);
  const [start, shared] = [first[0] - second[0], SHARED * Math.min(spanA, spanB)];
  const step = Math.min(medianStep(first), medianStep(second));
  const lags = evenly(start - spanB + shared, start + spanA - shared, step);
  const { costs, asked: counts } = meansOf(costsOf(asked, lags, true));
  const most = Math.max(...counts);
  const shares = costs.map((cost, l) => (counts[l] >= ENOUGH * most ? cost : Number.POSITIVE_INFINITY));
  const least = Math.min(...shares);
  const best = shares.indexOf(least);
  const isHigh = (share: number) => share > least + ALSO;
  const left = shares.subarray(0, best).findLastIndex(isHigh);
  const right = shares.findIndex((share, l) => l > best && isHigh(share));
  // A lag with too few points bounds nothing.
  const isBound = left >= 0 && right >= 0 && Number.isFinite(shares[left] + shares[right]);
  return {
    lag: lags[best],
    least,
    isBound,
    isOnly: shares.every((share, l) => (l > left && l < right) || isHigh(share)),
  };
}

/** A place is tested with about ASKED points of each camera; at a wrong place the other camera sees through the share WRONG of them. */
const ASKED = 1500;
const WRONG = 0.2;

/**
 * Tells by what moves before both cameras whether `bToA`, which maps the second camera's points to the first, may be right: true if things
 * move alike there, false if they do not, `undefined` if too little moves where both look. A motion that repeats is enough for this.
 */
export function movesAlike(a: Motion, b: Motion, bToA: Rigid): boolean | undefined {
  const [first, second] = [a, b].map(({ points }) => Math.max(1, Math.floor(points.length / 3 / ASKED)));
  const asked = [askedOf(a, b, invert(rigid(), bToA), 1, first), askedOf(b, a, bToA, -1, second)];
  const counts = [first * asked[0].pixels.length, second * asked[1].pixels.length];
  if (Math.max(...counts) < FEWEST || Math.min(a.times.length, b.times.length) < 2) return undefined;
  const { least, isBound } = troughOf(asked, a, b);
  if (!(least < WRONG)) return false;
  return least < LOW && isBound && Math.min(...counts) >= FEWEST ? true : undefined;
}

/** The variance of the lag that the place's variance causes, ms²: the lag is found again with the place moved by one sigma per axis. */
function varianceByPlace(a: Motion, b: Motion, bToA: Rigid, covariance: readonly number[], lag: number): number {
  const lags = evenly(lag - MIDDLE_MS, lag + MIDDLE_MS, MIDDLE_MS / 2);
  const lagAt = (m: Rigid) => {
    const costs = costsOf([askedOf(a, b, invert(rigid(), m), 1), askedOf(b, a, m, -1)], lags, false);
    return lowest(costs, meansOf(costs).costs);
  };
  const unmoved = lagAt(bToA);
  const slopes = [0, 1, 2, 3, 4, 5].map((axis) => {
    const sigma = Math.sqrt(covariance[7 * axis]);
    if (!(sigma > 0)) return 0;
    const [rx, ry, rz, ...shift] = [3, 4, 5, 0, 1, 2].map((k) => (k === axis ? sigma : 0));
    const moved = compose(rigid(), turned([rx, ry, rz]), bToA);
    for (const [k, by] of shift.entries()) moved[4 * k + 3] = bToA[4 * k + 3] + by;
    return (lagAt(moved) - unmoved) / sigma;
  });
  return covariance.reduce((sum, entry, i) => sum + entry * slopes[Math.floor(i / 6)] * slopes[i % 6], 0);
}

/**
 * Tells what has to be added to a camera's times to get those of another camera's clock, ms, from what both see move; `bToA` maps points of
 * the one to the other, and `covariance` is that of a shift (m) and a turn of b in a's axes. The error is the jackknife's over the parts of
 * the recording, together with the error that the place brings.
 */
export function clockBetween(a: Motion, b: Motion, bToA: Rigid, covariance: readonly number[] = []): Reading {
  const no = (why: string) => cannotTell("ms", why);
  if ([a, b].some(({ points }) => points.length < 3 * FEWEST))
    return no("nothing moves before one of the cameras, or hardly anything: let something move where both look");
  const asked = [askedOf(a, b, invert(rigid(), bToA), 1), askedOf(b, a, bToA, -1)];
  if (asked.some(({ pixels }) => pixels.length < FEWEST))
    return no("what moves before one camera is not where the other one looks: let something move where both look");
  const { lag, least, isBound, isOnly } = troughOf(asked, a, b);
  if (!(least < LOW)) return no("what moves before one camera does not move alike before the other");
  const costs = costsOf(asked, evenly(lag - AROUND_MS, lag + AROUND_MS, STEP_MS), false);
  const others = Array.from({ length: PARTS }, (_, part) => lowest(costs, meansOf(costs, part).costs));
  // NaN: all that moves does so in one part.
  if (!isBound || others.some(Number.isNaN))
    return no("too little moves while both record: record longer, or let something move faster");
  if (!isOnly) return no("the motion repeats, so several times fit: let something move that does not");
  const middle = others.reduce((sum, one) => sum + one, 0) / PARTS;
  const squares = others.reduce((sum, one) => sum + (one - middle) ** 2, 0);
  const guessed = GUESSED * medianStep(a.times) * medianStep(b.times);
  const own = lowest(costs, meansOf(costs).costs);
  const byPlace = varianceByPlace(a, b, bToA, covariance, own);
  const error = Math.sqrt(((PARTS - 1) / PARTS) * squares + guessed ** 2 + Math.max(0, byPlace));
  const plusMinus = TWO_SIDED_95 * error;
  if (!(plusMinus <= MOST_MS))
    return no(
      `the clock would be good to ± ${plusMinus.toFixed(0)} ms alone: record longer or more frames a second, or let something move faster`,
    );
  return reading(own, error, "ms");
}

/** Where a camera stands in the first one's axes, and the `partner` with which it shares a view; `fit`: its place seen from the partner. */
interface Standing extends Stand {
  readonly partner: number | null;
  readonly fit?: Stand;
}

/**
 * Tells for each camera what has to be added to its times to get times of the first camera's clock, ms. Where these two cameras see nothing
 * move together, the camera's partner stands in between. `placed` is in the order in which places were found.
 */
export function clocksOf(
  motions: readonly (Motion | undefined)[],
  placed: ReadonlyMap<number, Standing>,
): ReadonlyMap<number, Reading> {
  const told = new Map([[0, reading(0, 0, "ms")]]);
  for (const [k, { motion, covariance, partner, fit }] of placed) {
    if (k === 0) continue;
    for (const other of new Set([0, partner ?? 0])) {
      const [a, b, there, before] = [motions[other], motions[k], placed.get(other), told.get(other)];
      if (!a || !b || !there || !before || before.value === null) continue;
      const unsure = other === 0 ? covariance : fit?.covariance;
      const own = clockBetween(a, b, compose(rigid(), invert(rigid(), there.motion), motion), unsure);
      const error = Math.hypot(before.plusMinus ?? 0, own.plusMinus ?? 0) / TWO_SIDED_95;
      const sum = own.value === null ? own : reading(before.value + own.value, error, "ms");
      if (!told.has(k) || sum.value !== null) told.set(k, sum);
      if (sum.value !== null) break;
    }
  }
  return told;
}
