import { raysOf } from "../core/calibration/rays.ts";
import type { DepthFrame } from "../core/frame.ts";
import { cross, dot, unit, type Vec3 } from "../core/geometry.ts";
import type { Rect } from "./scene.ts";

/** The metrics of RealSense's Depth Quality Tool 2.58 for a region of one frame; `null` where too few pixels have a depth. */
export interface ToolMetrics {
  /** The share of the region's pixels with a depth, %. */
  readonly fillRate: number;
  /** The root mean square distance from the fitted plane, mm. */
  readonly planeFitRmsMm: number | null;
  /** The plane-fit RMS as a share of the camera's distance from the plane, %. */
  readonly planeFitRmsPercent: number | null;
  /** The root mean square error in disparity, by the lengths of rays, px; only for a stereo camera whose baseline is known. */
  readonly subpixelRmsPx: number | null;
  /** The median error against the true distance, if that is given, % of it: above 0 where the camera measures too far. */
  readonly zAccuracyPercent: number | null;
}

/** The known facts about the camera and the wall before it. */
export interface Known {
  /** The distance of a stereo camera's two eyes, mm. */
  readonly baselineMm?: number | undefined;
  /** The wall's true distance along the camera's axis, mm. */
  readonly truthMm?: number | undefined;
}

/** The tool leaves out this share of the pixels at each end of the range of depths. */
const CROPPED = 1 / 200;
/** A plane nearer to the camera than this share of its points' depth passes through the camera, as one row's or column's does. */
const EYE = 1e-6;

/**
 * Computes the metrics of RealSense's Depth Quality Tool 2.58 for a region (tools/depth-quality/rs-depth-quality.cpp and depth-metrics.h of
 * librealsense), by its definitions: a plane through all points, without regard to outliers; errors without the nearest and farthest half
 * percent; the sub-pixel error from the lengths of rays, not from depth.
 */
export function toolMetrics(
  { depth, metresPerUnit, intrinsics }: DepthFrame,
  rect: Rect,
  known: Known = {},
): ToolMetrics {
  const rays = raysOf(intrinsics);
  const points: Vec3[] = [];
  let seen = 0;
  for (const i of indicesOf(intrinsics.width, rect)) {
    const z = depth.data[i] * metresPerUnit;
    if (z > 0) seen++;
    // At some pixels a lens has no ray.
    if (z > 0 && !Number.isNaN(rays.x[i])) points.push([rays.x[i] * z, rays.y[i] * z, z]);
  }
  const fillRate = (100 * seen) / (rect.width * rect.height);
  const nothing = { planeFitRmsMm: null, planeFitRmsPercent: null, subpixelRmsPx: null, zAccuracyPercent: null };
  const plane = points.length < 3 ? undefined : plainPlane(points);
  if (!plane) return { fillRate, ...nothing };
  const { normal, d } = plane;
  const out = Math.floor(points.length * CROPPED);
  const kept = points.sort((p, q) => p[2] - q[2]).slice(out, points.length - out);
  const offs = kept.map((point) => dot(normal, point) + d);
  const rms = (values: readonly number[]) => Math.sqrt(values.reduce((sum, v) => sum + v * v, 0) / values.length);
  const planeFitRmsMm = rms(offs) * 1000;
  const { baselineMm, truthMm } = known;
  const disparity = ((baselineMm ?? 0) * intrinsics.fx) / 1000;
  const slips = kept.map((point, k) => {
    const foot = Math.hypot(...point.map((value, axis) => value - offs[k] * normal[axis]));
    return disparity / Math.hypot(...point) - disparity / foot;
  });
  // The wall's distance along the axis, and how far each point lies from that distance.
  const wallMm = (-d / normal[2]) * 1000;
  const errors = offs.map((off) => wallMm - (truthMm ?? 0) + off * 1000).sort((p, q) => p - q);
  return {
    fillRate,
    planeFitRmsMm,
    planeFitRmsPercent: (100 * planeFitRmsMm) / Math.abs(d * 1000),
    subpixelRmsPx: baselineMm === undefined ? null : rms(slips),
    zAccuracyPercent: truthMm === undefined ? null : (100 * errors[errors.length >> 1]) / truthMm,
  };
}

/** The frames that the tool takes for temporal noise: it drops the first of 40 before it counts. */
export const TOOL_FRAMES = 39;

/** The temporal noise of a region: as the tool tells it, and of the pixels that have a depth. */
export interface TemporalNoise {
  /** The number of frames that the noise was taken from. */
  readonly frames: number;
  /** The median over all pixels of a pixel's standard deviation over its median, %; `null` for a single frame. No depth counts as 0. */
  readonly toolPercent: number | null;
  /** The same median over those pixels alone that have a depth in at least half of the frames, %; `null` if there are none. */
  readonly validPercent: number | null;
}

/**
 * Computes temporal noise from the last `TOOL_FRAMES` of frames of one size, as the tool 2.58 does, and beside it on valid pixels alone.
 */
export function temporalNoise(frames: readonly DepthFrame[], rect: Rect): TemporalNoise {
  const last = frames.slice(-TOOL_FRAMES);
  if (last.length < 2) return { frames: last.length, toolPercent: null, validPercent: null };
  const { width } = last[0].intrinsics;
  const [all, valid]: [number[], number[]] = [[], []];
  for (const i of indicesOf(width, rect)) {
    const values = last.map(({ depth }) => depth.data[i]).filter((value) => value > 0);
    const { length } = values;
    if (length === 0) {
      all.push(0);
      continue;
    }
    const mean = values.reduce((sum, value) => sum + value, 0) / length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / length;
    const ratio = (100 * Math.sqrt(variance)) / middleOf(values);
    all.push(ratio);
    if (2 * length >= last.length) valid.push(ratio);
  }
  return { frames: last.length, toolPercent: middleOf(all), validPercent: valid.length > 0 ? middleOf(valid) : null };
}

/** The median; of an even number of values the mean of the middle two. */
function middleOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  return sorted.length % 2 === 0 ? (sorted[half - 1] + sorted[half]) / 2 : sorted[half];
}

function* indicesOf(width: number, rect: Rect): Generator<number> {
  for (let y = rect.y; y < rect.y + rect.height; y++)
    for (let x = rect.x; x < rect.x + rect.width; x++) yield y * width + x;
}

/**
 * The plane n · P + d = 0 through points, all with the same weight, that leaves the least squares along the axis it faces most (Ernerfeldt
 * 2015, "Fitting a plane to many points in 3D"); `undefined` if the points lie in a line, or the plane passes through the camera.
 */
function plainPlane(points: readonly Vec3[]): { normal: Vec3; d: number } | undefined {
  const centre = [0, 1, 2].map(
    (axis) => points.reduce((sum, p) => sum + p[axis], 0) / points.length,
  ) as unknown as Vec3;
  const moments = [0, 1, 2].map((r) =>
    [0, 1, 2].map((c) => points.reduce((sum, p) => sum + (p[r] - centre[r]) * (p[c] - centre[c]), 0)),
  ) as unknown as readonly [Vec3, Vec3, Vec3];
  // The rows of the plane's two equations are those of the other axes; what is square to both is the normal.
  const ways = [0, 1, 2].map((axis) => cross(moments[(axis + 1) % 3], moments[(axis + 2) % 3]));
  const facing = [0, 1, 2].reduce((best, axis) => (ways[axis][axis] > ways[best][best] ? axis : best), 0);
  if (!(ways[facing][facing] > 0)) return undefined;
  const normal = unit(ways[facing]);
  const d = -dot(normal, centre);
  return Math.abs(d) > EYE * centre[2] ? { normal, d } : undefined;
}
