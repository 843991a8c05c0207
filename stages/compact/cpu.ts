import type { ColorArray, DepthArray, FrameShape } from "../../sources/frame.ts";
import type { CpuPoints, Twin } from "../stage.ts";

/** Where a point's colour comes from. */
export type ColorBy = "rgb" | "depth" | "normal";

/** The distances that the palette spans, in units of depth. `span` is 1 or more. */
export interface Range {
  near: number;
  span: number;
}

const GREY = 0xff808080;

/** The range from `nearM` to `farM`; a far end that is not beyond the near one leaves a step from nearest to farthest. */
export function rangeOf(nearM: number, farM: number, metresPerUnit: number): Range {
  const near = Math.round(nearM / metresPerUnit);
  return { near, span: Math.max(1, Math.round(farM / metresPerUnit) - near) };
}

/**
 * The turbo colour map as 256 words r | g << 8 | b << 16 | 255 << 24, from near to far.
 * Polynomials of Mikhailov's map (Google AI blog, 2019) by Ruofei Du, Apache-2.0.
 */
export function turbo(): Uint32Array<ArrayBuffer> {
  const byte = (t: number, coefficients: readonly number[]) => {
    const value = coefficients.reduceRight((sum, c) => sum * t + c, 0);
    return Math.round(Math.min(1, Math.max(0, value)) * 255);
  };
  return Uint32Array.from({ length: 256 }, (_, i) => {
    const r = byte(i / 255, [0.13572138, 4.6153926, -42.66032258, 132.13108234, -152.94239396, 59.28637943]);
    const g = byte(i / 255, [0.09140261, 2.19418839, 4.84296658, -14.18503333, 4.27729857, 2.82956604]);
    const b = byte(i / 255, [0.1066733, 12.64194608, -60.58204836, 110.36276771, -89.90310912, 27.34824973]);
    return (r | (g << 8) | (b << 16) | (255 << 24)) >>> 0;
  });
}

/** The pixels' directions, 1 along the optical axis, rounded as the kernel rounds them. */
interface Rays {
  readonly x: Float32Array;
  readonly y: Float32Array;
}

function raysOf({ width, height, fx, fy, cx, cy }: FrameShape["intrinsics"]): Rays {
  const ray = (count: number, centre: number, focal: number) => {
    const [c, inverse] = [Math.fround(centre), Math.fround(1 / focal)];
    return Float32Array.from({ length: count }, (_, i) => Math.fround(i - c) * inverse);
  };
  return { x: ray(width, cx, fx), y: ray(height, cy, fy) };
}

/** The stage's parameters; later changes show in them. */
export interface CompactParameters {
  readonly colorBy: ColorBy;
  readonly nearM: number;
  readonly farM: number;
}

/**
 * Compaction as a stage of the CPU backend: the valid pixels in raster order, as points. Its tiles are the image's rows.
 * The points' arrays hold `width` × `height` points and are used again for the next frame.
 */
export function compactTwin({ intrinsics, metresPerUnit }: FrameShape, parameters: CompactParameters): Twin {
  const { width, height } = intrinsics;
  const floats = new Float32Array(width * height * 4);
  const points: CpuPoints = { floats, words: new Uint32Array(floats.buffer), count: 0 };
  const starts = new Uint32Array(height + 1);
  const painter: Painter = {
    palette: turbo(),
    range: { near: 0, span: 1 },
    rays: raysOf(intrinsics),
    rgb: new Uint32Array(),
  };
  return {
    run(frame) {
      const { colorBy, nearM, farM } = parameters;
      painter.range = rangeOf(nearM, farM, metresPerUnit);
      if (frame.color) painter.rgb = wordsOf(frame.color);
      count(frame.depth, starts);
      prefix(starts);
      move(frame.depth, starts, colorBy === "rgb" && !frame.color ? "depth" : colorBy, painter, metresPerUnit, points);
      points.count = starts[height];
      frame.points = points;
    },
  };
}

/** What colours are made from. */
interface Painter {
  readonly palette: Uint32Array;
  range: Range;
  readonly rays: Rays;
  rgb: Uint32Array;
}

/** An image's pixels as words: a view, or a copy where its bytes do not lie on whole words. */
function wordsOf({ data }: ColorArray): Uint32Array {
  const { buffer, byteOffset } = data.byteOffset % 4 === 0 ? data : data.slice();
  return new Uint32Array(buffer, byteOffset, data.length / 4);
}

/** The valid pixels of each row, into `counts`; the last entry stays 0. */
function count({ data, shape: [height, width] }: DepthArray, counts: Uint32Array): void {
  for (let y = 0, at = 0; y < height; y++) {
    let valid = 0;
    for (const end = at + width; at < end; at++) if (data[at] !== 0) valid++;
    counts[y] = valid;
  }
  counts[height] = 0;
}

/** Counts into starts: each entry becomes the sum of those before it. */
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
  colorBy: ColorBy,
  painter: Painter,
  metresPerUnit: number,
  { floats, words }: CpuPoints,
): void {
  const { rays, palette, range, rgb } = painter;
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
      if (colorBy === "rgb") words[at + 3] = rgb[pixel];
      else if (colorBy === "depth") words[at + 3] = palette[paletteIndex(value, range)];
      else words[at + 3] = colorOfNormal(data, x, y, width, height, rays);
      at += 4;
    }
  }
}

function paletteIndex(value: number, { near, span }: Range): number {
  return ((Math.min(Math.max(value, near) - near, span) * 255) / span) | 0;
}

/** The normal from central differences of the neighbours' points, as a normal map shows it: x right, y up, z to the camera. */
function colorOfNormal(data: Uint16Array, x: number, y: number, width: number, height: number, rays: Rays): number {
  if (x === 0 || y === 0 || x + 1 === width || y + 1 === height) return GREY;
  const pixel = y * width + x;
  const value = data[pixel];
  const left = data[pixel - 1];
  const right = data[pixel + 1];
  const up = data[pixel - width];
  const down = data[pixel + width];
  if (!(near(left, value) && near(right, value) && near(up, value) && near(down, value))) return GREY;
  const acrossX = rays.x[x + 1] * right - rays.x[x - 1] * left;
  const acrossY = rays.y[y] * (right - left);
  const acrossZ = right - left;
  const alongX = rays.x[x] * (down - up);
  const alongY = rays.y[y + 1] * down - rays.y[y - 1] * up;
  const alongZ = down - up;
  const normalX = acrossY * alongZ - acrossZ * alongY;
  const normalY = acrossZ * alongX - acrossX * alongZ;
  const normalZ = acrossX * alongY - acrossY * alongX;
  const scale = 127.5 / Math.sqrt(normalX * normalX + normalY * normalY + normalZ * normalZ);
  const r = (128 - normalX * scale) | 0;
  const g = (128 + normalY * scale) | 0;
  const b = (128 + normalZ * scale) | 0;
  return (r | (g << 8) | (b << 16) | (255 << 24)) >>> 0;
}

/** Whether two values belong to one surface: both valid, and less than a 32nd of the distance apart. */
function near(neighbour: number, value: number): boolean {
  return neighbour !== 0 && Math.abs(neighbour - value) * 32 < value;
}
