import type { Vec3 } from "../core/geometry.ts";
import type { Bumps } from "./field.ts";
import { type Search, searchPlane } from "./propose.ts";
import { HALF_WITHIN, medianOf } from "./robust.ts";
import { type Pixel, type Scene, sigmaAt } from "./scene.ts";

/** The side of areas in an image 640 px wide, px; one counts with this share of the fullest's pixels; with fewer areas none does. */
const AREA = 8;
const FULL = 0.5;
const FEWEST_AREAS = 100;
/** Areas this many areas apart tell how much the means of one surface vary, and a mean may be off by NEAR_MEAN times that. */
const APART = 4;
const NEAR_MEAN = 1.5;
/** The areas around a pixel lie on their plane within this share of it. */
const CLOSE = 1;
/** A mean may always be off a plane by this share of the distance: no lens and no floor is flatter. */
const FLAT = 0.0008;
/** Means within this many times their usual difference tell how uneven a surface is, and by how much chance may raise that. */
const FAR = 4;
const CHANCE = 5;
/** The areas of a layer lie within this many times what a mean may be off. */
const ON_IT = 1.6;

/**
 * Chooses one of several surfaces that are closer to each other than single pixels can tell, by the means of areas: the plane that most
 * areas lie on, or that of the areas around a pixel. Returns it with the pixels of its areas.
 */
export function layerAmong(
  scene: Scene,
  pixels: readonly number[],
  from: Vec3,
  { seed = 1, layer = "largest" }: Search,
) {
  const { width, intrinsics } = scene;
  const side = Math.max(AREA / 2, Math.round((AREA * width) / 640));
  const cells = new Map<number, number[]>();
  for (const i of pixels) {
    const cell = ROW * Math.floor(i / width / side) + Math.floor((i % width) / side);
    const known = cells.get(cell);
    if (known) known.push(i);
    else cells.set(cell, [i]);
  }
  const most = [...cells.values()].reduce((count, { length }) => Math.max(count, length), 0);
  const areas = [...cells].filter(([, own]) => own.length >= FULL * most);
  if (areas.length < FEWEST_AREAS) return undefined;
  const mean = (of: (i: number) => number) =>
    Float32Array.from(areas, ([, own]) => own.reduce((sum, i) => sum + of(i), 0) / own.length);
  const [x, y, d] = [mean((i) => scene.rays.x[i]), mean((i) => scene.rays.y[i]), mean((i) => 1 / scene.z[i])];
  const means = { rays: { x, y }, z: d.map((inverse) => 1 / inverse), intrinsics };
  const off = ([a, b, c]: Vec3, k: number) => (d[k] - (a * x[k] + b * y[k] + c)) * means.z[k] ** 2;
  const all = areas.map((_, k) => k);
  const sigmas = all.map((k) => sigmaAt(scene, means.z[k]));
  // By areas in a row, few of which lie on two surfaces; a lean of the plane cancels.
  const placed = new Map(areas.map(([cell], k) => [cell, k]));
  const differ = all.flatMap((k) =>
    [APART, APART * ROW].flatMap((by) => {
      const [before, after] = [placed.get(areas[k][0] - by), placed.get(areas[k][0] + by)];
      if (before === undefined || after === undefined) return [];
      return [Math.abs(off(from, before) - 2 * off(from, k) + off(from, after)) / sigmas[k]];
    }),
  );
  const usual = differ.length < FEWEST_AREAS ? 1 : medianOf(differ) / HALF_WITHIN / Math.sqrt(6);
  const nearM = (k: number) => Math.max(NEAR_MEAN * usual * sigmas[k], FLAT * means.z[k]);
  const own = layer === "largest" ? [] : all.filter((k) => areas[k][1].some((i) => farFrom(width, i, layer) < side));
  const isOn = (q: Vec3, k: number | undefined, times: number) =>
    k === undefined || Math.abs(off(q, k)) < times * nearM(k);
  const worth = ({ q }: { readonly q: Vec3 }) => (own.filter((k) => isOn(q, k, CLOSE)).length * 2 < own.length ? 0 : 1);
  const q = searchPlane(means, all, { seed, worth, nearM });
  // How much more the means vary about a plane than side by side: layers that noise does not tell apart, or a surface that is not flat.
  const uneven = (q: Vec3): Bumps | undefined => {
    const offs = all.map((k) => Math.abs(off(q, k)) / sigmas[k]).filter((by) => by < FAR * usual);
    const most = usual ** 2 * (1 + CHANCE / Math.sqrt(offs.length));
    const variance = (medianOf(offs) / HALF_WITHIN) ** 2 - most;
    return variance > 0 ? { variance, widthPx: width } : undefined;
  };
  // Cells at the border that are too small to be an area belong to the layer, too.
  return q && { q, uneven, pixels: [...cells].flatMap(([cell, own]) => (isOn(q, placed.get(cell), ON_IT) ? own : [])) };
}

/** Numbers of areas: a row of the image has at most this many. */
const ROW = 4096;
export const farFrom = (width: number, i: number, { x, y }: Pixel) =>
  Math.hypot((i % width) - x, Math.floor(i / width) - y);
