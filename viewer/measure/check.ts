import { type DepthFrame, image, sameShape } from "../../sources/core/frame.ts";
import { findPlane } from "./find.ts";
import type { PlaneFit } from "./plane.ts";
import {
  type Known,
  type TemporalNoise,
  TOOL_FRAMES,
  type ToolMetrics,
  temporalNoise,
  toolMetrics,
} from "./quality.ts";
import { readRegion } from "./region.ts";
import { pixelsIn, type Rect, raysOf, type Scene, SceneBuilder } from "./scene.ts";

/**
 * What a camera of a model usually shows on a flat wall: the rms of one frame's depth, mm, at a distance in m. docs/check.md has the
 * sources.
 */
export const MODELS = {
  d435: (z: number, fx: number) => (1000 * z * z * 0.08) / (fx * 0.05),
  d455: (z: number, fx: number) => (1000 * z * z * 0.08) / (fx * 0.095),
  "kinect-v1": (z: number) => 1.425 * z * z,
  "kinect-v2": (z: number) => 1.5 - 0.5 * z + 0.3 * z * z,
  "azure-kinect": (z: number) => 0.6 + 0.16 * z * z,
} as const satisfies Record<string, (z: number, fx: number) => number>;
/** A model of camera whose usual noise is known. */
export type Model = keyof typeof MODELS;

/** Something that is wrong with a camera, and what helps. */
export interface Fault {
  readonly name: "dropped" | "fill" | "noise" | "drift" | "lens";
  readonly says: string;
}

/** What a check found. */
export interface Checked {
  readonly frames: number;
  readonly region: Rect;
  /** The mean of the tool's metrics over the last frames. */
  readonly tool: ToolMetrics;
  readonly temporal: TemporalNoise;
  /** The wall in the region, by a robust fit to the mean of the frames; `null` if the region sees none. */
  readonly wall: {
    readonly distanceMm: number;
    readonly tiltDeg: number;
    readonly rmsMm: number;
    readonly usualRmsMm: number | null;
  } | null;
  /** The share of frames that are missing by the time stamps, and of those that came late. */
  readonly missing: number;
  readonly late: number;
  /** How far the region's distance moved from the first quarter of the frames to the last, mm; `null` in fewer than 8 frames. */
  readonly driftMm: number | null;
  /** How much farther a wall over the whole picture seems at its corners than a plane, mm; `null` if there is no such wall. */
  readonly bowlMm: number | null;
  readonly faults: readonly Fault[];
}

/** A part of the image is a wall if at least this share of it lies on one plane. */
const WALL = 0.8;
/** The picture is taken up by a wall if this share lies on or near one plane. */
const WHOLE = 0.6;
/** Above these something is wrong: the shares of missing frames, of a wall without depth, of the distance for drift and for a bent wall. */
const MOST = { missing: 0.02, unseen: 0.1, drift: 0.004, bowl: 0.01, noise: 2 } as const;

/** The region that is checked if nobody names one: the middle 40 % of the image, as in the tool. */
export const middleOf = (width: number, height: number): Rect => ({
  ...{ x: Math.round(0.3 * width), y: Math.round(0.3 * height) },
  ...{ width: Math.round(0.4 * width), height: Math.round(0.4 * height) },
});

/** Takes the frames of a camera that looks at a flat wall, one by one, and tells how good they are and what is wrong. */
export class Checker {
  readonly #scene = new SceneBuilder();
  readonly #last: DepthFrame[] = [];
  readonly #times: number[] = [];
  readonly #middles: number[] = [];
  #region: Rect | undefined;

  constructor(
    readonly options: Known & { readonly region?: Rect | undefined; readonly model?: Model | undefined } = {},
  ) {
    this.#region = options.region;
  }

