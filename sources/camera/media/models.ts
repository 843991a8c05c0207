import { SAME_PLACE } from "../../../core/calibration/extrinsics.ts";
import type { Extrinsics } from "../../../core/calibration/register.ts";
import type { Intrinsics } from "../../../core/frame.ts";

/**
 * The published properties of a camera's model. Each camera differs from its model by its own calibration, which a browser does not hand
 * on: by about two hundredths of the focal length and ten pixels of the centre.
 */
export interface Model {
  readonly name: string;
  readonly metresPerUnit: number;
  /** The depth image's intrinsics. Colour intrinsics, in `color`, are for the colour image's own size. */
  lens(width: number, height: number): Intrinsics;
  readonly color?: { lens(width: number, height: number): Intrinsics; readonly extrinsics: Extrinsics };
}

/**
 * The lens of a camera in its mode of `width` × `height`, of a focal length of `focalPx` pixels in its mode of `across` × `down`. Each mode
 * shows as much of the sensor as its shape allows, so the larger of the two ratios is the scale.
 */
const centred = (focalPx: number, across: number, down: number) => (width: number, height: number) => {
  const f = focalPx * Math.max(width / across, height / down);
  return { fx: f, fy: f, cx: (width - 1) / 2, cy: (height - 1) / 2, width, height };
};

/** The colour module that D415 and D435 share: it looks the same way as the left imager, 15 mm to the left of it. */
const COLOR: NonNullable<Model["color"]> = {
  lens: centred(925.5, 1280, 720),
  extrinsics: { ...SAME_PLACE, translation: [0.015, 0, 0] },
};

/**
 * Sources: Intel's depth-camera-web-demo (depth-camera.js), which has calibrations of a D415, D435, D435i and SR300 and the way from depth
 * to colour; for the others the fields of view in Intel's data sheets, 58° down for D405 and D455 (337029) and 55° down for the L515.
 */
const MODELS: readonly (readonly [label: RegExp, model: Model])[] = [
  [
    /RealSense.*\bD?41[05]\b/i,
    { name: "RealSense D415", metresPerUnit: 0.001, lens: centred(964.7, 1280, 720), color: COLOR },
  ],
  [
    /RealSense.*\bD?43[05]i?f?\b/i,
    { name: "RealSense D435", metresPerUnit: 0.001, lens: centred(638, 1280, 800), color: COLOR },
  ],
  [/RealSense.*\bD?45[0567]f?\b/i, { name: "RealSense D455", metresPerUnit: 0.001, lens: centred(649, 1280, 800) }],
  [/RealSense.*\bD?405\b/i, { name: "RealSense D405", metresPerUnit: 0.0001, lens: centred(649, 1280, 800) }],
  [/RealSense.*\bSR30[05]\b/i, { name: "RealSense SR300", metresPerUnit: 0.000125, lens: centred(474.5, 640, 480) }],
  [/RealSense.*\bL515\b/i, { name: "RealSense L515", metresPerUnit: 0.00025, lens: centred(461, 640, 480) }],
];

/** The model that a device's label names, if it is one of the table's. */
export const modelOf = (label: string): Model | undefined => MODELS.find(([names]) => names.test(label))?.[1];
