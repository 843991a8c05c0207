import { type Rays, raysOf } from "../core/calibration/rays.ts";
import { checkFrame } from "../core/checkFrame.ts";
import { type DepthFrame, type Intrinsics, image, sameShape } from "../core/frame.ts";
import type { Vec3 } from "../core/geometry.ts";
import { depthOf, frameOf } from "../core/plainFrame.ts";
import { estimateNoise, type Noise } from "../stages/core/noise.ts";
import { changeIn } from "./changed.ts";
import type { Bumps, TakenScene } from "./field.ts";

/** The mean of the frames of a camera that stands, as all measurements take it. */
export interface Scene {
  /** The image's width, px. */
  readonly width: number;
  /** The image's height, px. */
  readonly height: number;
  /** Depth along the optical axis in metres, row-major; 0 where no depth is known or where it is not steady over the frames. */
  readonly z: Float32Array;
  /** How much each pixel's depth varies from frame to frame, as one standard deviation in metres. */
  readonly spread: Float32Array;
  /** The ray (x, y, 1) of each pixel. */
  readonly rays: Rays;
  /** The camera's intrinsics, with its lens model. */
  readonly intrinsics: Intrinsics;
  /** The number of frames in the mean. */
  readonly frames: number;
  /** The share of pixels with a depth, over all frames. */
  readonly validShare: number;
  /** The sensor's noise; `undefined` if it could not be measured. */
  readonly noise: Noise | undefined;
  /** What was assumed of the frames. */
  readonly assumed?: DepthFrame["assumed"];
  /** The bumps of depth that stay, where they were looked for. */
  readonly bumps?: Bumps | undefined;
  /** Whether somebody stated how wrong the camera may be; this replaces the usual error of its kind. */
  readonly isStated?: boolean | undefined;
}

/** A pixel counts if it has a depth in at least this share of the frames. */
const OFTEN = 0.5;
/** A pixel sees several surfaces in turn if its depth varies by more than UNSTEADY times the noise and by more than this share, STEADY. */
const UNSTEADY = 5;
const STEADY = 0.004;
/** One pixel of LOOK is looked at: the camera moved if more than the share MOVED of these differ in depth by more than the share OTHER. */
const LOOK = 37;
const MOVED = 0.25;
const OTHER = 0.06;

/** Takes frames of a camera that stands and gives their mean. `noise` is measured in the first three if it is not given. */
export class SceneBuilder {
  readonly #first: DepthFrame[] = [];
  #count = new Uint32Array(0);
  #sum = new Float64Array(0);
  #squares = new Float64Array(0);
  #frames = 0;
  /** By how much depth differs in the mean in the last frame that `changedIn` saw: 1 is much for two frames of a camera that stands. */
  shift = 0;
  /** The noise that was measured, and in how many frames. */
  #measured: { readonly of: number; readonly noise: Noise | undefined } | undefined;

