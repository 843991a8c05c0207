import { LensModel, type PlanePoint } from "../../core/calibration/lens.ts";
import type { DepthFrame, Intrinsics } from "../../core/frame.ts";
import type { Noise } from "../../stages/core/noise.ts";

// What moves before a camera that stands: in each frame, the pixels that are nearer than what stands behind them.

/** About how wide the small images are, px, and how many frames are kept. */
const ACROSS = 240;
const MOST_FRAMES = 600;
/** The number of frames whose upper quartile is the background. */
const BACKGROUND_FRAMES = 64;
/** A moving pixel is nearer than the background by at least: this many times the noise, this share of the distance, this many metres. */
const SIGMAS = 6;
const SHARE = 0.012;
const LEAST_M = 0.03;
/** The fewest of a moving pixel's eight neighbours that move, too. */
const TOGETHER = 4;
/** The fewest of a point's eight neighbours that move and are at most `BESIDE_M` nearer or farther than the point. */
const WHOLE = 7;
const BESIDE_M = 0.06;
/** The number of points of a frame that are looked for at other times. */
const POINTS = 150;
/** px: a surface's slope is taken from neighbours this far away. */
const NEIGHBOUR = 2;
/** Distances in an image: to a neighbour, across a corner (chamfer 3-4 of Borgefors 1986, twice), and the farthest. */
const SIDE = 6;
const CORNER = 8;
const FAR = 127;
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
  /** The depth of what stands, m; 0 where nothing is known of it. */
  readonly background: Float32Array;
  /** By how much a pixel has to be nearer to move, m. */
  readonly reach: Float32Array;
  /** Points on what moves, in the camera's axes, m; those of frame k are numbers `firsts[k]` to `firsts[k + 1]`. */
  readonly points: Float32Array;
  /** For each point a vector of length 1 into the thing, at right angles to its surface; 0 where the neighbours do not show it. */
  readonly inwards: Float32Array;
  /** The number of each frame's first point, and at last the number of points. */
  readonly firsts: Uint32Array;
}

/** What a `MotionWatch` has taken, as plain data for another thread. */
export interface Watched {
  readonly images: Uint16Array[];
  readonly times: number[];
  size: { readonly across: number; readonly down: number; readonly step: number; readonly width: number };
  camera: { readonly intrinsics: Intrinsics; readonly metresPerUnit: number } | undefined;
}

/** Takes a camera's frames and keeps small images of them. */
export class MotionWatch {
  constructor(
    readonly taken: Watched = {
      images: [],
      times: [],
      size: { across: 0, down: 0, step: 1, width: 0 },
      camera: undefined,
    },
  ) {}

  /** Takes the next frame. */
  add({ depth: { data, shape }, metresPerUnit, intrinsics, timestamp }: DepthFrame): void {
    const [height, width] = shape;
    if (!this.taken.camera) {
      const step = Math.max(1, Math.round(width / ACROSS));
      this.taken.size = { across: Math.floor(width / step), down: Math.floor(height / step), step, width };
      this.taken.camera = { intrinsics, metresPerUnit };
    }
    const { across, down, step } = this.taken.size;
    const last = this.taken.times[this.taken.times.length - 1];
    const isOther = width !== this.taken.size.width || Math.floor(height / step) !== down;
    if (isOther || timestamp <= last || this.taken.times.length >= MOST_FRAMES) return;
    const small = new Uint16Array(across * down);
    for (let y = 0, i = 0; y < down; y++)
      for (let x = 0; x < across; x++, i++) small[i] = data[(y * step + (step >> 1)) * width + x * step + (step >> 1)];
    this.taken.images.push(small);
    this.taken.times.push(timestamp);
  }

