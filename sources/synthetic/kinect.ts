import type { Intrinsics } from "../../core/frame.ts";
import { KINECT, STEPS_M } from "./disparity.ts";
import { GRAIN_SIZE, grainTile, hash } from "./grain.ts";
import { castShadows } from "./parallax.ts";
import { Field } from "./sensors/field.ts";
import type { Sensor } from "./sensors/sensor.ts";
import { GRAIN, kinectNoise, type LiveNoise } from "./sensors/structuredLight.ts";

/** The parts of a Kinect v1's noise, each of which can be switched off. */
export interface NoiseParts {
  /** Disparity is rounded to eighths of a pixel, so depth has steps that grow with its square. */
  readonly quantisation: boolean;
  /** Disparity flickers from frame to frame by at most one step. */
  readonly jitter: boolean;
  /** Outlines move by a pixel or two. */
  readonly lateral: boolean;
  /** Spots without depth, where the pattern is not recognised: more of them far away and on surfaces that reflect little infrared. */
  readonly speckle: boolean;
  /** No depth where the projector does not reach what the camera sees. */
  readonly shadow: boolean;
  /** Pixels on an outline get a depth between its two sides. */
  readonly flying: boolean;
  /** No depth on surfaces seen at a grazing angle. */
  readonly grazing: boolean;
  /** No depth nearer than 0.4 m or farther than 10 m. */
  readonly range: boolean;
}

export const ALL_NOISE: NoiseParts = {
  quantisation: true,
  jitter: true,
  lateral: true,
  speckle: true,
  shadow: true,
  flying: true,
  grazing: true,
  range: true,
};

/**
 * Jitter in steps: a pattern of the sensor's own that stays, and a part that changes with each frame. As grain is at most `GRAIN_LIMIT`,
 * both together stay under one step.
 */
const STATIC_JITTER = 0.25;
const LIVE_JITTER = 0.2;
const WANDER_PX = 0.8;
/** The width in pixels in which outlines are searched and move. The image has a border of this width, which saves tests for its edge. */
const BORDER = 2;
/** A slope below STEEP is neither grazing nor an outline, so most pixels need no more work. */
const STEEP = Math.tan((75 * Math.PI) / 180);
const GRAZING = Math.tan((80 * Math.PI) / 180);
/**
 * A spot is lost where the grain exceeds `near` at 0 m. The limit falls with each metre of distance, for dark surfaces, and on outlines.
 */
const LOST = { near: 3.4, perMetre: 0.16, black: 2.6, outline: 1.2 } as const;
const MAX_STEPS = 8191;
/** Nothing is measured nearer than this (43 mm), whichever parts are on. */
const CLOSEST_M = STEPS_M / (MAX_STEPS - 1);
const MASK = GRAIN_SIZE - 1;

/**
 * Turns an exact depth image into a Kinect v1's, after Khoshelham and Elberink (2012: quantisation), Nguyen, Izadi and Lovell (2012:
 * lateral noise, loss at an angle), Barron and Malik (2013) and Handa et al. (2014: noise on disparity before rounding). Unlike in their
 * models the noise is clumped, as in real recordings, because neighbours are matched by overlapping windows. The noise of frame `index`
 * depends only on the seed and the index.
 */
export class Kinect implements Sensor {
  readonly #parts: NoiseParts;
  readonly #seed: number;
  readonly #camera: Intrinsics;
  readonly #unit: number;
  readonly #tile: Float32Array;
  /** The tile of grain as whole pixels by which an outline moves: at most two, the border's width. */
  readonly #wander: Int8Array;
  /** Disparity in steps, 0 where there is none, with a border on all sides that repeats the image's edge. */
  readonly #steps: Float32Array;
  /** One row of disparity as measured, and its columns that lie on an outline or a slope. */
  readonly #row: Float32Array;
  readonly #steep: Uint16Array;
  /** For each whole number of steps: depth in units, and the grain above which the spot is lost. */
  readonly #units = new Uint16Array(MAX_STEPS + 1);
  readonly #lost = new Float32Array(MAX_STEPS + 1).fill(Infinity);
  /** Measured jitter, which replaces the tile's. */
  readonly #live: (LiveNoise & { readonly field: Field }) | undefined;

