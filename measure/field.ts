import type { PlainFrame } from "../core/plainFrame.ts";

/** The bumps of a camera's depth that stay from frame to frame, as a random field over the image. */
export interface Bumps {
  /** Their variance, in units of the noise of one frame's pixel. */
  readonly variance: number;
  /** Over how many pixels bumps are alike: the standard deviation of the bell curve by which they correlate. */
  readonly widthPx: number;
}

/** What a `SceneBuilder` has taken, as plain data for another thread. */
export interface TakenScene {
  readonly first: readonly PlainFrame[];
  readonly count: Uint32Array<ArrayBuffer>;
  readonly sum: Float64Array<ArrayBuffer>;
  readonly squares: Float64Array<ArrayBuffer>;
  readonly frames: number;
}
