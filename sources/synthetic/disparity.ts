/** A Kinect v1, which measures disparity in eighths of a pixel of its infrared camera. */
export const KINECT = { focalPx: 580, baselineM: 0.075, subpixels: 8, nearM: 0.4, farM: 10 } as const;
export const STEPS_M = KINECT.focalPx * KINECT.baselineM * KINECT.subpixels;
/** The difference between neighbouring depths at `z` metres that the sensor can give: z² / (8 · f · b), 11.5 mm at 2 m. */
export const quantisationStepM = (z: number): number => (z * z) / STEPS_M;
