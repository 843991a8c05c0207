import { type DepthFrame, image, sameShape } from "../core/frame.ts";
import { leastSquares } from "../core/matrix.ts";
import type { Checked } from "./checked.ts";
import { ColourEdges } from "./colourEdges.ts";
import { faultsOf, notedFaults } from "./faults.ts";
import { findPlane } from "./find.ts";
import { MODELS, type Model } from "./models.ts";
import { type Noted, notedIn } from "./noted.ts";
import type { PlaneFit } from "./plane.ts";
import { type Known, TOOL_FRAMES, type ToolMetrics, temporalNoise, toolMetrics } from "./quality.ts";
import { readRegion } from "./region.ts";
import { rimOf } from "./rim.ts";
import { pixelsIn, type Rect, raysOf, type Scene } from "./scene.ts";
import { Standing } from "./standing.ts";

/** The known facts about the camera, and the wall's place. */
export interface CheckOptions extends Known {
  readonly region?: Rect | undefined;
  readonly model?: Model | undefined;
}

/** How many distances and times of a camera are kept while it is checked, and how many of them are handed out. */
const [KEPT, PLOTTED] = [18_000, 400];

/** A part of the image is a wall if at least this share of it lies on one plane. */
const WALL = 0.8;
/** The picture is taken up by a wall if this share lies on or near one plane. */
const WHOLE = 0.6;
/** The region that is checked if nobody names one: the middle 40 % of the image, as in the tool. */
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
    // The source may use its memory for later frames.
    const frame = { ...given, depth: image(given.depth.data.slice(), [height, width]) };
    this.#scene.add(frame);
    this.#edges.add(frame);
    const middle = middleDepth(frame, this.#region);
    if (middle > 0) this.#middles.push(middle * frame.metresPerUnit * 1000);
    this.#last.push({ frame });
    if (this.#last.length > TOOL_FRAMES) this.#last.shift();
    for (const list of [this.#times, this.#middles]) if (list.length > KEPT) list.splice(0, KEPT / 2);
    if (this.#taken.size > KEPT) this.#taken = new Set(this.#times.map(({ ms }) => ms));
  }

  /** The findings; `undefined` before the first frame. */
  result(): Checked | undefined {
    const [scene, region] = [this.#scene.build(), this.#region];
    if (!scene || !region) return undefined;
    const tool = meanOf(this.#last.map((one) => (one.metrics ??= toolMetrics(one.frame, region, this.options))));
    const { plane } = readRegion(scene, region);
    const { model } = this.options;
    const flat = plane && plane.share >= WALL ? plane : null;
    const distanceMm = flat?.distance.value ?? 0;
    const wall = flat && {
      distanceMm,
      tiltDeg: flat.tilt.value ?? 0,
      rmsMm: tool.planeFitRmsMm ?? 0,
      usualRmsMm: model ? MODELS[model].rmsMm(distanceMm / 1000, scene.intrinsics.fx) : null,
    };
    const every = Math.max(1, Math.ceil(this.#middles.length / PLOTTED));
    const bent = bentWall(scene);
    const { noise } = scene;
    const found = {
      frames: this.#frames,
      region,
      validShare: scene.validShare,
      tool,
      wall,
      ...pace(this.#times),
      temporal: temporalNoise(
        this.#last.map(({ frame }) => frame),
        region,
      ),
      driftMm: driftOf(this.#middles),
      bowlMm: bent && bowlOf(scene, bent),
      colour: this.#edges.result(),
      rim: bent && rimOf(this.#scene, scene, region),
      grain: noise?.grain ?? null,
      noise: noiseAt(scene),
      ...this.#noted,
      distancesMm: this.#middles.filter((_, k) => k % every === 0),
    };
    const faults = faultsOf(found, model, noise?.sigmaMm(distanceMm / 1000) ?? 0);
    return { ...found, faults: [...faults, ...notedFaults(found, model, faults)] };
  }
}

/** The noise at the least and the greatest distance that many pixels see. */
function noiseAt({ noise }: Scene): Checked["noise"] {
  if (!noise) return [];
  const { nearM, farM } = noise;
  return [...new Set([nearM, farM])].map((atM) => ({ atM, sigmaMm: noise.sigmaMm(atM), stepMm: noise.stepMm(atM) }));
}

function meanOf(all: readonly ToolMetrics[]): ToolMetrics {
  const mean = (name: keyof ToolMetrics) => {
    const values = all.flatMap((one) => one[name] ?? []);
    return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
  };
  return {
    ...{
      fillRate: mean("fillRate") ?? 0,
      planeFitRmsMm: mean("planeFitRmsMm"),
      planeFitRmsPercent: mean("planeFitRmsPercent"),
    },
    subpixelRmsPx: mean("subpixelRmsPx"),
    zAccuracyPercent: mean("zAccuracyPercent"),
  };
}

/** Missing and late frames, by the median time between two. Indices that skip a number tell that a filter left a frame out: not missing. */
function pace(times: readonly { readonly ms: number; readonly index: number }[]): { missing: number; late: number } {
  const gaps = times.slice(1).flatMap(({ ms, index }, k) => {
    const steps = Math.max(1, index - times[k].index);
    // A recording that begins again has no gap.
    return ms > times[k].ms && index > times[k].index ? [{ ms: ms - times[k].ms, steps }] : [];
  });
  const usual = Float64Array.from(gaps, ({ ms, steps }) => ms / steps).sort()[gaps.length >> 1];
  if (!(usual > 0)) return { missing: 0, late: 0 };
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
interface Bent {
  readonly near: readonly number[];
  readonly plane: PlaneFit;
}

function bentWall(scene: Scene): Bent | null {
  const { pixels } = pixelsIn(scene, { x: 0, y: 0, width: scene.width, height: scene.height }, 20_000);
  const plane = findPlane(scene, pixels);
  if (!plane) return null;
  const near = pixels.filter((i) => Math.abs(offOf(scene, plane, i)) < BENT * scene.z[i]);
  return near.length < WHOLE * pixels.length || pixels.length < 1000 ? null : { near, plane };
}

/** How much a wall bends with the square of the distance from the picture's middle: least squares over its pixels. */
function bowlOf(scene: Scene, { near, plane }: Bent): number | null {
  const { x, y } = raysOf(scene.intrinsics);
  const round = near.map((i) => x[i] * x[i] + y[i] * y[i]);
  // The rows have a plane's terms as well, since the wall's plane was fitted to the bent wall.
  const rows = near.map((i, k) => [round[k], x[i], y[i], 1]);
  const offs = near.map((i) => offOf(scene, plane, i));
  const [bend] = leastSquares(rows, offs) ?? [];
  return bend === undefined ? null : 1000 * bend * Math.max(...round);
}

/** How much farther than a plane a pixel measures, along the axis, m. */
const offOf = ({ z, rays }: Scene, { q }: PlaneFit, i: number) =>
  z[i] - 1 / (q[0] * rays.x[i] + q[1] * rays.y[i] + q[2]);