  /** With `measured`, jitter is white in time, with a Kinect's measured strength and grain (sensors/structuredLight.ts). */
  constructor(camera: Intrinsics, metresPerUnit: number, seed: number, parts: NoiseParts, measured = false) {
    this.#parts = parts;
    this.#seed = seed;
    this.#camera = camera;
    this.#unit = metresPerUnit;
    this.#tile = grainTile(seed);
    this.#wander = Int8Array.from(this.#tile, (grain) => Math.round(WANDER_PX * grain));
    this.#steps = new Float32Array((camera.width + 2 * BORDER) * (camera.height + 2 * BORDER));
    this.#row = new Float32Array(camera.width);
    this.#steep = new Uint16Array(camera.width);
    if (measured && parts.jitter) {
      const field = new Field(camera.width, camera.height, GRAIN);
      this.#live = { ...kinectNoise(MAX_STEPS + 1, parts.quantisation), field };
    }
    for (let q = 1; q <= MAX_STEPS; q++) {
      const z = STEPS_M / q;
      this.#units[q] = this.#toUnits(z);
      if (parts.speckle) this.#lost[q] = LOST.near - LOST.perMetre * Math.min(z, KINECT.farM);
    }
  }

  #toUnits(z: number): number {
    const units = Math.round(z / this.#unit);
    const inRange = !this.#parts.range || (z >= KINECT.nearM && z <= KINECT.farM);
    return inRange && units > 0 && units <= 65535 ? units : 0;
  }

