import type { Vec3 } from "../core/geometry.ts";
import { planeOf } from "./plane.ts";
import { type Pixel, type Scene, sigmaAt } from "./scene.ts";

/** A plane is proposed this many times, by three pixels each. */
const TRIES = 400;
/** A pixel belongs to a plane if its distance from the plane is below this many times the noise, or below this share of its depth. */
const NEAR = 3;
const NEAR_SHARE = 0.004;
/** Proposals are judged on about this many pixels. */
export const JUDGES = 4000;
/** Rounding changes a score, which is a sum, by less than this. */
const GUARD = 1e-6;

/** Numbers from 0 to 1, the same for each seed: mulberry32, by Tommy Ettinger. */
export function randomBy(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** How a plane is looked for. */
export interface Search {
  readonly seed?: number;
  readonly worth?: (plane: ReturnType<typeof planeOf>) => number;
  /** How far along the axis a pixel may be from the plane, m; `tolerance` if not given. */
  readonly nearM?: (i: number) => number;
  /** Of surfaces that lie on one another, such as a mat on a desk, takes the largest, or the one around a pixel. */
  readonly layer?: "largest" | Pixel;
}

/** The proposal that most pixels belong to. */
export function searchPlane(
  scene: Pick<Scene, "z" | "rays" | "intrinsics">,
  pixels: ArrayLike<number>,
  { seed = 1, worth = () => 1, nearM }: Search & Required<Pick<Search, "nearM">>,
): Vec3 | undefined {
  const { length } = pixels;
  if (length < 12) return undefined;
  const random = randomBy(seed);
  const every = Math.max(1, Math.floor(length / JUDGES));
  const judges = Int32Array.from({ length: Math.ceil(length / every) }, (_, k) => pixels[k * every]);
  const { z, rays } = scene;
  const [x, y] = [Float64Array.from(judges, (i) => rays.x[i]), Float64Array.from(judges, (i) => rays.y[i])];
  const inverse = Float64Array.from(judges, (i) => 1 / z[i]);
  const near = Float64Array.from(judges, (i) => nearM(i) / z[i] ** 2);
  let [best, most]: [Vec3 | undefined, number] = [undefined, 0];
  const pick = () => judges[Math.floor(random() * judges.length)];
  for (let round = 0; round < TRIES; round++) {
    const q = through(scene, pick(), pick(), pick());
    if (!q) continue;
    const value = worth(planeOf(q));
    // Counting ends where all pixels that are left could not make this proposal the best.
    if (value * judges.length <= most) continue;
    const [a, b, c] = q;
    const enough = most / value - judges.length;
    let score = 0;
    for (let k = 0; k < judges.length && score + GUARD > enough + k; k++) {
      const off = (inverse[k] - (a * x[k] + b * y[k] + c)) / near[k];
      if (off < 1 && off > -1) score += 1 - off * off;
    }
    if (score * value > most) [best, most] = [q, score * value];
  }
  return best;
}

/** How far along the axis a pixel of a plane may be from it, m. */
export const tolerance = (scene: Scene, z: number) => Math.max(NEAR * sigmaAt(scene, z), NEAR_SHARE * z);

/** Three pixels show a plane if twice the area between them is this large on the image plane at 1 m, m², or in px². */
const LEAST_M2 = 1e-4;
const LEAST_PX2 = 36;

/** The plane through what three pixels see. */
function through(
  { z, rays, intrinsics: { fx, fy } }: Parameters<typeof searchPlane>[0],
  i: number,
  j: number,
  k: number,
): Vec3 | undefined {
  const [x1, y1, x2, y2] = [rays.x[j] - rays.x[i], rays.y[j] - rays.y[i], rays.x[k] - rays.x[i], rays.y[k] - rays.y[i]];
  const area = x1 * y2 - x2 * y1;
  if (Math.abs(area) < Math.min(LEAST_M2, LEAST_PX2 / (fx * fy))) return undefined;
  const [d, d1, d2] = [1 / z[i], 1 / z[j] - 1 / z[i], 1 / z[k] - 1 / z[i]];
  const [a, b] = [(d1 * y2 - d2 * y1) / area, (x1 * d2 - x2 * d1) / area];
  return [a, b, d - a * rays.x[i] - b * rays.y[i]];
}
