import { LensModel, type PlanePoint } from "../../../sources/calibration/lens.ts";
import type { DepthFrame, Intrinsics } from "../../../sources/core/frame.ts";
import type { Noise } from "../../../stages/core/noise.ts";

// What moves before a camera that stands: in each frame the pixels that are nearer than what stands behind them.

/** About how wide the small images are, px, and how many frames are kept. */
const [ACROSS, MOST_FRAMES] = [240, 600];
/** Of how many frames the background is the upper quartile. */
const BACKGROUND_FRAMES = 64;
/** A pixel moves if it is nearer than the background by so many times the noise, this share of the distance, and so many metres. */
const [SIGMAS, SHARE, LEAST_M] = [6, 0.012, 0.03];
/** So many of a moving pixel's eight neighbours move, too; and of a point's, which are at most this far from it, m. */
const [TOGETHER, WHOLE, BESIDE_M] = [4, 7, 0.06];
/** Of how many points of a frame it is asked where they are at other times. */
const POINTS = 150;
/** Distances in an image: to a neighbour, across a corner (chamfer 3-4 of Borgefors 1986, twice), and the farthest. */
const [SIDE, CORNER, FAR] = [6, 8, 127];
/** The unit of these distances, px. */
export const PART = 1 / SIDE;

/** What moves before a camera, in small images. */
export interface Motion {
  /** The camera's intrinsics. */
  readonly intrinsics: Intrinsics;
  /** The small images' width, px. */
  readonly across: number;
  /** Their height, px. */
  readonly down: number;
  /** How many pixels of the camera a pixel of a small image is wide. */
  readonly step: number;
  /** Each frame's time by the camera's clock, ms. */
  readonly times: Float64Array;
  /** Frame by frame, the depth of each pixel on what moves, in units; 0 elsewhere, and on outlines, where it is often a mean. */
  readonly depths: Uint16Array;
  /** The metres that a unit of `depths` is. */
  readonly metresPerUnit: number;
  /** Frame by frame, how far a pixel lies within the outline of what moves (above 0) or outside (below), in `PART`s of a pixel. */
  readonly within: Int8Array;
  /** What stands, m; 0 where nothing is known of it. */
  readonly background: Float32Array;
  /** By how much a pixel has to be nearer to move, m. */
  readonly reach: Float32Array;
  /** Points on what moves, in the camera's axes, m; those of frame k are numbers `firsts[k]` to `firsts[k + 1]`. */
  readonly points: Float32Array;
  /** The number of each frame's first point, and at last the number of points. */
  readonly firsts: Uint32Array;
}

/** Takes a camera's frames and keeps small images of them. */
export class MotionWatch {
  readonly #images: Uint16Array[] = [];
  readonly #times: number[] = [];
  #size = { across: 0, down: 0, step: 1, width: 0 };
  #camera: { readonly intrinsics: Intrinsics; readonly metresPerUnit: number } | undefined;

