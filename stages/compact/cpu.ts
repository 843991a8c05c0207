import type { ColorArray, DepthArray, FrameShape } from "../../sources/core/frame.ts";
import type { CpuPoints, Twin } from "../core/stage.ts";

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
 * Compaction as a CPU twin: writes the valid pixels as points in raster order. Its tiles are the image's rows. The points' arrays have room
 * for `width` × `height` points and are reused for the next frame.
 */
export function compactTwin({ intrinsics, metresPerUnit }: FrameShape, parameters: CompactParameters): Twin {
  const { width, height } = intrinsics;
  const floats = new Float32Array(width * height * 4);
  const points: CpuPoints = { floats, words: new Uint32Array(floats.buffer), count: 0 };
  const starts = new Uint32Array(height + 1);
  const painter: Painter = {
    range: { near: 0, span: 1 },
    rays: raysOf(intrinsics),
    colors: undefined,
  };
  return {
    run(frame) {
      const { nearM, farM } = parameters;
      painter.range = rangeOf(nearM, farM, metresPerUnit);
      painter.colors = frame.color && wordsOf(frame.color);
      const depth = frame.shown ?? frame.depth;
      count(depth, starts);
      prefix(starts);
      move(depth, starts, painter, metresPerUnit, points);
      points.count = starts[height];
      frame.points = points;
    },
  };
}

/** What a point's colour is made from. */
interface Painter {
  range: Range;
  readonly rays: Rays;
  /** One RGBA word per pixel; alpha 0 where a pixel has no colour. `undefined` if the frame has no colour. */
  colors: Uint32Array | undefined;
}

/** An image's pixels as words: a view, or a copy if its bytes are not aligned to words. */
export function wordsOf({ data }: ColorArray): Uint32Array {
  const { buffer, byteOffset } = data.byteOffset % 4 === 0 ? data : data.slice();
  return new Uint32Array(buffer, byteOffset, data.length / 4);
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

function move(
  { data, shape: [height, width] }: DepthArray,
  starts: Uint32Array,
  painter: Painter,
  metresPerUnit: number,
  { floats, words }: CpuPoints,
): void {
  const { rays, range, colors } = painter;
  const unit = Math.fround(metresPerUnit);
  for (let y = 0, pixel = 0; y < height; y++) {
    const rayY = rays.y[y];
    let at = starts[y] * 4;
    for (let x = 0; x < width; x++, pixel++) {
      const value = data[pixel];
      if (value === 0) continue;
      const z = Math.fround(value * unit);
      floats[at] = rays.x[x] * z;
      floats[at + 1] = rayY * z;
      floats[at + 2] = z;
      const color = colors ? colors[pixel] : 0;
      words[at + 3] = color >>> 24 ? color : greyOf(value, range);
      at += 4;
    }
  }
}

/** The grey of a point without colour: the farther, the darker. */
function greyOf(value: number, { near, span }: Range): number {
  const far = Math.min(Math.max(value, near) - near, span);
  return 0xff000000 + (240 - Math.floor((far * 192) / span)) * 0x010101;
}
