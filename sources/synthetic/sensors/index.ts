import type { Intrinsics } from "../../../core/frame.ts";
import { hash } from "../grain.ts";
import { Kinect, type NoiseParts } from "../kinect.ts";
import { castShadows } from "../parallax.ts";
import { Field } from "./field.ts";
import type { Sensor } from "./sensor.ts";
import { type FlightCamera, TimeOfFlight } from "./timeOfFlight.ts";

/**
 * The simulated cameras. `kinect` is the room's own: it draws quickly, and most of its noise stays in place. The others follow
 * measurements.
 */
export const SENSORS = ["kinect", "kinect-v1", "kinect-v2", "azure-kinect", "small-tof", "realsense", "phone"] as const;
/** The name of a simulated depth camera. */
export type SensorName = (typeof SENSORS)[number];

/** The correlation of a Kinect v2's pixels 1, 2 and 3 px apart is .47, .15 and .03, due to the camera's own filter. */
export const FLIGHT_GRAIN = { near: 0.47, decay: 0.31 } as const;

/** A Kinect v2; axial noise from Fankhauser et al. (2015). */
const KINECT_V2: FlightCamera = {
  sigmaMm: (z, angle) => 1.5 - 0.5 * z + 0.3 * z * z + (0.1 * z ** 1.5 * angle ** 2) / (Math.PI / 2 - angle) ** 2,
  grain: FLIGHT_GRAIN,
  footprint: 1,
  dropped: 0.15,
  multipath: 0.35,
  nearM: 0.5,
  farM: 8,
  faint: 0.004,
};

/**
 * An Azure Kinect in its narrow field of view, not binned; noise from Tölgyessy et al. (2021), range from Microsoft. It drops more of its
 * flying pixels itself.
 */
const AZURE: FlightCamera = {
  ...KINECT_V2,
  sigmaMm: (z, angle) => 0.6 + 0.16 * z * z + (0.05 * z ** 1.5 * angle ** 2) / (Math.PI / 2 - angle) ** 2,
  dropped: 0.6,
  multipath: 0.25,
  farM: 3.86,
};

/**
 * A small time-of-flight camera with little light of its own, whose noise is a hundredth of the distance at 1 m. Its figures are this
 * model's choice, not measured.
 */
const SMALL: FlightCamera = {
  ...KINECT_V2,
  sigmaMm: (z) => 11 * z * z,
  grain: { near: 0.2, decay: 0.15 },
  nearM: 0.1,
  farM: 4,
};

/**
 * A phone's LiDAR as its system gives it: few dots, interpolated to an image, so outlines are soft and noise is clumped; an error of about
 * a centimetre (Luetzenburg, Kroon and Bjørk 2021), to 5 m.
 */
const PHONE: FlightCamera = {
  ...KINECT_V2,
  sigmaMm: (z) => 3 + 1.2 * z * z,
  grain: { near: 0.95, decay: 0.92 },
  footprint: 3,
  dropped: 0,
  multipath: 0.2,
  nearM: 0.2,
  farM: 5,
};

/** Makes a sensor. Only the Kinects v1 use `parts`; the other sensors always have all parts of their noise. */
export function makeSensor(
  name: SensorName,
  camera: Intrinsics,
  metresPerUnit: number,
  seed: number,
  parts: NoiseParts,
): Sensor {
  const flight = { "kinect-v2": KINECT_V2, "azure-kinect": AZURE, "small-tof": SMALL, phone: PHONE };
  if (name === "realsense") return new Stereo(camera, metresPerUnit, seed);
  if (name === "kinect" || name === "kinect-v1")
    return new Kinect(camera, metresPerUnit, seed, parts, name === "kinect-v1");
  return new TimeOfFlight(camera, metresPerUnit, seed, flight[name]);
}

/**
 * A RealSense D435 at 848 × 480. Its error grows with z², σ = z² · subpixel / (f · b), with a subpixel error of 0.08 (Grunnet-Jepsen,
 * Sweetser and Woodfill, "Best known methods for tuning Intel RealSense D400 depth cameras"). Disparity comes in 32nds of a pixel.
 */
const STEREO = { focalPx: 424, baselineM: 0.05, subpixel: 0.08, parts: 32, nearM: 0.17, farM: 10 } as const;

/**
 * The share of the error's variance that stays in place and makes bumps on a flat wall (Ahn et al. 2019), as wide as the matching windows.
 */
const STILL = 0.5;
const BUMPS = { near: 0.97, decay: 0.95 };
const LIVE = { near: 0.8, decay: 0.7 };
/** In a band of this many pixels around an outline, matching takes the nearer surface. */
const FATTER_PX = 2;
/** A surface that reflects less than this of the pattern has too little texture to be matched, in patches. */
const PLAIN = 0.5;

/**
 * A stereo camera with a projector. It matches disparity by windows, so noise is clumped, walls get bumps that stay, and outlines are too
 * wide. A point has no depth if only the left camera sees it, if it lies left of the right camera's image, or if it has no texture.
 */
export class Stereo implements Sensor {
  readonly #bumps: Float32Array;
  readonly #field: Field;
  readonly #steps: Float32Array;

  constructor(
    readonly camera: Intrinsics,
    readonly metresPerUnit: number,
    readonly seed: number,
    /** The distance between the sensor's two cameras, m; a D455 has .095. */
    readonly baselineM: number = STEREO.baselineM,
  ) {
    const { width, height } = camera;
    this.#bumps = new Field(width, height, BUMPS).draw(hash(seed, -1) >>> 1).values;
    this.#field = new Field(width, height, LIVE);
    this.#steps = new Float32Array(width * height);
  }

  measure(metres: Float32Array, ids: Uint8Array, infrared: readonly number[], index: number): Uint16Array {
    const { width, height, fx } = this.camera;
    const [steps, bumps] = [this.#steps, this.#bumps];
    const { values } = this.#field.draw(hash(this.seed, index) >>> 1);
    // Disparity at 1 m in steps, with baseline and focal length.
    const stepsM = STEREO.focalPx * this.baselineM * STEREO.parts;
    const pixelsPerStep = (fx * this.baselineM) / stepsM;
    for (let i = 0; i < steps.length; i++) steps[i] = metres[i] > 0 ? stepsM / metres[i] : 0;
    castShadows(steps, 0, this.camera, pixelsPerStep);
    const sigma = STEREO.subpixel * STEREO.parts;
    const [still, live] = [sigma * Math.sqrt(STILL), sigma * Math.sqrt(1 - STILL)];
    const depth = new Uint16Array(width * height);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const i = y * width + x;
        let s = steps[i];
        if (s === 0) continue;
        const reach = Math.round(FATTER_PX * Math.abs(bumps[i]) * 0.7);
        for (const dx of [-reach, reach]) if (x + dx >= 0 && x + dx < width) s = Math.max(s, steps[i + dx]);
        const texture = infrared[ids[i]] ?? 1;
        // Where texture is missing, patches are lost, and between these some pixels are matched to something far behind.
        const doubt = texture < PLAIN ? bumps[i] + 0.5 * values[i] + 2 * (PLAIN - texture) : 0;
        if (doubt > 0.4) continue;
        const wrong = texture < PLAIN && doubt > 0.3 ? 0.4 : 1;
        const matched = Math.round(wrong * s + still * bumps[i] + live * values[i]);
        if (matched <= 0 || x < matched * pixelsPerStep) continue;
        const z = stepsM / matched;
        const units = Math.round(z / this.metresPerUnit);
        if (z >= STEREO.nearM && z <= STEREO.farM && units <= 65535) depth[i] = units;
      }
    }
    return depth;
  }
}
