/** An image on the CPU, and how far away each of its pixels is (metres along the axis, 0 where nothing is). */
export interface Raster {
  readonly width: number;
  readonly height: number;
  /** The same memory as `rgba`: r | g << 8 | b << 16 | a << 24. */
  readonly pixels: Uint32Array;
  readonly rgba: Uint8ClampedArray;
  readonly distances: Float32Array;
}

/** Draws `count` points (x, y, z and colour's word each) as squares of `size` pixels, the nearest on top. `m` is the clip matrix by columns. */
export function drawPoints(
  raster: Raster,
  m: readonly number[],
  floats: Float32Array,
  words: Uint32Array,
  count: number,
  size: number,
): void {
  const { width, height, pixels, distances } = raster;
  // Rows of the matrix, from clip space on to pixels, and where the first pixel of a point in the middle is.
  const [toColumn, toRow] = [width / 2, -height / 2];
  const [xx, xy, xz, x0] = [m[0] * toColumn, m[4] * toColumn, m[8] * toColumn, m[12] * toColumn];
  const [yx, yy, yz, y0] = [m[1] * toRow, m[5] * toRow, m[9] * toRow, m[13] * toRow];
  const [wx, wy, wz, w0] = [m[3], m[7], m[11], m[15]];
  const [left, top] = [(width - size + 1) / 2, (height - size + 1) / 2];
  for (let i = 0; i < count * 4; i += 4) {
    const x = floats[i];
    const y = floats[i + 1];
    const z = floats[i + 2];
    const w = wx * x + wy * y + wz * z + w0;
    if (w <= 0.02) continue;
    const inverse = 1 / w;
    const column = (xx * x + xy * y + xz * z + x0) * inverse + left;
    const row = (yx * x + yy * y + yz * z + y0) * inverse + top;
    // A pixel each is by far what is asked for most: there is nothing to cut at the border, and whole numbers are had by `|`.
    if (size > 1) drawSquare(raster, Math.floor(column), Math.floor(row), size, w, words[i + 3]);
    else if (column >= 0 && column < width && row >= 0 && row < height) {
      const at = (row | 0) * width + (column | 0);
      const there = distances[at];
      if (there !== 0 && there <= w) continue;
      distances[at] = w;
      pixels[at] = words[i + 3];
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

/** Draws the segment whose six numbers are at `first`, blended, where nothing is nearer. Distances stay as they are. */
export function drawLine(
  { width, height, rgba, distances }: Raster,
  m: readonly number[],
  ends: Float32Array,
  first: number,
  [red, green, blue, opacity]: readonly [number, number, number, number],
): void {
  const [from, to] = [project(m, ends, first), project(m, ends, first + 3)];
  // Before the lens a segment is cut off where it passes the near plane.
  const near = 0.02;
  if (from.w < near && to.w < near) return;
  const cut = (a: Clip, b: Clip): Clip => {
    if (a.w >= near) return a;
    const t = (near - a.w) / (b.w - a.w);
    return { x: a.x + t * (b.x - a.x), y: a.y + t * (b.y - a.y), w: near };
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
    // What is linear on the screen is 1/distance.
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
