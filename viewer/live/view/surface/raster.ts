import { MOST_PX } from "../../../three/pointSize.ts";
import { NEAR } from "./rasterLayout.ts";

/** An image on the CPU, and the distance of each pixel along the camera's axis (metres, 0 without a surface). */
export interface Raster {
  readonly width: number;
  readonly height: number;
  /** The same memory as `rgba`: r | g << 8 | b << 16 | a << 24. */
  readonly pixels: Uint32Array;
  readonly rgba: Uint8ClampedArray<ArrayBuffer>;
  readonly distances: Float32Array;
}

export function createRaster(
  width: number,
  height: number,
  buffer = new ArrayBuffer(width * height * 8),
  at = 0,
): Raster {
  const pixels = width * height;
  return {
    width,
    height,
    pixels: new Uint32Array(buffer, at, pixels),
    rgba: new Uint8ClampedArray(buffer, at, pixels * 4),
    distances: new Float32Array(buffer, at + pixels * 4, pixels),
  };
}

const { fround } = Math;

/**
 * The numbers that drawing points needs, in the order of rasterLayout.ts: rows of the clip matrix `m` (given by columns), scaled to pixels
 * (x, y, w); the middle of the image; how points grow (pointSize.ts).
 */
export function viewOf(m: readonly number[], width: number, height: number, growth: number): readonly number[] {
  const row = (of: number, to: number) => [0, 4, 8, 12].map((column) => fround(m[column + of] * to));
  return [...row(0, width / 2), ...row(1, -height / 2), ...row(3, 1), width / 2, height / 2, fround(growth)];
}

/**
 * Draws `count` points (x, y, z and a colour word each) as squares, the nearest on top. `growth` gives their size (pointSize.ts), and `m`
 * is the clip matrix by columns. Rounds to f32 like the vectors of WebAssembly (rasterSimd.ts).
 */
export function drawPoints(
  raster: Raster,
  m: readonly number[],
  floats: Float32Array,
  words: Uint32Array,
  count: number,
  growth: number,
): void {
  const { width, height } = raster;
  const [xx, xy, xz, x0, yx, yy, yz, y0, wx, wy, wz, w0, left, top, grow] = viewOf(m, width, height, growth);
  for (let i = 0; i < count * 4; i += 4) {
    const x = floats[i];
    const y = floats[i + 1];
    const z = floats[i + 2];
    const w = fround(fround(fround(wx * x) + fround(wy * y)) + fround(fround(wz * z) + w0));
    if (!(w > fround(NEAR))) continue;
    const right = fround(fround(fround(xx * x) + fround(xy * y)) + fround(fround(xz * z) + x0));
    const down = fround(fround(fround(yx * x) + fround(yy * y)) + fround(fround(yz * z) + y0));
    const size = Math.max(1, Math.min(MOST_PX, Math.ceil(fround(fround(grow * z) / w))));
    const half = (size - 1) / 2;
    const column = Math.floor(fround(left - half + fround(right / w)));
    const row = Math.floor(fround(top - half + fround(down / w)));
    if (column > -size && column < width && row > -size && row < height) {
      drawSquare(raster, column, row, size, w, words[i + 3]);
    }
  }
}

function drawSquare(
  { width, height, pixels, distances }: Raster,
  column: number,
  row: number,
  size: number,
  w: number,
  word: number,
): void {
  const [left, right] = [Math.max(0, column), Math.min(width, column + size)];
  const [top, bottom] = [Math.max(0, row), Math.min(height, row + size)];
  for (let r = top; r < bottom; r++) {
    for (let at = r * width + left, end = r * width + right; at < end; at++) {
      const there = distances[at];
      if (there !== 0 && there <= w) continue;
      distances[at] = w;
      pixels[at] = word;
    }
  }
}

/** Draws the segment whose six numbers begin at `first`, blended, except behind nearer points. Does not change distances. */
export function drawLine(
  { width, height, rgba, distances }: Raster,
  m: readonly number[],
  ends: Float32Array,
  first: number,
  [red, green, blue, opacity]: readonly [number, number, number, number],
): void {
  const [from, to] = [project(m, ends, first), project(m, ends, first + 3)];
  // A segment that crosses the near plane is clipped there.
  if (from.w < NEAR && to.w < NEAR) return;
  const cut = (a: Clip, b: Clip): Clip => {
    if (a.w >= NEAR) return a;
    const t = (NEAR - a.w) / (b.w - a.w);
    return { x: a.x + t * (b.x - a.x), y: a.y + t * (b.y - a.y), w: NEAR };
  };
  const [a, b] = [cut(from, to), cut(to, from)];
  const screen = ({ x, y, w }: Clip) => ({
    x: (x / w / 2 + 0.5) * width,
    y: (0.5 - y / w / 2) * height,
    inverse: 1 / w,
  });
  const [p, q] = [screen(a), screen(b)];
  const steps = Math.min(4096, Math.ceil(Math.max(Math.abs(q.x - p.x), Math.abs(q.y - p.y), 1)));
  for (let i = 0; i <= steps; i++) {
    const t = i / steps;
    const [column, row] = [Math.floor(p.x + t * (q.x - p.x)), Math.floor(p.y + t * (q.y - p.y))];
    if (column < 0 || column >= width || row < 0 || row >= height) continue;
    const at = row * width + column;
    const there = distances[at];
    // 1/distance is linear on the screen.
    if (there !== 0 && there < 1 / (p.inverse + t * (q.inverse - p.inverse))) continue;
    const blend = (c: number, value: number) => {
      rgba[at * 4 + c] = rgba[at * 4 + c] * (1 - opacity) + value * 255 * opacity;
    };
    blend(0, red);
    blend(1, green);
    blend(2, blue);
  }
}

interface Clip {
  readonly x: number;
  readonly y: number;
  readonly w: number;
}

function project(m: readonly number[], ends: Float32Array, i: number): Clip {
  const [x, y, z] = [ends[i], ends[i + 1], ends[i + 2]];
  const row = (r: number) => m[r] * x + m[r + 4] * y + m[r + 8] * z + m[r + 12];
  return { x: row(0), y: row(1), w: row(3) };
}
