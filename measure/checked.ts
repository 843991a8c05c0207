import type { Noted } from "./noted.ts";
import type { TemporalNoise, ToolMetrics } from "./quality.ts";
import type { Reading } from "./reading.ts";
import type { Rim } from "./rim.ts";
import type { Rect } from "./scene.ts";

/** Something that is wrong with a camera, and what helps. */
export interface Fault {
  readonly name:
    | "blind"
    | "dropped"
    | "blur"
    | "laser"
    | "light"
    | "drift"
    | "lens"
    | "rim"
    | "colour"
    | "scale"
    | "bump"
    | "pixels"
    | "stripes";
  readonly says: string;
}

/** The findings of a check. */
export interface Checked extends Noted {
  readonly frames: number;
  readonly region: Rect;
  /** The share of all pixels that have a depth. */
  readonly validShare: number;
  /** The mean of the tool's metrics over the last frames. */
  readonly tool: ToolMetrics;
  readonly temporal: TemporalNoise;
  /** The wall in the region, by a robust fit to the frames' mean; the rms is that of single frames' pixels on it. `null` if none. */
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
  /** How far registered colour lies to the right of depth and below it, px; `null` without such colour. */
  readonly colour: { readonly x: Reading; readonly y: Reading } | null;
  /** How much a wall over the whole picture bends as an S from one side to the other, mm. */
  readonly sidewaysMm: number | null;
  /** How far the worst part of a wall over the whole picture lies beside the wall without its bend, and how far parts usually do, mm. */
  readonly bump: { readonly x: number; readonly y: number; readonly mm: number; readonly usualMm: number } | null;
  /** Pixels of a wall over the whole picture that always tell the same wrong depth, and columns and rows without depth. */
  readonly stuck: number | null;
  readonly deadLines: number | null;
  /** How much of the noise whole columns or rows of the region share, 0 to 1; `null` without a wall. */
  readonly stripes: number | null;
  /** Whether the camera, or something before it, moves: then only frames, depth and colour are judged. */
  readonly moves: boolean;
  /** How many frames saw something else than the frames before: noise and drift are those since the last of them. */
  readonly moved: number;
  /** The worst part of the rim of a wall over the whole picture; `null` if there is no such wall. */
  readonly rim: Rim | null;
  /** The noise of the mean of 9 × 9 pixels, divided by the noise of a single pixel: 0.11 for white noise. */
  readonly grain: number | null;
  /** Noise and step at distances that are seen. */
  readonly noise: readonly { readonly atM: number; readonly sigmaMm: number; readonly stepMm: number }[];
  /** The distance in the region over the frames, mm, at most `PLOTTED` values. */
  readonly distancesMm: readonly number[];
  readonly faults: readonly Fault[];
  /** What this check could not tell, and what somebody would have to record for it. */
  readonly unknown: readonly string[];
}
