import type { Intrinsics } from "../../core/frame.ts";
import { BEND, GRAZING, LEAN_UNITS, PIXEL_WEIGHT, REACH } from "./layout.ts";

const { fround } = Math;

/** A sensor's noise: sigma(z) = a + b·z², in mm and mm per m². */
export interface SigmaOfDepth {
  readonly a: number;
  readonly b: number;
}

/** What a frame is for `makePlanes`: addresses in bytes, sizes, and numbers that are rounded to f32. */
export interface PlaneInput {
  /** Depth, u16 for each pixel. */
  readonly depth: number;
  /** The rays' slopes: (x - cx) / fx for each column, and behind them (y - cy) / fy for each row; f32. */
  readonly rays: number;
  /** 16 bytes for each pixel, to be written. */
  readonly planes: number;
  readonly width: number;
  readonly height: number;
  /** Metres per unit of depth. */
  readonly unit: number;
  /** Depth beyond this is not used, in units. */
  readonly far: number;
  readonly fx: number;
  readonly fy: number;
  readonly a: number;
  readonly b: number;
}

/** Writes the rays of a lens. */
export function fillRays({ width, height, fx, fy, cx, cy }: Intrinsics, rays: Float32Array): void {
  for (let x = 0; x < width; x++) rays[x] = (x - cx) / fx;
  for (let y = 0; y < height; y++) rays[width + y] = (y - cy) / fy;
}

/**
 * Makes each pixel a small plane: four words of `planes` are its depth in metres, the change of depth per pixel across and down (f32),
 * and its weight and lean (layout.ts). The weight is that of the noise, sigma(1 m) / sigma(z), times the cosine between normal and ray,
 * and halved at an edge. A pixel without depth has weight 0. assembly/pixelPlanes.ts is the fast form, with the same bits.
 */
export function makePlanes(buffer: ArrayBufferLike, seen: PlaneInput): void {
  const { width, height, unit, far, fx, fy, a, b } = seen;
  const depth = new Uint16Array(buffer, seen.depth, width * height);
  const rays = new Float32Array(buffer, seen.rays, width + height);
  const planes = new Float32Array(buffer, seen.planes, 4 * width * height);
  const words = new Uint32Array(buffer, seen.planes, 4 * width * height);
  const perPixel = fround(unit / REACH);
  const best = fround(a + b);
  const down = REACH * width;
  for (let y = 0; y < height; y++) {
    const v = rays[width + y];
    const vv = fround(v * v);
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const d = depth[i];
      const bend = fround(d * fround(BEND));
      const left = x >= REACH ? depth[i - REACH] : 0;
      const right = x + REACH < width ? depth[i + REACH] : 0;
      const above = y >= REACH ? depth[i - down] : 0;
      const below = y + REACH < height ? depth[i + down] : 0;
      const isFlat = left > 0 && right > 0 && Math.abs(left + right - 2 * d) <= bend;
      const isLevel = above > 0 && below > 0 && Math.abs(above + below - 2 * d) <= bend;
      const across = fround((isFlat ? (right - left) / 2 : slope(left, d, right, bend)) * perPixel);
      const along = fround((isLevel ? (below - above) / 2 : slope(above, d, below, bend)) * perPixel);
      // The normal of the surface z(x, y) whose points are (u z, v z, z) with u = (x - cx) / fx and v = (y - cy) / fy.
      const z = fround(d * unit);
      const nx = fround(across * fx);
      const ny = fround(along * fy);
      const u = rays[x];
      const nz = fround(fround(z + fround(u * nx)) + fround(v * ny));
      const square = fround(fround(fround(nx * nx) + fround(ny * ny)) + fround(nz * nz));
      const ray = fround(fround(fround(u * u) + vv) + 1);
      const cosine = fround(z / fround(Math.sqrt(fround(square * ray))));
      const share = Math.min(1, fround(best / fround(a + fround(fround(b * z) * z))));
      const trust = isFlat && isLevel ? PIXEL_WEIGHT : PIXEL_WEIGHT / 2;
      const weight = Math.ceil(fround(fround(trust * cosine) * share));
      const lean = Math.min(2, fround(z / fround(Math.sqrt(square))));
      planes[4 * i] = z;
      planes[4 * i + 1] = across;
      planes[4 * i + 2] = along;
      words[4 * i + 3] =
        d > 0 && d <= far && cosine >= fround(GRAZING)
          ? (weight << 16) | Math.floor(fround(fround(lean * LEAN_UNITS) + 0.5))
          : 0;
    }
  }
}

/** The change of depth over `REACH` pixels along the surface of the pixel and its neighbour; 0 where they share no surface. */
function slope(before: number, d: number, after: number, bend: number): number {
  const back = before > 0 ? d - before : Infinity;
  const on = after > 0 ? after - d : Infinity;
  const less = Math.abs(back) < Math.abs(on) ? back : on;
  return Math.abs(less) < bend ? less : 0;
}
