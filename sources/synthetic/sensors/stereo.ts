import type { Intrinsics } from "../../../core/frame.ts";
import { hash } from "../grain.ts";
import { castShadows } from "../parallax.ts";
import { Field } from "./field.ts";
import type { Sensor } from "./sensor.ts";

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
 * wide. A point that only the left camera sees has no depth, nor has one left of the right camera's image, nor one without texture.
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