  /** What moved; `undefined` before the first frame. `noise` is the sensor's, where it is known. */
  build(noise: Noise | undefined): Motion | undefined {
    if (!this.taken.camera) return undefined;
    const { intrinsics, metresPerUnit } = this.taken.camera;
    const { across, down, step } = this.taken.size;
    const [size, count] = [across * down, this.taken.images.length];
    const background = backgroundOf(this.taken.images).map((z) => z * metresPerUnit);
    const reach = background.map((z) => {
      const sigmaM = noise ? noise.sigmaMm(z) / 1000 : 0.002 * z * z;
      return Math.max(LEAST_M, SHARE * z, SIGMAS * sigmaM);
    });
    const [depths, within] = [new Uint16Array(size * count), new Int8Array(size * count).fill(-FAR)];
    const firsts = new Uint32Array(count + 1);
    const [points, inwards]: number[][] = [[], []];
    const ray = rayBy(intrinsics, across, step);
    const nearer = background.map((z, i) => (z - reach[i]) / metresPerUnit);
    const [moves, stands, moving] = [new Uint8Array(size), new Uint8Array(size), new Uint8Array(size)];
    for (const [k, image] of this.taken.images.entries()) {
      const frame = { across, down, image, moves, stands, moving };
      const box = whatMoves(frame, nearer);
      sidesOf(frame, box, within.subarray(k * size, (k + 1) * size));
      const inner = innerOf(frame, box, BESIDE_M / metresPerUnit);
      for (const i of inner) depths[k * size + i] = image[i];
      const every = Math.max(1, inner.length / POINTS);
      for (let n = 0; n < inner.length; n += every) {
        const i = inner[Math.floor(n)];
        const [z, [x, y]] = [image[i] * metresPerUnit, ray(i)];
        points.push(x * z, y * z, z);
        inwards.push(...inwardOf(depths.subarray(k * size, (k + 1) * size), i, across, ray));
      }
      firsts[k + 1] = points.length / 3;
    }
    const shape = { intrinsics, across, down, step, times: Float64Array.from(this.taken.times) };
    const [at, sides] = [Float32Array.from(points), Float32Array.from(inwards)];
    return { ...shape, depths, metresPerUnit, within, background, reach, points: at, inwards: sides, firsts };
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

/** The direction into a surface, from the neighbours of a pixel at `NEIGHBOUR` px; 0 where one of them is not on what moves. */
function inwardOf(depths: Uint16Array, i: number, across: number, ray: (i: number) => PlanePoint): readonly number[] {
  const beside = [i - NEIGHBOUR, i + NEIGHBOUR, i - NEIGHBOUR * across, i + NEIGHBOUR * across];
  if (beside.some((j) => !(depths[j] > 0))) return [0, 0, 0];
  const [left, right, top, bottom] = beside.map((j) => {
    const [x, y] = ray(j);
    return [x * depths[j], y * depths[j], depths[j]];
  });
  const [a, b] = [right.map((value, c) => value - left[c]), bottom.map((value, c) => value - top[c])];
  const inward = [0, 1, 2].map((c) => a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3]);
  const length = Math.hypot(...inward);
  return inward.map((value) => value / length);
}

interface Frame {
  readonly across: number;
  readonly down: number;
  /** Depth in units. */
  readonly image: Uint16Array;
  /** For each pixel `MOVES`, `STANDS` or `UNKNOWN`. */
  readonly moves: Uint8Array;
  /** Each pixel's distance to what stands and to what moves, in `PART`s of a pixel. */
  readonly stands: Uint8Array;
  readonly moving: Uint8Array;
}

/** A part of an image, px: its first columns and rows, and those after its last. */
interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const STANDS = 0;
const MOVES = 1;
const UNKNOWN = 2;

/**
 * What stands: the upper quartile of each pixel over the frames, since what moves is nearer; 0 for a pixel that has no depth in half of
 * them.
 */
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

/**
 * Tells which pixels of a frame move: those nearer than `nearer`, units, that are not alone. Gives the part of the image around these
 * pixels.
 */
function whatMoves({ across, down, image, moves }: Frame, nearer: Float32Array): Box {
  for (let i = 0; i < moves.length; i++)
    moves[i] = image[i] === 0 || nearer[i] <= 0 ? UNKNOWN : image[i] < nearer[i] ? MOVES : STANDS;
  const alone: number[] = [];
  const box = { left: across, top: down, right: 0, bottom: 0 };
  for (let y = 0, i = 0; y < down; y++)
    for (let x = 0; x < across; x++, i++) {
      if (moves[i] !== MOVES) continue;
      const isBorder = x === 0 || y === 0 || x === across - 1 || y === down - 1;
      if (!isBorder && movingBeside(moves, image, i, across, Number.POSITIVE_INFINITY) < TOGETHER) alone.push(i);
      else {
        box.left = Math.min(box.left, x);
        box.top = Math.min(box.top, y);
        box.right = Math.max(box.right, x + 1);
        box.bottom = y + 1;
      }
    }
  for (const i of alone) moves[i] = UNKNOWN;
  return box;
}

/** How many of a pixel's eight neighbours move and are less than `most` units nearer or farther. */
function movingBeside(moves: Uint8Array, image: Uint16Array, i: number, across: number, most: number): number {
  let count = 0;
  for (let dy = -across; dy <= across; dy += across)
    for (let j = i + dy - 1; j <= i + dy + 1; j++)
      if (j !== i && moves[j] === MOVES && Math.abs(image[j] - image[i]) < most) count++;
  return count;
}

/** The pixels of a frame that lie on what moves, not on its outline. */
function innerOf({ across, down, image, moves }: Frame, { left, top, right, bottom }: Box, most: number): number[] {
  const inner: number[] = [];
  for (let y = Math.max(1, top); y < Math.min(bottom, down - 1); y++) {
    for (let x = Math.max(1, left); x < Math.min(right, across - 1); x++) {
      const i = y * across + x;
      if (moves[i] === MOVES && movingBeside(moves, image, i, across, most) >= WHOLE) inner.push(i);
    }
  }
  return inner;
}

/**
 * How far each pixel lies within what moves: the distance to what stands less the distance to what moves. Pixels without depth lie between
 * the two. Pixels at least `FAR` away from the box of what moves stay as they are.
 */
function sidesOf({ across, down, moves, stands, moving }: Frame, box: Box, within: Int8Array): void {
  const beside = Math.ceil(FAR / SIDE);
  const around = {
    left: Math.max(0, box.left - beside),
    right: Math.min(across, box.right + beside),
    top: Math.max(0, box.top - beside),
    bottom: Math.min(down, box.bottom + beside),
  };
  if (box.right === 0) return;
  distancesTo(moves, STANDS, across, around, stands);
  distancesTo(moves, MOVES, across, around, moving);
  for (let y = around.top; y < around.bottom; y++)
    for (let i = y * across + around.left; i < y * across + around.right; i++) {
      const [from, to] = [stands[i], moving[i]];
      // An outline lies half a pixel from the pixels at its sides.
      within[i] = from - to + (from === 0 ? SIDE / 2 : to === 0 ? -SIDE / 2 : 0);
    }
}

/** The distance of each pixel of a part of the image to the nearest one there of a kind, at most `FAR`. */
function distancesTo(moves: Uint8Array, kind: number, across: number, box: Box, out: Uint8Array): void {
  const { left, top, right, bottom } = box;
  for (let y = top; y < bottom; y++)
    for (let i = y * across + left; i < y * across + right; i++) out[i] = moves[i] === kind ? 0 : FAR;
  for (const way of [1, -1]) {
    const [firstX, endX] = way === 1 ? [left, right] : [right - 1, left - 1];
    const [firstY, endY] = way === 1 ? [top, bottom] : [bottom - 1, top - 1];
    for (let y = firstY; y !== endY; y += way) {
      for (let x = firstX, i = y * across + x; x !== endX; x += way, i += way) {
        let least = out[i];
        if (least === 0) continue;
        if (x !== firstX) least = Math.min(least, out[i - way] + SIDE);
        if (y !== firstY) {
          const j = i - way * across;
          least = Math.min(least, out[j] + SIDE);
          if (x !== firstX) least = Math.min(least, out[j - way] + CORNER);
          if (x + way !== endX) least = Math.min(least, out[j + way] + CORNER);
        }
        out[i] = least;
      }
    }
  }
}
