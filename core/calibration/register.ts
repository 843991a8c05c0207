import type { Intrinsics } from "../frame.ts";
import { LensModel, type PlanePoint } from "./lens.ts";

/** The transform between two cameras: a point p of the first lies at R·p + t for the second. R is row-major, t in metres. */
export interface Extrinsics {
  readonly rotation: readonly number[];
  readonly translation: readonly number[];
}

/** Gives each depth pixel the colour that the colour camera saw at its point in space. */
export interface Registration {
  /**
   * `color` is RGBA of the colour camera's size. Returns RGBA of depth's size, 0 0 0 0 where the colour camera does not see the point
   * because the point lies outside its view or is hidden. A pixel without depth gets a colour, too, since holes may be filled later. Such a
   * pixel is placed at the farther of the two depths at the ends of its hole in the row, since most holes lie in the shadow of nearer
   * things.
   */
  register(depth: Uint16Array, metresPerUnit: number, color: Uint8Array): Uint8Array<ArrayBuffer>;
}

/**
 * The cells of the distortion table across and down, each eight pixels of 1280. Linear interpolation in them is off by a hundredth of a
 * pixel.
 */
const PARTS = [160, 120] as const;
/** The difference between two surfaces' parallax, in cells, above which the farther one counts as hidden: see `registration`. */
const HIDING = 1.5;

/** The most pixels of depth that colour is registered to: their tables take 24 bytes each, and no depth camera has more. */
const MAX_REGISTERED = 2 ** 22;

/** Says why colour cannot be registered to an image of depth; `undefined` where it can. */
export const tooLargeToRegister = ({ width, height }: Pick<Intrinsics, "width" | "height">): string | undefined =>
  width * height > MAX_REGISTERED
    ? `colour is registered to depth of at most 4 megapixels, and this depth has ${width}×${height} pixels`
    : undefined;

/**
 * Prepares the tables for two cameras: depth's rays, rotated into the colour camera's frame, and the colour camera's distortion.
 *
 * A point hidden from the colour camera must not get the colour of the surface in front of it. So each cell of the colour image keeps the
 * nearest surface; a cell is as large as a depth pixel appears in that image. Each pixel marks the four cells around its projection, so
 * that a surface leaves no gap:
 *
 *     depth camera  ●────────┬───────▶ far pixel, lands in the cell of the near one:
 *                       near █         1/z differs so much that the two are seen more than
 *     colour camera ●───────╱──────    a cell apart from the depth camera: hidden
 *
 * A surface that both cameras see shifts by less than a cell from one pixel to the next (otherwise the cameras would see its pixels in
 * different order). So a slanted surface does not hide itself, except where a camera looks along it.
 */
export function registration(depth: Intrinsics, color: Intrinsics, extrinsics: Extrinsics): Registration {
  const { width, height } = color;
  const [tx, ty, tz] = extrinsics.translation;
  const rays = raysOf(depth, extrinsics.rotation);
  const lens = lensTable(color);
  const cell = Math.max(1, color.fx / depth.fx, color.fy / depth.fy);
  const perCell = 1 / cell;
  const cellsWide = Math.ceil(width / cell) + 2;
  const nearest = new Float32Array(cellsWide * (Math.ceil(height / cell) + 2));
  /** For each depth pixel: the colour pixel that it projects to, its cell, and its inverse distance from the colour camera. */
  const pixels = new Int32Array(depth.width * depth.height);
  const cells = new Int32Array(pixels.length);
  const inverse = new Float32Array(pixels.length);
  const bridged = new Uint16Array(pixels.length);
  const hidden = (HIDING * cell) / (Math.hypot(tx, ty, tz) * color.fx);

  const place = (values: Uint16Array, metresPerUnit: number) => {
    const { table, columns, left, top, perX, perY, right, bottom } = lens;
    for (let i = 0, ray = 0; i < values.length; i++, ray += 3) {
      pixels[i] = -1;
      if (bridged[i] === 0) continue;
      const z = bridged[i] * metresPerUnit;
      const near = 1 / (rays[ray + 2] * z + tz);
      const x = (rays[ray] * z + tx) * near;
      const y = (rays[ray + 1] * z + ty) * near;
      if (!(near > 0 && x > left && x < right && y > top && y < bottom)) continue;
      // Interpolates between four entries of the table.
      const column = (x - left) * perX;
      const row = (y - top) * perY;
      const c = column | 0;
      const r = row | 0;
      const fx = column - c;
      const fy = row - r;
      const at = 2 * (r * columns + c);
      const below = at + 2 * columns;
      const u0 = table[at] + fx * (table[at + 2] - table[at]);
      const v0 = table[at + 1] + fx * (table[at + 3] - table[at + 1]);
      const u = u0 + fy * (table[below] + fx * (table[below + 2] - table[below]) - u0) + 0.5;
      const v = v0 + fy * (table[below + 1] + fx * (table[below + 3] - table[below + 1]) - v0) + 0.5;
      if (!(u >= 0 && v >= 0 && u < width && v < height)) continue;
      pixels[i] = (v | 0) * width + (u | 0);
      inverse[i] = near;
      const su = (u - 0.5) * perCell;
      const sv = (v - 0.5) * perCell;
      const corner = (sv | 0) * cellsWide + (su | 0);
      cells[i] = ((sv + 0.5) | 0) * cellsWide + ((su + 0.5) | 0);
      // A pixel without a measurement hides nothing.
      if (values[i] === 0) continue;
      if (nearest[corner] < near) nearest[corner] = near;
      if (nearest[corner + 1] < near) nearest[corner + 1] = near;
      if (nearest[corner + cellsWide] < near) nearest[corner + cellsWide] = near;
      if (nearest[corner + cellsWide + 1] < near) nearest[corner + cellsWide + 1] = near;
    }
  };

  return {
    register(values, metresPerUnit, rgba) {
      if (values.length !== pixels.length) throw new RangeError("depth does not have its camera's size");
      if (rgba.length !== 4 * width * height) throw new RangeError("colour does not have its camera's size");
      nearest.fill(0);
      bridge(values, bridged, depth.width);
      place(values, metresPerUnit);
      const from = new Uint32Array(rgba.buffer, rgba.byteOffset, width * height);
      const to = new Uint32Array(values.length);
      for (let i = 0; i < to.length; i++) {
        if (pixels[i] >= 0 && nearest[cells[i]] - inverse[i] <= hidden) to[i] = from[pixels[i]];
      }
      return new Uint8Array(to.buffer);
    },
  };
}