  add(frame: DepthFrame): void {
    const { width, height } = frame.intrinsics;
    this.#region ??= middleOf(width, height);
    this.#times.push(frame.timestamp);
    const [before] = this.#last;
    if (before && !sameShape(before, frame)) return;
    this.#scene.add(frame);
    const middle = middleDepth(frame, this.#region);
    if (middle > 0) this.#middles.push(middle * frame.metresPerUnit * 1000);
    // The source may use its memory for later frames.
    this.#last.push({ ...frame, depth: image(frame.depth.data.slice(), [height, width]) });
    if (this.#last.length > TOOL_FRAMES) this.#last.shift();
  }

  /** What was found; `undefined` before the first frame. */
  result(): Checked | undefined {
    const [scene, region] = [this.#scene.build(), this.#region];
    if (!scene || !region) return undefined;
    const tool = meanOf(this.#last.map((frame) => toolMetrics(frame, region, this.options)));
    const { plane, valid } = readRegion(scene, region);
    const { model } = this.options;
    const flat = plane && plane.share >= WALL ? plane : null;
    const distanceMm = flat?.distance.value ?? 0;
    const usual = model && flat ? MODELS[model](distanceMm / 1000, scene.intrinsics.fx) : null;
    const wall = flat && {
      distanceMm,
      tiltDeg: flat.tilt.value ?? 0,
      rmsMm: tool.planeFitRmsMm ?? 0,
      usualRmsMm: usual,
    };
    const found = {
      ...{ frames: this.#times.length, region, tool, temporal: temporalNoise(this.#last, region), wall },
      ...pace(this.#times),
      ...{ driftMm: driftOf(this.#middles), bowlMm: bowlOf(scene) },
    };
    return { ...found, faults: faultsOf(found, valid.value ?? 0, model, scene) };
  }
}

type Found = Omit<Checked, "faults">;

function faultsOf(
  { wall, missing, driftMm, bowlMm, frames }: Found,
  valid: number,
  model: Model | undefined,
  scene: Scene,
): Fault[] {
  const faults: Fault[] = [];
  const say = (name: Fault["name"], says: string) => faults.push({ name, says });
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  if (missing > MOST.missing && missing * frames > 1)
    say(
      "dropped",
      `${percent(missing)} of the frames are missing: use a USB 3 port of its own, a shorter cable, a lower rate or size`,
    );
  if (!wall) return faults;
  const { distanceMm, rmsMm, usualRmsMm } = wall;
  if (1 - valid > MOST.unseen)
    say(
      "fill",
      `${percent(1 - valid)} of the wall have no depth: clean the lens, raise the laser, or choose a wall that is not glossy`,
    );
  if (usualRmsMm !== null && rmsMm > MOST.noise * usualRmsMm) {
    const times = (rmsMm / usualRmsMm).toFixed(1);
    say(
      "noise",
      `the rms of ${rmsMm.toFixed(1)} mm is ${times} times what a ${model} has at ${(distanceMm / 1000).toFixed(2)} m: clean the lens, raise the laser, calibrate`,
    );
  }
  if (driftMm !== null && Math.abs(driftMm) > MOST.drift * distanceMm)
    say("drift", `the distance drifted by ${driftMm.toFixed(1)} mm: let the camera warm up, and hold it still`);
  if (
    bowlMm !== null &&
    Math.abs(bowlMm) > MOST.bowl * distanceMm &&
    Math.abs(bowlMm) > 3 * (scene.noise?.sigmaMm(distanceMm / 1000) ?? 0)
  )
    say(
      "lens",
      `the wall bends by ${bowlMm.toFixed(1)} mm towards the corners: the intrinsics or the distortion are another lens's, or the camera needs calibration`,
    );
  return faults;
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
    ...{ subpixelRmsPx: mean("subpixelRmsPx"), zAccuracyPercent: mean("zAccuracyPercent") },
  };
}

/** Missing and late frames, by the median time between two. */
function pace(times: readonly number[]): { missing: number; late: number } {
  const gaps = times.slice(1).map((time, k) => time - times[k]);
  const usual = Float64Array.from(gaps).sort()[gaps.length >> 1];
  if (!(usual > 0)) return { missing: 0, late: 0 };
  const lost = gaps.reduce((sum, gap) => sum + Math.max(0, Math.round(gap / usual) - 1), 0);
  return { missing: lost / (lost + times.length), late: gaps.filter((gap) => gap > 1.3 * usual).length / gaps.length };
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

/** How much a wall bends with the square of the distance from the picture's middle: least squares over its pixels. */
function bowlOf(scene: Scene): number | null {
  const { pixels } = pixelsIn(scene, { x: 0, y: 0, width: scene.width, height: scene.height }, 20_000);
  const plane = findPlane(scene, pixels);
  if (!plane) return null;
  const near = pixels.filter((i) => Math.abs(offOf(scene, plane, i)) < BENT * scene.z[i]);
  if (near.length < WHOLE * pixels.length || pixels.length < 1000) return null;
  const { x, y } = raysOf(scene.intrinsics);
  const round = near.map((i) => x[i] * x[i] + y[i] * y[i]);
  // Along with a plane of its own, since the first one was fitted to the bend.
  const rows = near.map((i, k) => [round[k], x[i], y[i], 1]);
  const [bend] =
    leastSquares(
      rows,
      near.map((i) => offOf(scene, plane, i)),
    ) ?? [];
  return bend === undefined ? null : 1000 * bend * Math.max(...round);
}

/** How much farther than a plane a pixel measures, along the axis, m. */
const offOf = ({ z, rays }: Scene, { q }: PlaneFit, i: number) =>
  z[i] - 1 / (q[0] * rays.x[i] + q[1] * rays.y[i] + q[2]);

/** Solves for the weights of a row's numbers that give the values, by Gaussian elimination of the normal equations. */
function leastSquares(rows: readonly (readonly number[])[], values: readonly number[]): number[] | undefined {
  const n = rows[0]?.length ?? 0;
  const m = Array.from({ length: n }, (_, r) =>
    Array.from({ length: n + 1 }, (_, c) =>
      rows.reduce((sum, row, k) => sum + row[r] * (c < n ? row[c] : values[k]), 0),
    ),
  );
  for (let r = 0; r < n; r++) {
    if (!(Math.abs(m[r][r]) > 1e-12)) return undefined;
    for (let other = 0; other < n; other++) {
      if (other === r) continue;
      const share = m[other][r] / m[r][r];
      for (let c = r; c <= n; c++) m[other][c] -= share * m[r][c];
    }
  }
  return m.map((row, r) => row[n] / row[r]);
}
