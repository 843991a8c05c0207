/** The usual figures of a camera's model on a flat wall. */
export interface Usual {
  readonly label: string;
  /** The rms of one frame's depth, mm, at a distance in m. */
  readonly rmsMm: (z: number, fx: number) => number;
  /** How many times `rmsMm` a sound camera may have. */
  readonly times: number;
  /** The noise of the mean of 9 × 9 pixels, divided by that of one pixel, for models in which all walls give about the same. */
  readonly grain?: number;
  /** The laser's power as the camera is delivered, mW. */
  readonly laserMw?: number;
  /** The least and the greatest gain and time of exposure (µs) that the camera has, in the numbers that it notes. */
  readonly gain?: readonly [least: number, most: number];
  readonly exposureUs?: readonly [least: number, most: number];
}

/**
 * Published fits of one model differ by up to twice. A Kinect v1's rounding of disparity adds to its noise. For a time-of-flight camera a
 * grey wall sends back a quarter of the light of a white wall, which doubles the noise.
 */
const TIMES = { stereo: 2, pattern: 3, flight: 4 } as const;
/** The ranges of these options of RealSense's D400, by librealsense. */
const D400 = { times: TIMES.stereo, laserMw: 150, gain: [16, 248], exposureUs: [1, 165_000] } as const;

/** The models of cameras whose noise is known; docs/check.md has the sources. */
export const MODELS = {
  d435: { label: "RealSense D435", rmsMm: (z: number, fx: number) => (1000 * z * z * 0.08) / (fx * 0.05), ...D400 },
  d455: { label: "RealSense D455", rmsMm: (z: number, fx: number) => (1000 * z * z * 0.08) / (fx * 0.095), ...D400 },
  "kinect-v1": { label: "Kinect v1", rmsMm: (z: number) => 1.425 * z * z, times: TIMES.pattern, grain: 0.5 },
  "kinect-v2": {
    label: "Kinect v2",
    rmsMm: (z: number) => 1.5 - 0.5 * z + 0.3 * z * z,
    times: TIMES.flight,
    grain: 0.25,
  },
  "azure-kinect": { label: "Azure Kinect", rmsMm: (z: number) => 0.6 + 0.16 * z * z, times: TIMES.flight, grain: 0.25 },
} as const satisfies Record<string, Usual>;
/** A model of camera whose usual noise is known. */
export type Model = keyof typeof MODELS;