/** Writes a depth image and fills each hole, row by row, with the farther of the depths at its ends. */
function bridge(values: Uint16Array, into: Uint16Array, width: number): void {
  into.set(values);
  for (let row = 0; row < values.length; row += width) {
    const end = row + width;
    for (let i = row, left = 0; i < end; i++) {
      if (values[i] > 0) left = values[i];
      else {
        const from = i;
        while (i < end && values[i] === 0) i++;
        const right = i < end ? values[i] : 0;
        into.fill(Math.max(left, right), from, i);
        left = right;
      }
    }
  }
}

/** The ray of each pixel, rotated by `rotation`: three numbers per pixel. A pixel without a ray gets NaN, which projects nowhere. */
function raysOf(camera: Intrinsics, rotation: readonly number[]): Float32Array {
  const [a, b, c, d, e, f, g, h, i] = rotation;
  const rays = new Float32Array(3 * camera.width * camera.height);
  const lens = new LensModel(camera);
  const place: PlanePoint = [0, 0];
  for (let v = 0, at = 0; v < camera.height; v++) {
    for (let u = 0; u < camera.width; u++, at += 3) {
      lens.unproject(u, v, place);
      const [x, y] = place;
      rays[at] = a * x + b * y + c;
      rays[at + 1] = d * x + e * y + f;
      rays[at + 2] = g * x + h * y + i;
    }
  }
  return rays;
}

/** The pixels that rays project to, for a grid of rays that covers the image. */
function lensTable(camera: Intrinsics) {
  const [left, right, top, bottom] = sightOf(camera);
  const [columns, rows] = [PARTS[0] + 2, PARTS[1] + 2];
  const [perX, perY] = [PARTS[0] / (right - left), PARTS[1] / (bottom - top)];
  const table = new Float32Array(2 * columns * rows);
  const lens = new LensModel(camera);
  const place: PlanePoint = [0, 0];
  for (let row = 0, at = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++, at += 2) {
      lens.project(left + column / perX, top + row / perY, place);
      table.set(place, at);
    }
  }
  return { table, columns, left, right, top, bottom, perX, perY };
}

/** The range of rays that a camera's image covers. Distortion bends the image's edges, so the range is taken over all edge pixels. */
function sightOf(camera: Intrinsics): [left: number, right: number, top: number, bottom: number] {
  const { width, height } = camera;
  const [xs, ys]: number[][] = [[], []];
  const lens = new LensModel(camera);
  const place: PlanePoint = [0, 0];
  const look = (u: number, v: number) => {
    lens.unproject(u - 0.5, v - 0.5, place);
    if (Number.isNaN(place[0])) return;
    xs.push(place[0]);
    ys.push(place[1]);
  };
  for (let part = 0; part <= 64; part++) {
    const [u, v] = [(part / 64) * width, (part / 64) * height];
    look(u, 0);
    look(u, height);
    look(0, v);
    look(width, v);
  }
  return [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
}