  constructor(
    /** The sensor's noise, where it is known already. */
    readonly given?: Noise,
    /** @internal What another builder has taken; this builder goes on from there. */
    taken?: TakenScene,
  ) {
    if (!taken) return;
    this.#first = taken.first.map(frameOf);
    [this.#count, this.#sum, this.#squares, this.#frames] = [taken.count, taken.sum, taken.squares, taken.frames];
  }

  /** @internal What this builder has taken. The memory is shared with the builder. */
  get taken(): TakenScene {
    const [count, sum, squares] = [this.#count, this.#sum, this.#squares];
    return { first: this.#first.map(depthOf), count, sum, squares, frames: this.#frames };
  }

  /** The number of frames that have been taken. */
  get frames(): number {
    return this.#frames;
  }

  /** The sensor's noise, as it was given or measured; `undefined` if it cannot be measured. */
  get noise(): Noise | undefined {
    const { length: of } = this.#first;
    if (this.given || of === 0) return this.given;
    if (this.#measured?.of !== of) this.#measured = { of, noise: estimateNoise(this.#first) };
    return this.#measured.noise;
  }

  /** Takes a frame into the mean. Returns false if the frame is left out, since it sees something else, or has another size or lens. */
  add(frame: DepthFrame): boolean {
    checkFrame(frame);
    const [{ data }, [first]] = [frame.depth, this.#first];
    if (!first) {
      this.#count = new Uint32Array(data.length);
      this.#sum = new Float64Array(data.length);
      this.#squares = new Float64Array(data.length);
    } else if (!sameShape(first, frame) || this.#hasMoved(data)) return false;
    // The source may use the frame's memory again for later frames.
    if (this.#first.length < 3) this.#first.push({ ...frame, depth: image(data.slice(), [...frame.depth.shape]) });
    this.#put(data, 1);
    return true;
  }

  /** Takes a frame out of the mean again that `add` took. Sums of whole numbers stay exact. */
  remove({ depth: { data } }: DepthFrame): void {
    this.#put(data, -1);
  }

  #put(data: Uint16Array, sign: 1 | -1): void {
    const [count, sum, squares] = [this.#count, this.#sum, this.#squares];
    for (let i = 0; i < data.length; i++) {
      const value = data[i];
      if (value === 0) continue;
      count[i] += sign;
      sum[i] += sign * value;
      squares[i] += sign * value * value;
    }
    this.#frames += sign;
  }

  /** Whether many pixels see another depth than until now. */
  #hasMoved(data: Uint16Array): boolean {
    let [seen, other] = [0, 0];
    for (let i = 0; i < data.length; i += LOOK) {
      if (data[i] === 0 || this.#count[i] === 0) continue;
      seen++;
      if (Math.abs(data[i] * this.#count[i] - this.#sum[i]) > OTHER * this.#sum[i]) other++;
    }
    return other > MOVED * seen;
  }

  /** The share of the steady pixels that see another depth in this frame than until now; 1 for another shape. See `changeIn`. */
  changedIn(frame: DepthFrame): number {
    const [first, , third] = this.#first;
    if (!first || !sameShape(first, frame)) return 1;
    const metresAt = (i: number) => this.#metresAt(i, first.metresPerUnit);
    const { share, shift } = changeIn(frame, metresAt, this.noise, this.given !== undefined || third !== undefined);
    this.shift = shift;
    return share;
  }

  /** The median over a part of the image of how much a pixel's depth varies, m, in one standard deviation; NaN in fewer than 3 frames. */
  variesBy(region: Region): number {
    const [first] = this.#first;
    if (!first || this.#frames < 3) return Number.NaN;
    const spreads: number[] = [];
    const often = Math.max(3, OFTEN * this.#frames);
    eachPixel(first.intrinsics, region, (i) => this.#count[i] >= often && spreads.push(this.#spreadAt(i)));
    return (Float64Array.from(spreads).sort()[spreads.length >> 1] ?? Number.NaN) * first.metresPerUnit;
  }

  /** The standard deviation of a pixel's depth, in units. */
  #spreadAt(i: number): number {
    const n = this.#count[i];
    return Math.sqrt(Math.max(0, this.#squares[i] / n - (this.#sum[i] / n) ** 2));
  }

  /** The mean depth of a pixel, m; 0 where it is seldom known or not steady. */
  #metresAt(i: number, metresPerUnit: number): number {
    const n = this.#count[i];
    if (n < Math.max(1, OFTEN * this.#frames)) return 0;
    const metres = (this.#sum[i] / n) * metresPerUnit;
    if (n === 1) return metres;
    const usual = (UNSTEADY * (this.noise?.sigmaMm(metres) ?? 0)) / 1000;
    return this.#spreadAt(i) * metresPerUnit > Math.max(usual, STEADY * metres) ? 0 : metres;
  }

  /** The mean until now; `undefined` before the first frame. */
  build(): Scene | undefined {
    const [first] = this.#first;
    if (!first) return undefined;
    const { intrinsics, metresPerUnit, assumed } = first;
    const z = new Float32Array(this.#sum.length);
    const [spread, rays] = [new Float32Array(z.length), raysOf(intrinsics)];
    let valid = 0;
    for (let i = 0; i < z.length; i++) {
      valid += this.#count[i];
      if (!Number.isNaN(rays.x[i])) z[i] = this.#metresAt(i, metresPerUnit);
      if (this.#count[i] > 1) spread[i] = this.#spreadAt(i) * metresPerUnit;
    }
    const { width, height } = intrinsics;
    const validShare = valid / Math.max(1, z.length * this.#frames);
    const rest = { frames: this.#frames, validShare, noise: this.noise, ...(assumed && { assumed }) };
    return { width, height, z, spread, rays, intrinsics, ...rest };
  }
}

/** The point that a pixel sees, in metres; x right, y down, z forward. */
export const pointOf = ({ z, rays }: Scene, i: number): Vec3 => [rays.x[i] * z[i], rays.y[i] * z[i], z[i]];

/** The mean of the points that pixels see, in metres. */
export function meanPoint(scene: Scene, pixels: readonly number[]): Vec3 {
  const meanOf = (k: 0 | 1 | 2) => pixels.reduce((sum, i) => sum + pointOf(scene, i)[k], 0) / pixels.length;
  return [meanOf(0), meanOf(1), meanOf(2)];
}

/** The noise of one pixel of one frame at a distance, in metres. */
export const sigmaAt = ({ noise }: Scene, z: number): number =>
  noise ? Math.max(1e-4, noise.sigmaMm(z) / 1000) : 0.002 * z * z + 5e-4;

/** A pixel of the depth image. */
export interface Pixel {
  /** The column, from 0. */
  readonly x: number;
  /** The row, from 0. */
  readonly y: number;
}

/** A width × height of pixels from (x, y). */
export interface Rect extends Pixel {
  /** The width, px. */
  readonly width: number;
  /** The height, px. */
  readonly height: number;
}

/** A part of the image: a rectangle, or what lies within an outline. */
export interface Region extends Rect {
  /** The corners of a free outline, whose edges may have any direction; the rectangle is the one around them. */
  readonly outline?: readonly Pixel[] | undefined;
}

/** The columns of an image's row that belong to a part of the image, as from ≤ column < to; an outline's by the even-odd rule. */
function spansIn({ width }: Pick<Scene, "width">, { x, width: wide, outline }: Region, row: number) {
  const cut = (from: number, to: number) =>
    [Math.max(0, Math.min(width, from)), Math.max(0, Math.min(width, to))] as const;
  if (!outline) return [cut(Math.round(x), Math.round(x + wide))];
  const crossings = outline
    .flatMap(({ x: x0, y: y0 }, k) => {
      const { x: x1, y: y1 } = outline[(k + 1) % outline.length];
      return y0 <= row !== y1 <= row ? [x0 + ((row - y0) / (y1 - y0)) * (x1 - x0)] : [];
    })
    .sort((a, b) => a - b);
  return crossings.flatMap((from, k) => (k % 2 === 0 ? [cut(Math.ceil(from), Math.ceil(crossings[k + 1]))] : []));
}

/** Calls `look` with every `step`th pixel of every `step`th row of a part of the image. */
export function eachPixel(
  size: Pick<Scene, "width" | "height">,
  region: Region,
  look: (i: number) => void,
  step = 1,
): void {
  const within = (y: number) => Math.max(0, Math.min(size.height, Math.round(y)));
  for (let y = within(region.y); y < within(region.y + region.height); y += step)
    for (const [from, to] of spansIn(size, region, y)) for (let x = from; x < to; x += step) look(y * size.width + x);
}

/**
 * The pixels of a part of the image that have a depth, at most about `most` of them, one in `step` × `step`; and the number that they were
 * chosen from.
 */
export function pixelsIn(scene: Scene, region: Region, most = Number.POSITIVE_INFINITY) {
  const { x, y, width, height } = region;
  const within = (from: number, size: number, limit: number) => Math.min(limit, from + size) - Math.max(0, from);
  const area = within(x, width, scene.width) * within(y, height, scene.height);
  const step = Math.max(1, Math.ceil(Math.sqrt(area / most)));
  const pixels: number[] = [];
  let all = 0;
  const look = (i: number) => {
    all++;
    if (scene.z[i] > 0) pixels.push(i);
  };
  eachPixel(scene, region, look, step);
  return { pixels, all, step };
}
