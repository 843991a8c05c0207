/** The bumps of a camera's depth that stay from frame to frame, as a random field over the image. */
export interface Bumps {
  /** Their variance, in units of the noise of one frame's pixel. */
  readonly variance: number;
  /** Over how many pixels bumps are alike: the standard deviation of the bell curve by which they correlate. */
  readonly widthPx: number;
}
