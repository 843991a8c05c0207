import { outlinesOf } from "./outlines.ts";
import { TWO_SIDED_95 } from "./reading.ts";
import type { Scene } from "./scene.ts";

// The errors of a kind of camera, beside its noise, that are the same in each frame.

/** The systematic error of a kind of camera. */
interface Systematic {
  /** How far depth swings about the truth over distance, m: the amplitude. */
  readonly wiggleM: number;
  /** How far apart surfaces of different brightness seem to lie, m, in one standard deviation. */
  readonly surfaceM: number;
}

/**
 * The phase of light that is modulated by no pure sine swings about the truth as distance grows ("wiggling"), and dark surfaces seem
 * farther (Corti et al. 2016, "A metrological characterization of the Kinect V2 time-of-flight camera"; Sarbolandi et al. 2015, "Kinect
 * range sensing"). Microsoft's data sheet allows an Azure Kinect 11 mm + 0.1 % of all causes together; of a warm camera without multiple
 * paths of light, the swing is a part of it. An accuracy that the caller states replaces these amounts.
 */
const FLIGHT = { azure: { wiggleM: 0.0018, surfaceM: 0.0003 }, other: { wiggleM: 0.0042, surfaceM: 0.0005 } } as const;
/** The sizes of an Azure Kinect's depth; other cameras by time of flight count as the older Kinect v2 does. */
const AZURE = ["640x576", "320x288", "512x512", "1024x1024"];
/** Over which distances depth swings once, m: the modes are sines and cosines of these, since nobody knows where a swing begins. */
const PERIODS_M = [0.75, 1.5] as const;

function systematicOf(scene: Scene): Systematic {
  const kind = outlinesOf(scene).matched || outlinesOf(scene).patterned ? undefined : FLIGHT;
  if (!kind || scene.isStated) return { wiggleM: 0, surfaceM: 0 };
  return AZURE.includes(`${scene.width}x${scene.height}`) ? kind.azure : kind.other;
}

/** The modes of a camera's swing. A swing of one period has two modes, which `swingBy` takes together. */
export const SWINGS = 2 * PERIODS_M.length;

/** Writes the error of a distance along the ray, m, by each mode of the swing; gives `undefined` for cameras that do not swing. */
export function swingsOf(scene: Scene): ((longM: number, into: Float64Array) => void) | undefined {
  const each = systematicOf(scene).wiggleM / TWO_SIDED_95;
  if (each === 0) return undefined;
  return (longM, into) => {
    for (const [k, period] of PERIODS_M.entries()) {
      const phase = (2 * Math.PI * longM) / period;
      into[2 * k] = each * Math.sin(phase);
      into[2 * k + 1] = each * Math.cos(phase);
    }
  };
}

/** The error of a pixel's depth along the axis, m, by each mode, and by its surface's brightness in one standard deviation. */
export function modesOf(scene: Scene): { readonly count: number; at(i: number, into: Float64Array): void } | undefined {
  const swings = swingsOf(scene);
  if (!swings) return undefined;
  const { surfaceM } = systematicOf(scene);
  const at = (i: number, into: Float64Array) => {
    const long = Math.hypot(scene.rays.x[i], scene.rays.y[i], 1);
    swings(scene.z[i] * long, into);
    for (let k = 0; k < SWINGS; k++) into[k] /= long;
    into[SWINGS] = surfaceM / long;
  };
  return { count: SWINGS + 1, at };
}

/**
 * The standard error of a number; `moved` says how far each mode moves the number. A swing is never larger than its amplitude, wherever it
 * begins; so the ± holds the largest swing of either period, and of any mixture of the two.
 */
export const swingBy = (moved: readonly number[]): number =>
  moved.reduce((most, by, k) => (k % 2 === 0 ? Math.max(most, Math.hypot(by, moved[k + 1])) : most), 0);

/** How far the depth of a surface swings about the truth, m, in one standard deviation. */
export const swingOf = (scene: Scene): number => systematicOf(scene).wiggleM / Math.SQRT2;