  /** Takes the next frame. */
  add({ depth: { data, shape }, metresPerUnit, intrinsics, timestamp }: DepthFrame): void {
    const [height, width] = shape;
    if (!this.#camera) {
      const step = Math.max(1, Math.round(width / ACROSS));
      this.#size = { across: Math.floor(width / step), down: Math.floor(height / step), step, width };
      this.#camera = { intrinsics, metresPerUnit };
    }
    const { across, down, step } = this.#size;
    const last = this.#times[this.#times.length - 1];
    const isOther = width !== this.#size.width || Math.floor(height / step) !== down;
    if (isOther || timestamp <= last || this.#times.length >= MOST_FRAMES) return;
    const small = new Uint16Array(across * down);
    for (let y = 0, i = 0; y < down; y++)
      for (let x = 0; x < across; x++, i++) small[i] = data[(y * step + (step >> 1)) * width + x * step + (step >> 1)];
    this.#images.push(small);
    this.#times.push(timestamp);
  }

  /** What moved; `undefined` before the first frame. `noise` is the sensor's, where it is known. */
  build(noise: Noise | undefined): Motion | undefined {
    if (!this.#camera) return undefined;
    const { intrinsics, metresPerUnit } = this.#camera;
    const { across, down, step } = this.#size;
    const [size, count] = [across * down, this.#images.length];
    const background = backgroundOf(this.#images).map((z) => z * metresPerUnit);
    const reach = background.map((z) => {
      const sigmaM = noise ? noise.sigmaMm(z) / 1000 : 0.002 * z * z;
      return Math.max(LEAST_M, SHARE * z, SIGMAS * sigmaM);
    });
    const [depths, within] = [new Uint16Array(size * count), new Int8Array(size * count)];
    const firsts = new Uint32Array(count + 1);
    const points: number[] = [];
    const ray = rayBy(intrinsics, across, step);
    const frame = {
      across,
      down,
      depths: new Float32Array(size),
      moves: new Uint8Array(size),
      stands: new Uint8Array(size),
      moving: new Uint8Array(size),
    };
    for (const [k, image] of this.#images.entries()) {
      for (let i = 0; i < size; i++) frame.depths[i] = image[i] * metresPerUnit;
      whatMoves(frame, background, reach);
      sidesOf(frame, within.subarray(k * size, (k + 1) * size));
      const inner = innerOf(frame);
      for (const i of inner) depths[k * size + i] = image[i];
      const every = Math.max(1, inner.length / POINTS);
      for (let n = 0; n < inner.length; n += every) {
        const i = inner[Math.floor(n)];
        const [z, [x, y]] = [frame.depths[i], ray(i)];
        points.push(x * z, y * z, z);
      }
      firsts[k + 1] = points.length / 3;
    }
    const shape = { intrinsics, across, down, step, times: Float64Array.from(this.#times) };
    return { ...shape, depths, metresPerUnit, within, background, reach, points: Float32Array.from(points), firsts };
  }
}

/** Gives the ray (x, y, 1) through a pixel of the small image. */
function rayBy(intrinsics: Intrinsics, across: number, step: number): (i: number) => PlanePoint {
  const [lens, half] = [new LensModel(intrinsics), step >> 1];
  const ray: PlanePoint = [0, 0];
  return (i) => {
    lens.unproject((i % across) * step + half, Math.floor(i / across) * step + half, ray);
    return ray;
  };
}

interface Frame {
  readonly across: number;
  readonly down: number;
  /** m */
  readonly depths: Float32Array;
  /** Of each pixel, `MOVES`, `STANDS` or `UNKNOWN`. */
  readonly moves: Uint8Array;
  /** Each pixel's distance to what stands and to what moves, in `PART`s of a pixel. */
  readonly stands: Uint8Array;
  readonly moving: Uint8Array;
}

const [STANDS, MOVES, UNKNOWN] = [0, 1, 2];

/** What stands: the upper quartile of each pixel over the frames, since what moves is nearer; 0 where half of them know nothing. */
function backgroundOf(images: readonly Uint16Array[]): Float32Array {
  const every = Math.max(1, images.length / BACKGROUND_FRAMES);
  const some = Array.from(
    { length: Math.min(images.length, BACKGROUND_FRAMES) },
    (_, k) => images[Math.floor(k * every)],
  );
  const values = new Uint16Array(some.length);
  return Float32Array.from(images[0], (_, i) => {
    for (let k = 0; k < some.length; k++) values[k] = some[k][i];
    values.sort();
    const empty = values.lastIndexOf(0) + 1;
    return 2 * empty > values.length ? 0 : values[empty + Math.floor(0.75 * (values.length - empty))];
  });
}

/** Tells which pixels of a frame move: those nearer than the background that are not alone. */
function whatMoves({ across, down, depths, moves }: Frame, background: Float32Array, reach: Float32Array): void {
  for (let i = 0; i < moves.length; i++) {
    if (depths[i] === 0 || background[i] === 0) moves[i] = UNKNOWN;
    else moves[i] = depths[i] < background[i] - reach[i] ? MOVES : STANDS;
  }
  const alone: number[] = [];
  for (let y = 1; y < down - 1; y++)
    for (let x = 1; x < across - 1; x++) {
      const i = y * across + x;
      if (moves[i] === MOVES && movingBeside(moves, i, across, () => true) < TOGETHER) alone.push(i);
    }
  for (const i of alone) moves[i] = UNKNOWN;
}

function movingBeside(moves: Uint8Array, i: number, across: number, isAlike: (j: number) => boolean): number {
  let count = 0;
  for (let dy = -across; dy <= across; dy += across)
    for (let j = i + dy - 1; j <= i + dy + 1; j++) if (j !== i && moves[j] === MOVES && isAlike(j)) count++;
  return count;
}

/** The pixels of a frame that lie on what moves, not on its outline. */
function innerOf({ across, down, depths, moves }: Frame): number[] {
  const inner: number[] = [];
  for (let y = 1; y < down - 1; y++) {
    for (let x = 1; x < across - 1; x++) {
      const i = y * across + x;
      if (moves[i] !== MOVES) continue;
      if (movingBeside(moves, i, across, (j) => Math.abs(depths[j] - depths[i]) < BESIDE_M) >= WHOLE) inner.push(i);
    }
  }
  return inner;
}

/** How far each pixel lies within what moves: the distance to what stands less that to what moves; pixels without depth lie between. */
function sidesOf({ across, down, moves, stands, moving }: Frame, within: Int8Array): void {
  distancesTo(moves, STANDS, across, down, stands);
  distancesTo(moves, MOVES, across, down, moving);
  for (let i = 0; i < moves.length; i++) {
    const [from, to] = [stands[i], moving[i]];
    // An outline lies half a pixel from the pixels at its sides.
    within[i] = from - to + (from === 0 ? SIDE / 2 : to === 0 ? -SIDE / 2 : 0);
  }
}

/** The distance of each pixel to the nearest one of a kind, at most `FAR`. */
function distancesTo(moves: Uint8Array, kind: number, across: number, down: number, out: Uint8Array): void {
  for (let i = 0; i < moves.length; i++) out[i] = moves[i] === kind ? 0 : FAR;
  for (const way of [1, -1]) {
    const start = way === 1 ? 0 : moves.length - 1;
    for (let n = 0, i = start; n < moves.length; n++, i += way) {
      if (out[i] === 0) continue;
      const x = i % across;
      const above = way === 1 ? i >= across : i < (down - 1) * across;
      const [before, after] = way === 1 ? [x > 0, x < across - 1] : [x < across - 1, x > 0];
      let least = out[i];
      if (before) least = Math.min(least, out[i - way] + SIDE);
      if (above) {
        const j = i - way * across;
        least = Math.min(least, out[j] + SIDE);
        if (before) least = Math.min(least, out[j - way] + CORNER);
        if (after) least = Math.min(least, out[j + way] + CORNER);
      }
      out[i] = least;
    }
  }
}
