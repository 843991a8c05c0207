import type { DepthArray, FrameShape } from "../../core/frame.ts";
import type { CpuPoints, Twin } from "../core/stage.ts";
import { wordsOf } from "../core/words.ts";

/** The depths from light to dark grey, in depth units: from `near` to `near + span`. `span` is at least 1. */
export interface Range {
  near: number;
  span: number;
}

/** The range from `nearM` to `farM`. If `farM` is not beyond `nearM`, the grey jumps from light to dark at `nearM`. */
export function rangeOf(nearM: number, farM: number, metresPerUnit: number): Range {
  const near = Math.round(nearM / metresPerUnit);
  return { near, span: Math.max(1, Math.round(farM / metresPerUnit) - near) };
}

/** The x and y of each pixel's ray, whose z along the optical axis is 1; rounded to f32 as the kernel rounds them. */
interface Rays {
  readonly x: Float32Array;
  readonly y: Float32Array;
}

export function raysOf({ width, height, fx, fy, cx, cy }: FrameShape["intrinsics"]): Rays {
  const ray = (count: number, centre: number, focal: number) => {
    const [c, inverse] = [Math.fround(centre), Math.fround(1 / focal)];
    return Float32Array.from({ length: count }, (_, i) => Math.fround(i - c) * inverse);
  };
  return { x: ray(width, cx, fx), y: ray(height, cy, fy) };
}

/** The stage's parameters. The object is live: later changes show in it. */
export interface CompactParameters {
  readonly nearM: number;
  readonly farM: number;
}

/**
 * The twin of shaders/compact/: writes the valid pixels as points in raster order. Its tiles are the image's rows, in place of the kernels'
 * workgroups. The points' arrays have room for `width` × `height` points and are reused for the next frame.
 */
export function compactTwin({ intrinsics, metresPerUnit }: FrameShape, parameters: CompactParameters): Twin {
  const { width, height } = intrinsics;
  const floats = new Float32Array(width * height * 4);
  const points: CpuPoints = { floats, words: new Uint32Array(floats.buffer), count: 0 };
  const starts = new Uint32Array(height + 1);
  const making: Making = {
    points,
    unit: Math.fround(metresPerUnit),
    range: { near: 0, span: 1 },
    rays: raysOf(intrinsics),
    colors: undefined,
  };
  return {
    run(frame) {
      const { nearM, farM } = parameters;
      making.range = rangeOf(nearM, farM, metresPerUnit);
      making.colors = frame.color && wordsOf(frame.color);
      const depth = frame.shown ?? frame.depth;
      count(depth, starts);
      prefix(starts);
      move(depth, starts, making);
      points.count = starts[height];
      frame.points = points;
    },
  };
}

/** The points, and what they are made of beside depth. */
interface Making {
  readonly points: CpuPoints;
  /** Metres per unit of depth. */
  readonly unit: number;
  range: Range;
  readonly rays: Rays;
  /** One RGBA word per pixel; alpha 0 where a pixel has no colour. `undefined` if the frame has no colour. */
  colors: Uint32Array | undefined;
}

/** Counts the valid pixels of each row. The last entry of `counts` stays 0. */
function count({ data, shape: [height, width] }: DepthArray, counts: Uint32Array): void {
  for (let y = 0, at = 0; y < height; y++) {
    let valid = 0;
    for (const end = at + width; at < end; at++) if (data[at] !== 0) valid++;
    counts[y] = valid;
  }
  counts[height] = 0;
}

/** Exclusive scan: replaces each count by the sum of the counts before it. */
function prefix(counts: Uint32Array): void {
  for (let i = 0, sum = 0; i < counts.length; i++) {
    const own = counts[i];
    counts[i] = sum;
    sum += own;
  }
}

/** Writes the points of all rows; `starts` has the index of each row's first point. */
function move({ data, shape: [height, width] }: DepthArray, starts: Uint32Array, making: Making): void {
  for (let v = 0, pixel = 0; v < height; v++) {
    let at = starts[v];
    for (let u = 0; u < width; u++, pixel++) {
      if (data[pixel] !== 0) movePixel(making, u, v, data[pixel], at++, pixel);
    }
  }
}

function movePixel(making: Making, u: number, v: number, value: number, at: number, pixel: number): void {
  const { points, unit, rays, range, colors } = making;
  const { floats, words } = points;
  const z = Math.fround(value * unit);
  floats[4 * at] = rays.x[u] * z;
  floats[4 * at + 1] = rays.y[v] * z;
  floats[4 * at + 2] = z;
  words[4 * at + 3] = colorOf(colors ? colors[pixel] : 0, value, range);
}

/** The image's colour. Pixels without a colour (alpha 0) get a grey, the darker the farther they are. */
function colorOf(color: number, value: number, { near, span }: Range): number {
  if (color >>> 24 !== 0) return color;
  const far = Math.min(Math.max(value, near) - near, span);
  return 0xff000000 + (240 - Math.floor((far * 192) / span)) * 0x010101;
}
