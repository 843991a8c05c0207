import { LensModel, type PlanePoint } from "../../core/calibration/lens.ts";
import { inverse, product, transposed } from "../../core/matrix.ts";
import { type Rigid, rigid, straighten, turned } from "../../core/pose.ts";
import { fitPlane } from "../plane.ts";
import { regionOf } from "../regionOf.ts";
import { pixelsIn, type Scene } from "../scene.ts";
import type { Stand } from "./pose.ts";
import { type SeenTag, tagsIn } from "./tags.ts";

// Where printed tags stand before a camera. A tag is a square; its plane is that of the depth around it, or follows from its size.

/** The width of a tag's patch of depth over the tag's width. */
const WIDER = 1.2;
/** The fewest pixels with depth in a patch, and the largest share of pixels without. */
const FEWEST = 30;
const MOST_HOLES = 0.5;
/** How exactly somebody measures a tag's size: one standard deviation, as a share. */
const MEASURED = 0.002;
/** The largest squared residual of a tag for each degree of freedom, relative to its variance: more means that it is no tag. */
const MOST_CHI = 16;
/** Without depth a tag has two places that look nearly alike: the worse one has to be worse by this much. */
const CLEAR = 16;
/** The fit without depth starts with a tag that faces the camera, or is tilted by TILT radians to one of SIDES sides. */
const TILT = 0.7;
const SIDES = 6;
const ROUNDS = 12;
/** The unknowns: a shift and a turn of the tag, and its size's logarithm. */
const SEVEN = 7;
const STEP = 1e-6;

/** The tags that a camera sees, by id: each maps points of the tag to the camera. */
export function markersOf(scene: Scene, grey: Float32Array | undefined, sizeM: number | undefined) {
  const { tags, twice } = grey ? tagsIn(grey, scene.width, scene.height) : { tags: [], twice: [] };
  const stands = new Map<number, Stand>();
  const [unsure, other]: number[][] = [[], []];
  for (const tag of tags) {
    const stand = standOf(tag, scene, sizeM);
    if (stand) stands.set(tag.id, stand);
    // Depth shows a place, but it is not that of a tag of this size.
    else (sizeM !== undefined && standOf(tag, scene, undefined) ? other : unsure).push(tag.id);
  }
  return { stands, twice, unsure, other };
}

/** The measurements of a tag: the rays through its corners with the inverse of their covariance, its plane, and its size. */
interface MeasuredTag {
  readonly rays: readonly number[];
  readonly weight: Float64Array;
  readonly plane: { readonly q: readonly number[]; readonly weight: Float64Array } | undefined;
  readonly sizeM: number | undefined;
}

function standOf({ corners, covariance }: SeenTag, scene: Scene, sizeM: number | undefined): Stand | undefined {
  const lens = new LensModel(scene.intrinsics);
  const rayAt = (x: number, y: number): PlanePoint => {
    const out: PlanePoint = [0, 0];
    lens.unproject(x, y, out);
    return out;
  };
  const rays = [0, 2, 4, 6].flatMap((k) => rayAt(corners[k], corners[k + 1]));
  const slopes = new Float64Array(64);
  for (let k = 0; k < 8; k++) {
    const at = (by: number) =>
      corners.slice(k & 6, (k & 6) + 2).map((value, axis) => value + (axis === (k & 1) ? by : 0));
    const [more, less] = [at(0.5), at(-0.5)].map(([x, y]) => rayAt(x, y));
    for (const axis of [0, 1]) slopes[8 * ((k & 6) + axis) + k] = more[axis] - less[axis];
  }
  const weight = inverse(product(product(slopes, covariance, 8), transposed(slopes, 8), 8), 8);
  if (!weight) return undefined;
  const middle = [0, 1].map((axis) => [0, 2, 4, 6].reduce((sum, k) => sum + corners[k + axis] / 4, 0));
  const wide = corners.map((value, k) => middle[k & 1] + WIDER * (value - middle[k & 1]));
  const { pixels, all } = pixelsIn(scene, regionOf([0, 2, 4, 6].map((k) => ({ x: wide[k], y: wide[k + 1] }))));
  const fit = pixels.length >= Math.max(FEWEST, MOST_HOLES * all) ? fitPlane(scene, pixels) : undefined;
  const known = fit && inverse(fit.covariance, 3);
  const measured = { rays, weight, plane: known && { q: fit.q, weight: known }, sizeM };
  if (fit) return solved(measured, startOn(rays, fit.q))?.stand;
  if (sizeM === undefined) return undefined;
  const side = [0, 2, 4, 6].reduce(
    (sum, k) => sum + Math.hypot(rays[k] - rays[(k + 2) % 8], rays[k + 1] - rays[(k + 3) % 8]) / 4,
    0,
  );
  const centre = [...[0, 1].map((axis) => [0, 2, 4, 6].reduce((sum, k) => sum + rays[k + axis] / 4, 0)), 1];
  const starts = Array.from({ length: SIDES + 1 }, (_, k) => {
    const [tilt, angle] = [k === SIDES ? 0 : TILT, (2 * Math.PI * k) / SIDES];
    const normal = [Math.sin(tilt) * Math.cos(angle), Math.sin(tilt) * Math.sin(angle), Math.cos(tilt)];
    const far = (sizeM / side) * normal.reduce((sum, value, axis) => sum + value * centre[axis], 0);
    return solved(
      measured,
      startOn(
        rays,
        normal.map((value) => value / far),
      ),
    );
  });
  const [best, ...others] = starts.filter((one) => one !== undefined).toSorted((p, q) => p.chi - q.chi);
  const isRival = ({ stand: { motion: m }, chi }: NonNullable<ReturnType<typeof solved>>) =>
    chi < best.chi + CLEAR && [2, 6, 10].reduce((sum, k) => sum + m[k] * best.stand.motion[k], 0) < 0.999;
  return best && !others.some(isRival) ? best.stand : undefined;
}

