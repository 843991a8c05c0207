import type { Scene } from "./scene.ts";

/** By how much a kind of camera sees outlines in the wrong place. */
export interface Outlines {
  /** By how much an outline lies too far out, px. */
  readonly outwards: number;
  /** By how much more an outline lies too far out where it faces along the image's rows, px. */
  readonly sideways: number;
  /** One standard deviation of how far an outline lies too far out, the same all along a side, px. */
  readonly spread: number;
  /** One standard deviation of the correction for a side that goes down at a crease, as a multiple of the correction. */
  readonly crease: number;
  /** Whether depth is found by matching pictures of two eyes. */
  readonly matched: boolean;
  /** Whether depth is found by a pattern of light. */
  readonly patterned: boolean;
}

/**
 * Outlines by kind of camera. Stereo matching compares windows, so a near thing's outline grows over what lies behind it, along the rows
 * more than across them ("foreground fattening": Scharstein and Szeliski 2002). Structured light moves outlines by its pattern. A
 * time-of-flight camera mixes both depths in pixels on both sides of an outline, so the middle of these pixels is the outline. Where
 * windows are matched, they round a crease off; by time of flight each pixel sees for itself.
 */
const OUTLINES = {
  flight: { outwards: 0, sideways: 0, spread: 0.2, crease: 0.5, matched: false, patterned: false },
  pattern: { outwards: -0.05, sideways: 0, spread: 0.5, crease: 1.5, matched: false, patterned: true },
  stereo: { outwards: 0.27, sideways: 0.33, spread: 0.42, crease: 1.5, matched: true, patterned: false },
} as const satisfies Record<string, Outlines>;

/** A Kinect v1's depth comes in steps of 2.85 mm at 1 m: an eighth of a pixel of disparity. */
const PATTERN_STEP = [2.3, 3.6] as const;
/** A camera finds depth by matching if its depth has steps that grow by this, mm per m², or this grain. */
const MATCHED_STEP = 0.3;
const MATCHED_GRAIN = 0.4;

/** Tells the kind of camera by the steps and the grain of its depth. */
export function outlinesOf({ noise }: Pick<Scene, "noise">): Outlines {
  const step = noise?.stepPerM2Mm ?? 0;
  if (step > PATTERN_STEP[0] && step < PATTERN_STEP[1]) return OUTLINES.pattern;
  return step > MATCHED_STEP || (noise?.grain ?? 0) > MATCHED_GRAIN ? OUTLINES.stereo : OUTLINES.flight;
}
