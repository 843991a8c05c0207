import { type DepthFrame, image, sameShape } from "../core/frame.ts";
import type { Checked } from "./checked.ts";
import { ColourEdges } from "./colourEdges.ts";
import { driftOver, faultsOf, notedFaults, unknownOf } from "./faults.ts";
import { findPlane } from "./find.ts";
import { MODELS, type Model } from "./models.ts";
import { type Noted, notedIn } from "./noted.ts";
import type { PlaneReading } from "./planeReading.ts";
import { type Known, TOOL_FRAMES, type ToolMetrics, temporalNoise, toolMetrics } from "./quality.ts";
import { readRegion } from "./region.ts";
import { rimOf } from "./rim.ts";
import { pixelsIn, type Rect, type Scene } from "./scene.ts";
import { Standing } from "./standing.ts";
import { noiseOn, offOf, stripesIn, wallFaults } from "./wall.ts";

/** The known facts about the camera, and the wall's place. */
export interface CheckOptions extends Known {
  readonly region?: Rect | undefined;
  readonly model?: Model | undefined;
}

/** About the most pixels of the wall that are looked at. */
const MOST_PIXELS = 10_000;
/** How many distances and times of a camera are kept while it is checked, and how many of them are handed out. */
const KEPT = 18_000;
const PLOTTED = 400;

/** A part of the image is a wall if at least this share of it lies on one plane, with an rms below this share of its distance. */
const WALL = 0.8;
const FLAT = 0.02;
/** A camera stands if less than this share of the frames saw something move. */
const MOVES = 0.1;
/** A wall fills the picture if this share of the pixels lies on or near one plane. */
const WHOLE = 0.6;
/** The region that is checked if the caller names none: the middle 40 % of the image, as in the tool. */
export const middleOf = (width: number, height: number): Rect => ({
  x: Math.round(0.3 * width),
  y: Math.round(0.3 * height),
  width: Math.max(1, Math.round(0.4 * width)),
  height: Math.max(1, Math.round(0.4 * height)),
});

/** Takes the frames of a camera that looks at a flat wall, one by one, and tells how good they are and what is wrong. */
export class Checker {
  readonly #scene = new Standing();
  readonly #last: { readonly frame: DepthFrame; metrics?: ToolMetrics }[] = [];
  readonly #times: { readonly ms: number; readonly index: number }[] = [];
  /** The times of the frames that were taken, since a recording that plays again shows nothing new. */
  #taken = new Set<number>();
  readonly #middles: number[] = [];
  readonly #edges = new ColourEdges();
  #frames = 0;
  /** How many frames saw something else than the frames before, and how many middles are older than the last of them. */
  #moved = 0;
  #before = 0;
  #region: Rect | undefined;
  #noted: Noted = { laserMw: null, exposureUs: null, gain: null };

  constructor(readonly options: CheckOptions = {}) {
    this.#region = options.region;
  }