/** A tag's place and the logarithm of its size, if its corners' rays meet this plane. */
function startOn(rays: readonly number[], q: readonly number[]) {
  const corner = (k: number) => {
    const z = 1 / (q[0] * rays[2 * k] + q[1] * rays[2 * k + 1] + q[2]);
    return [rays[2 * k] * z, rays[2 * k + 1] * z, z];
  };
  const [a, b, c, d] = [0, 1, 2, 3].map(corner);
  const [right, down] = [0, 1].map((k) =>
    a.map((_, i) => (k === 0 ? b[i] + c[i] - a[i] - d[i] : c[i] + d[i] - a[i] - b[i]) / 2),
  );
  // The rows of the turned matrix are made unit vectors at right angles.
  const back = straighten(Float64Array.of(...right, 0, ...down, 0, 0, 0, 0, 0));
  const motion = rigid();
  for (let r = 0; r < 3; r++) for (let k = 0; k < 3; k++) motion[4 * r + k] = back[4 * k + r];
  for (let r = 0; r < 3; r++) motion[4 * r + 3] = (a[r] + b[r] + c[r] + d[r]) / 4;
  return { motion, logSize: Math.log((Math.hypot(...right) + Math.hypot(...down)) / 2) };
}

/** A tag's place after a shift and a turn about its middle. */
function moved(motion: Rigid, by: ArrayLike<number>): Rigid {
  const turn = turned([by[3], by[4], by[5]]);
  const out = Float64Array.from(motion, (value, i) => (i % 4 === 3 ? value + by[Math.floor(i / 4)] : 0));
  for (let r = 0; r < 3; r++)
    for (let c = 0; c < 3; c++) for (let k = 0; k < 3; k++) out[4 * r + c] += turn[4 * r + k] * motion[4 * k + c];
  return out;
}

/** The measurements that a tag with this place and size would give: its corners' rays, its plane, and its size. */
function expected(m: Rigid, logSize: number): number[] {
  const half = Math.exp(logSize) / 2;
  const rays = [-1, 1, 1, -1].flatMap((x, k) => {
    const [u, v] = [x * half, (k < 2 ? -1 : 1) * half];
    const z = m[8] * u + m[9] * v + m[11];
    return [(m[0] * u + m[1] * v + m[3]) / z, (m[4] * u + m[5] * v + m[7]) / z];
  });
  const far = m[2] * m[3] + m[6] * m[7] + m[10] * m[11];
  return [...rays, m[2] / far, m[6] / far, m[10] / far, logSize];
}

/** Fits a tag's place and size by least squares; `undefined` where the corners are not those of a square. */
function solved({ rays, weight, plane, sizeM }: MeasuredTag, start: ReturnType<typeof startOn>) {
  const all = new Float64Array(144);
  for (let i = 0; i < 64; i++) all[12 * Math.floor(i / 8) + (i % 8)] = weight[i];
  if (plane) for (let i = 0; i < 9; i++) all[12 * (8 + Math.floor(i / 3)) + 8 + (i % 3)] = plane.weight[i];
  if (sizeM !== undefined) all[143] = 1 / MEASURED ** 2;
  const told = [...rays, ...(plane?.q ?? [0, 0, 0]), sizeM === undefined ? 0 : Math.log(sizeM)];
  let { motion, logSize } = start;
  for (let round = 0; ; round++) {
    const now = expected(motion, logSize);
    const slopes = new Float64Array(12 * SEVEN);
    for (let k = 0; k < SEVEN; k++) {
      const at = (by: number) => {
        const change = new Float64Array(SEVEN).fill(by, k, k + 1);
        return expected(moved(motion, change), logSize + change[6]);
      };
      const [more, less] = [at(STEP), at(-STEP)];
      for (let i = 0; i < 12; i++) slopes[SEVEN * i + k] = (more[i] - less[i]) / (2 * STEP);
    }
    const off = now.map((value, i) => told[i] - value);
    const across = product(transposed(slopes, SEVEN), all, 12);
    const covariance = inverse(product(across, slopes, 12), SEVEN);
    if (!covariance) return undefined;
    if (round === ROUNDS) {
      const chi = product(off, product(all, off, 12), 12)[0];
      const freedom = 1 + (plane ? 3 : 0) + (sizeM === undefined ? 0 : 1);
      const factor = Math.max(1, chi / freedom);
      if (!(factor < MOST_CHI)) return undefined;
      const six = Array.from({ length: 36 }, (_, i) => factor * covariance[SEVEN * Math.floor(i / 6) + (i % 6)]);
      return { stand: { motion: straighten(motion), covariance: six }, chi };
    }
    const change = product(covariance, product(across, off, 12), SEVEN);
    motion = moved(motion, change);
    logSize += change[6];
  }
}