  /**
   * `metres` is exact depth, height × width, Infinity or 0 where there is none. `ids` gives the solid that each pixel shows, and `infrared`
   * the share of the pattern, 0 … 1, that each solid reflects. Returns depth in units, a new array.
   */
  measure(metres: Float32Array, ids: Uint8Array, infrared: readonly number[], index: number): Uint16Array {
    const { width, height, fx } = this.#camera;
    const { shadow, jitter, quantisation } = this.#parts;
    const [steps, tile, units, lost, row] = [this.#steps, this.#tile, this.#units, this.#lost, this.#row];
    this.#toSteps(metres);
    if (shadow) castShadows(steps, BORDER, this.#camera, (fx * KINECT.baselineM) / STEPS_M);
    const depth = new Uint16Array(width * height);
    const weak = Float32Array.from(infrared, (x) => LOST.black * (1 - x));
    const [fixed, moving] = [hash(this.#seed, -1), hash(this.#seed, index)];
    const [ownX, ownY, nowX, nowY] = [fixed & MASK, fixed >>> 24, moving & MASK, moving >>> 24];
    const measured = this.#live;
    measured?.field.draw(moving >>> 1);
    const still = jitter && !measured ? STATIC_JITTER : 0;
    const live = jitter && !measured ? LIVE_JITTER : 0;
    for (let y = 0; y < height; y++) {
      const ownRow = ((y + ownY) & MASK) * GRAIN_SIZE;
      const nowRow = ((y + nowY) & MASK) * GRAIN_SIZE;
      for (let k = this.#measureRow(y); k > 0; k--) {
        const x = this.#steep[k - 1];
        row[x] = this.#atSlope(x, y, ownRow + ((x + ownX) & MASK), nowRow + ((x + nowX) & MASK));
      }
      for (let x = 0; x < width; x++) {
        const s = row[x];
        if (s === 0) continue;
        // The sensor's own grain and this frame's grain move the disparity; where both are strong, the spot is lost.
        const g = tile[ownRow + ((x + ownX) & MASK)];
        const h = tile[nowRow + ((x + nowX) & MASK)];
        const at = y * width + x;
        const moved = s + (measured ? noiseAt(measured, s | 0, at) : still * g + live * h);
        const q = (moved + 0.5) | 0;
        if (0.75 * g - 0.66 * h + weak[ids[at]] > lost[q]) continue;
        depth[at] = quantisation ? units[q] : this.#toUnits(STEPS_M / moved);
      }
    }
    return depth;
  }

  /** Copies a row of disparity to `#row` and lists its steep columns in `#steep`. Returns the number of steep columns. */
  #measureRow(y: number): number {
    const { width, fx } = this.#camera;
    const [steps, row, steep] = [this.#steps, this.#row, this.#steep];
    const stride = width + 2 * BORDER;
    const limit = ((2 * BORDER * STEEP) / fx) ** 2;
    const first = (y + BORDER) * stride + BORDER;
    let count = 0;
    for (let x = 0; x < width; x++) {
      const i = first + x;
      const s = steps[i];
      const acrossX = steps[i + BORDER] - steps[i - BORDER];
      const acrossY = steps[i + BORDER * stride] - steps[i - BORDER * stride];
      row[x] = s;
      if (acrossX * acrossX + acrossY * acrossY > limit * s * s) steep[count++] = x;
    }
    return count;
  }

  /**
   * The steps measured on an outline or a grazing surface, 0 for nothing. `own` and `now` are the offsets of the two grains in the tile.
   */
  #atSlope(x: number, y: number, own: number, now: number): number {
    const { lateral, flying, grazing, speckle } = this.#parts;
    const steps = this.#steps;
    const stride = this.#camera.width + 2 * BORDER;
    const i = (y + BORDER) * stride + BORDER + x;
    const s = steps[i];
    const g = this.#tile[own];
    const h = this.#tile[now];
    const left = steps[i - BORDER];
    const right = steps[i + BORDER];
    const above = steps[i - BORDER * stride];
    const below = steps[i + BORDER * stride];
    const slope = Math.sqrt((right - left) ** 2 + (below - above) ** 2);
    // On a plane disparity is linear, so a second difference that is not small marks an outline.
    const bend = Math.abs(left + right - 2 * s) + Math.abs(above + below - 2 * s);
    if (bend < 0.75 + 0.25 * slope) {
      const tangent = (slope * this.#camera.fx) / (2 * BORDER * s);
      return grazing && tangent > GRAZING * (1 + 0.08 * (g + h)) ? 0 : s;
    }
    if (speckle && g + h > LOST.outline) return 0;
    const measured = lateral ? steps[i + this.#wander[own] + this.#wander[now] * stride] : s;
    if (flying && measured > 0 && Math.abs(g - h) < 0.12) {
      // A matching window across an outline finds a disparity between those of its two sides.
      const near = Math.max(left, right, above, below, s);
      const far = Math.min(left || near, right || near, above || near, below || near, s || near);
      return far + (near - far) * (0.5 + 0.5 * Math.sin(40 * g));
    }
    return measured;
  }

  #toSteps(metres: Float32Array): void {
    const { width, height } = this.#camera;
    const steps = this.#steps;
    const stride = width + 2 * BORDER;
    for (let y = 0; y < height; y++) {
      const row = (y + BORDER) * stride + BORDER;
      for (let x = 0; x < width; x++) {
        const z = metres[y * width + x];
        steps[row + x] = z > CLOSEST_M ? STEPS_M / z : 0;
      }
      steps.fill(steps[row], row - BORDER, row);
      steps.fill(steps[row + width - 1], row + width, row + width + BORDER);
    }
    const [first, last] = [BORDER * stride, (height + BORDER - 1) * stride];
    for (let k = 1; k <= BORDER; k++) {
      steps.copyWithin(first - k * stride, first, first + stride);
      steps.copyWithin(last + k * stride, last, last + stride);
    }
  }
}

const noiseAt = ({ grain, own, field }: LiveNoise & { readonly field: Field }, steps: number, at: number) =>
  grain[steps] * field.values[at] + own[steps] * field.white[at];
