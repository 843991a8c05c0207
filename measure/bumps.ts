import { leastSquares } from "../core/matrix.ts";
import type { Bumps } from "./field.ts";
import { largestPlane } from "./find.ts";
import { tolerance } from "./propose.ts";
import { HALF_WITHIN, medianOf } from "./robust.ts";
import { pixelsIn, type Scene, sigmaAt } from "./scene.ts";
import { modesOf } from "./systematic.ts";

/** Residuals are compared as means of areas of this side, px, up to so many areas apart. */
const SIDE = 8;
const FAR = 12;
/** An area counts if this share of its pixels lies on the plane. With fewer areas than this the bumps stay unknown. */
const MOST_OF = 0.6;
const FEWEST = 150;
/** The plane is looked for in this many pixels: what the areas have in common is taken out again. */
const MOST = 10_000;

/** A scene with its bumps, as the largest plane in the picture shows them: a small plane cannot show a bump wider than itself. */
export function withBumps(seen: Scene): Scene {
  const scene = withSeenNoise(seen);
  const bumps = bumpsOf(scene);
  return bumps ? { ...scene, bumps } : scene;
}

/** The side of windows in which depth is compared with a plane, as a share of the image's width, and one pixel of EVERY is compared. */
const WINDOW = 1 / 14;
const EVERY = 3;
/** The calmest windows tell the noise: they see one flat surface. */
const CALMEST = 0.25;

/**
 * A scene whose noise is at least what single windows show. In fewer than three frames, noise that neighbouring pixels share is hardly
 * seen from pixel to pixel, and planes that are fitted to what lies within too little noise lean.
 */
function withSeenNoise(scene: Scene): Scene {
  const { width, height, noise, rays, z } = scene;
  if (!noise || noise.certain) return scene;
  const side = Math.round(WINDOW * width);
  const times: number[] = [];
  for (let y = 0; y + side <= height; y += side)
    for (let x = 0; x + side <= width; x += side) {
      const { pixels, all } = pixelsIn(scene, { x, y, width: side, height: side }, (side / EVERY) ** 2);
      if (pixels.length < MOST_OF * all) continue;
      const unit = (i: number) => z[i] ** 2 / sigmaAt(scene, z[i]);
      const equations = pixels.map((i) => [unit(i) * rays.x[i], unit(i) * rays.y[i], unit(i)]);
      const [a, b, c] = leastSquares(
        equations,
        pixels.map((i) => unit(i) / z[i]),
      ) ?? [0, 0, 0];
      const offs = pixels.map((i) => Math.abs(unit(i) * (1 / z[i] - (a * rays.x[i] + b * rays.y[i] + c))));
      times.push(medianOf(offs) / HALF_WITHIN);
    }
  const seen = Float64Array.from(times).sort()[Math.floor(CALMEST * times.length)] ?? 0;
  return seen > 1 ? { ...scene, noise: { ...noise, sigmaMm: (atM) => seen * noise.sigmaMm(atM) } } : scene;
}

function bumpsOf(scene: Scene): Bumps | undefined {
  const { width, height, z, rays } = scene;
  const plane = largestPlane(scene, MOST);
  if (!plane) return undefined;
  const [a, b, c] = plane.q;
  const isOn = new Uint8Array(z.length);
  for (const i of plane.pixels) isOn[i] = 1;
  const [columns, rows] = [Math.floor(width / SIDE), Math.floor(height / SIDE)];
  const modes = modesOf(scene);
  const mode = new Float64Array(modes?.count ?? 0);
  const equations: number[][] = [];
  const offs: number[] = [];
  const places: number[] = [];
  for (let area = 0; area < columns * rows; area++) {
    const [x0, y0] = [SIDE * (area % columns), SIDE * Math.floor(area / columns)];
    let [count, sum, middle] = [0, 0, 0];
    for (let y = y0; y < y0 + SIDE; y++)
      for (let x = x0; x < x0 + SIDE; x++) {
        const i = y * width + x;
        const far = z[i];
        if (isOn[i] === 0) continue;
        const off = (1 / far - (a * rays.x[i] + b * rays.y[i] + c)) * far * far;
        if (Math.abs(off) > tolerance(scene, far)) continue;
        count++;
        sum += off / sigmaAt(scene, far);
        middle = i;
      }
    if (count < MOST_OF * SIDE ** 2) continue;
    // A slope of the whole plane is no bump, nor is an error that swings with distance.
    modes?.at(middle, mode);
    const unit = z[middle] ** 2 / sigmaAt(scene, z[middle]);
    equations.push([unit * rays.x[middle], unit * rays.y[middle], unit, ...mode.subarray(0, -1)]);
    offs.push(sum / count);
    places.push(area);
  }
  if (places.length < FEWEST) return undefined;
  const fit = leastSquares(equations, offs) ?? [];
  const left = new Float64Array(columns * rows).fill(Number.NaN);
  for (const [k, area] of places.entries())
    left[area] = offs[k] - equations[k].reduce((sum, value, n) => sum + value * (fit[n] ?? 0), 0);
  return fieldOf(left, columns);
}

/** The variance and the width of a field, from how its values correlate over distance. Noise of single areas is left out. */
function fieldOf(left: Float64Array, columns: number): Bumps | undefined {
  const size = Math.sqrt(left.reduce((sum, value) => sum + (value ** 2 || 0), 0) / left.length);
  const alike = (far: number) => {
    let [sum, count] = [0, 0];
    for (let i = 0; i < left.length; i++) {
      for (const j of [(i % columns) + far < columns ? i + far : -1, i + far * columns]) {
        // An area that straddles a rim is no bump.
        const product = left[i] * (left[j] ?? Number.NaN);
        if (Number.isNaN(product) || Math.max(Math.abs(left[i]), Math.abs(left[j])) > 4 * size) continue;
        sum += product;
        count++;
      }
    }
    return count > 0 ? sum / count : 0;
  };
  const near = alike(1);
  if (!(near > 0)) return undefined;
  let [half, before] = [FAR, near];
  for (let far = 2; far <= FAR; far++) {
    const here = alike(far);
    if (here < near / 2) {
      half = far - 1 + (before - near / 2) / (before - here);
      break;
    }
    before = here;
  }
  const widthPx = (SIDE * Math.sqrt(Math.max(0.25, half ** 2 - 1))) / Math.sqrt(2 * Math.LN2);
  return { variance: near * Math.exp(SIDE ** 2 / (2 * widthPx ** 2)), widthPx };
}
