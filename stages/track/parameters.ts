/** The stage's parameters. */
export interface TrackParameters {
  readonly recorded: boolean;
  readonly sigmaDepthMm: number;
  readonly sigmaDepthPerM2Mm: number;
}