  /** Takes the next frame. */
  add(given: DepthFrame): void {
    const { width, height } = given.intrinsics;
    this.#region ??= middleOf(width, height);
    if (this.#taken.has(given.timestamp)) return;
    this.#taken.add(given.timestamp);
    this.#frames++;
    if (given.metadata) this.#noted = notedIn(given.metadata, this.#noted);
    this.#times.push({ ms: given.timestamp, index: given.index });
    const [before] = this.#last;
    if (before && !sameShape(before.frame, given)) return;
    // The source may use the frame's memory again for later frames.
    const frame = { ...given, depth: image(given.depth.data.slice(), [height, width]) };
    this.#scene.add(frame);
    if (this.#scene.moving > 0) {
      this.#moved++;
      // The mean begins anew, and what the frames before saw elsewhere is no noise.
      this.#last.length = 0;
      this.#before = this.#middles.length;
    }
    this.#edges.add(frame);
    const middle = middleDepth(frame, this.#region);
    if (middle > 0) this.#middles.push(middle * frame.metresPerUnit * 1000);
    this.#last.push({ frame });
    if (this.#last.length > TOOL_FRAMES) this.#last.shift();
    if (this.#middles.length > KEPT) this.#before = Math.max(0, this.#before - KEPT / 2);
    for (const list of [this.#times, this.#middles]) if (list.length > KEPT) list.splice(0, KEPT / 2);
    if (this.#taken.size > KEPT) this.#taken = new Set(this.#times.map(({ ms }) => ms));
  }

  /** The findings; `undefined` before the first frame. */
  result(): Checked | undefined {
    const [scene, region] = [this.#scene.build(), this.#region];
    if (!scene || !region) return undefined;
    const tool = meanOf(this.#last.map((one) => (one.metrics ??= toolMetrics(one.frame, region, this.options))));
    const frames = this.#last.map(({ frame }) => frame);
    const { plane } = readRegion(scene, region);
    const { model } = this.options;
    const distanceMm = plane?.distance.value ?? 0;
    const { noise } = scene;
    const stepMm = noise?.stepMm(distanceMm / 1000) ?? 0;
    const seen = this.#middles.slice(this.#before);
    const [first, last] = [this.#times.at(-seen.length), this.#times.at(-1)].map((time) => time?.ms ?? 0);
    // From the middle of the first quarter to that of the last.
    // Where nobody told times, a change may as well have taken minutes.
    const isTimed = last > first && !frames.some(({ assumed }) => assumed?.includes("rate"));
    const seconds = isTimed ? (0.75 * (last - first)) / 1000 : Number.POSITIVE_INFINITY;
    const driftMm = driftOf(seen);
    const moves = this.#moved > MOVES * this.#frames || driftOver(driftMm, seconds, distanceMm, stepMm) === "fast";
    // The tool's rms counts what stands before the wall, too.
    const rmsMm = plane && plane.share >= WALL && !moves ? 1000 * noiseIn(scene, region, plane, frames) : Number.NaN;
    const flat = plane && rmsMm < FLAT * distanceMm ? plane : null;
    const wall = flat && {
      distanceMm,
      rmsMm,
      tiltDeg: flat.tilt.value ?? 0,
      usualRmsMm: model ? MODELS[model].rmsMm(distanceMm / 1000, scene.intrinsics.fx) : null,
    };
    const every = Math.max(1, Math.ceil(this.#middles.length / PLOTTED));
    const bent = flat && bentWall(scene);
    const shown = bent && wallFaults(scene, bent.plane, bent.near);
    const found = {
      frames: this.#frames,
      region,
      validShare: scene.validShare,
      tool,
      wall,
      ...pace(this.#times),
      moves,
      temporal: temporalNoise(frames, region),
      moved: this.#moved,
      driftMm,
      bowlMm: shown?.bowlMm ?? null,
      sidewaysMm: shown?.sidewaysMm ?? null,
      bump: shown?.bump ?? null,
      stuck: shown?.stuck ?? null,
      deadLines: shown?.deadLines ?? null,
      stripes: flat && stripesIn(scene, frames, region),
      colour: this.#edges.result(),
      rim: bent && rimOf(this.#scene, scene, region),
      grain: noise?.grain ?? null,
      noise: noiseAt(scene),
      ...this.#noted,
      distancesMm: this.#middles.filter((_, k) => k % every === 0),
    };
    const faults = faultsOf(found, model, noise?.sigmaMm(distanceMm / 1000) ?? 0, stepMm);
    return {
      ...found,
      faults: [...faults, ...notedFaults(found, model, faults)],
      unknown: unknownOf(found, this.options),
    };
  }
}

/** The noise at the least and the greatest distance that many pixels see. */
function noiseAt({ noise }: Scene): Checked["noise"] {
  if (!noise) return [];
  const { nearM, farM } = noise;
  return [...new Set([nearM, farM])].map((atM) => ({ atM, sigmaMm: noise.seenMm(atM), stepMm: noise.stepMm(atM) }));
}

function meanOf(all: readonly ToolMetrics[]): ToolMetrics {
  const mean = (name: keyof ToolMetrics) => {
    const values = all.flatMap((one) => one[name] ?? []);
    return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
  };
  const plane = { planeFitRmsMm: mean("planeFitRmsMm"), planeFitRmsPercent: mean("planeFitRmsPercent") };
  const rest = { subpixelRmsPx: mean("subpixelRmsPx"), zAccuracyPercent: mean("zAccuracyPercent") };
  return { fillRate: mean("fillRate") ?? 0, ...plane, ...rest };
}

/** The rms of single frames' pixels of the region's wall, m. */
function noiseIn(scene: Scene, region: Rect, { normal, distance }: PlaneReading, frames: readonly DepthFrame[]) {
  const [a, b, c] = normal.map((value) => (-1000 * value) / (distance.value ?? 0));
  return noiseOn(scene, { q: [a, b, c] }, frames, pixelsIn(scene, region, MOST_PIXELS).pixels);
}

/** A camera keeps a rate if IN_A_ROW frames follow each other at times that differ by less than the share ALIKE. */
const IN_A_ROW = 6;
const ALIKE = 0.2;
/** The camera has given up such a rate if the time between most frames is at least this many times as long. */
const SLOWER = 1.6;

/**
 * Missing and late frames, by the median time between two, or by the time between two while a faster rate held. A frame that a filter
 * left out is not missing: its index is skipped.
 */
function pace(times: readonly { readonly ms: number; readonly index: number }[]): Pick<Checked, "missing" | "late"> {
  const gaps = times.slice(1).flatMap(({ ms, index }, k) => {
    const steps = Math.max(1, index - times[k].index);
    // A recording that begins again has no gap.
    return ms > times[k].ms && index > times[k].index ? [{ ms: ms - times[k].ms, steps }] : [];
  });
  const each = gaps.map(({ ms, steps }) => ms / steps);
  const middle = Float64Array.from(each).sort()[gaps.length >> 1];
  if (!(middle > 0)) return { missing: 0, late: 0 };
  const held = each.flatMap((_, k) => {
    const run = each.slice(k, k + IN_A_ROW);
    return run.length === IN_A_ROW && Math.max(...run) < (1 + ALIKE) * Math.min(...run) ? [Math.max(...run)] : [];
  });
  const fastest = held.reduce((least, ms) => Math.min(least, ms), middle);
  const usual = middle > SLOWER * fastest ? fastest : middle;
  const lost = gaps.reduce((sum, { ms, steps }) => sum + Math.max(0, Math.round(ms / usual) - steps), 0);
  const late = gaps.filter(({ ms, steps }) => ms > (steps + 0.3) * usual).length;
  return { missing: lost / (lost + times.length), late: late / gaps.length };
}

/** The median depth of a region, by every third column and row. */
function middleDepth({ depth: { data, shape } }: DepthFrame, { x, y, width, height }: Rect): number {
  const values: number[] = [];
  for (let v = y; v < y + height; v += 3)
    for (let u = x; u < x + width; u += 3) if (data[v * shape[1] + u] > 0) values.push(data[v * shape[1] + u]);
  const sorted = Float64Array.from(values).sort();
  return sorted.length > 0 ? sorted[sorted.length >> 1] : 0;
}

function driftOf(middles: readonly number[]): number | null {
  const quarter = middles.length >> 2;
  if (quarter < 2) return null;
  const mean = (part: readonly number[]) => part.reduce((sum, value) => sum + value, 0) / part.length;
  return mean(middles.slice(-quarter)) - mean(middles.slice(0, quarter));
}

/** Pixels within this share of the distance from the plane may be the wall, bent. */
const BENT = 0.08;

/** A wall that fills the picture, bent or not: its pixels, and the plane next to it. */
function bentWall(scene: Scene) {
  const { pixels } = pixelsIn(scene, { x: 0, y: 0, width: scene.width, height: scene.height }, 20_000);
  const plane = findPlane(scene, pixels);
  if (!plane) return null;
  const near = pixels.filter((i) => Math.abs(offOf(scene, plane, i)) < BENT * scene.z[i]);
  return near.length < WHOLE * pixels.length || pixels.length < 1000 ? null : { near, plane };
}
