import { dot, type Vec3 } from "../core/geometry.ts";
import { blurred, connected } from "../core/mask.ts";
import { farFrom, layerAmong } from "./layer.ts";
import { type PlaneFit, type planeOf, settle, toldBy } from "./plane.ts";
import { JUDGES, type Search, searchPlane, tolerance } from "./propose.ts";
import { pixelsIn, type Scene } from "./scene.ts";

const MOST = 40_000;
/**
 * Finds the plane that most pixels belong to: RANSAC (Fischler and Bolles 1981) with the truncated quadratic score of MSAC (Torr and
 * Zisserman 2000), then a robust fit. `worth` says how plausible a plane is, 0 to 1; the score is multiplied by it. The same pixels and
 * seed give the same plane.
 */
export function findPlane(scene: Scene, pixels: ArrayLike<number>, how: Search = {}): PlaneFit | undefined {
  const q = searchPlane(scene, pixels, { nearM: (i) => tolerance(scene, scene.z[i]), ...how });
  return q && fitAround(scene, pixels, q, how);
}

/** The largest plane in the picture and its pixels, without errors; one in so many pixels is looked at. */
export function largestPlane(scene: Scene, most: number) {
  const { width, height } = scene;
  const all = { x: 0, y: 0, width, height };
  const q = searchPlane(scene, pixelsIn(scene, all, most).pixels, { nearM: (i) => tolerance(scene, scene.z[i]) });
  return q && layerAmong(scene, within(scene, pixelsIn(scene, all).pixels, q, 2), q, {});
}

/** The pixels whose distance from a plane is below this many tolerances. */
function within(scene: Scene, pixels: ArrayLike<number>, [a, b, c]: Vec3, times: number): number[] {
  const { z, rays } = scene;
  const close: number[] = [];
  for (let k = 0; k < pixels.length; k++) {
    const i = pixels[k];
    const off = 1 / z[i] - (a * rays.x[i] + b * rays.y[i] + c);
    if (Math.abs(off) * z[i] * z[i] < times * tolerance(scene, z[i])) close.push(i);
  }
  return close;
}

/**
 * Fits a plane to the pixels that are near to the plane `q`, then to those that are nearer to that fit. What rises from the plane's border
 * lies to one side of it, and would tilt a fit that includes much of it.
 */
function fitAround(
  scene: Scene,
  pixels: ArrayLike<number>,
  q: Vec3,
  { seed = 1, layer }: Search = {},
): PlaneFit | undefined {
  const found = layer && layerAmong(scene, within(scene, pixels, q, 2), q, { seed, layer });
  const from = found ? found.pixels : pixels;
  const near = (q: Vec3, times: number) => {
    const close = within(scene, from, q, times);
    const step = Math.max(1, Math.ceil(close.length / MOST));
    const some = step === 1 ? close : close.filter((_, k) => k % step === 0);
    return { some, of: close.length / pixels.length };
  };
  const told = ({ some, of }: ReturnType<typeof near>, settled: ReturnType<typeof settle>) => {
    const fit = settled && toldBy(scene, some, settled, found?.uneven(settled.q));
    return fit && { ...fit, share: fit.share * of };
  };
  const wide = near(found?.q ?? q, 2);
  const settled = settle(scene, wide.some, found?.q ?? q);
  const narrow = settled && near(settled.q, 0.8);
  return (narrow && told(narrow, settle(scene, narrow.some, settled.q))) ?? told(wide, settled);
}

/** The search for a plane begins in a window around a pixel, of this share of the image's width. */
const WINDOW = 0.08;
const LEAST_SIDE = 12;

/** The outermost pixels of a plane, in a rim this wide, mix the plane with what lies beside; they do not count if enough others remain. */
const RIM_PX = 4;
const ENOUGH = 400;
/** A plane grows from the window over what is connected, in so many rounds at most, until a round adds less than this. */
const ROUNDS = 12;
const GROWS = 1.02;

/**
 * Finds the plane that a pixel sees: first the plane of the pixels around, then all pixels that lie on this plane and are connected with
 * these. Pixels that lie on the plane elsewhere in the picture belong to something else, and would tilt the fit.
 */
export function planeAt(scene: Scene, x: number, y: number, seed = 1): PlaneFit | undefined {
  const { z, width } = scene;
  const far = (i: number) => farFrom(width, i, { x, y });
  const nearest = (some: readonly number[]) => some.reduce((best, i) => (far(i) < far(best) ? i : best), some[0]);
  const isNear = (q: Vec3, i: number) => offFrom(scene, { q }, i) < 2 * tolerance(scene, z[i]);
  let [around, plane]: [readonly number[], PlaneFit | undefined] = [[], undefined];
  // Where the pixel sees a thing that is smaller than the window, most of the window may see what lies around the thing.
  for (let side = Math.max(LEAST_SIDE, Math.round(WINDOW * width)); side >= LEAST_SIDE; side = Math.floor(side / 2)) {
    around = pixelsIn(scene, { x: x - side / 2, y: y - side / 2, width: side, height: side }).pixels;
    plane = findPlane(scene, around, { seed });
    if (!plane) return undefined;
    const { q } = plane;
    const on = around.filter((i) => isNear(q, i));
    if (far(nearest(on)) < far(nearest(around)) + RIM_PX) break;
    plane = undefined;
  }
  for (let round = 0, grown = 0; plane && round < ROUNDS; round++) {
    const { q }: PlaneFit = plane;
    const isOn = z.map((depth, i) => (depth > 0 && isNear(q, i) ? 1 : 0));
    const start = nearest(around.filter((i) => isOn[i]));
    if (start === undefined) return plane;
    const isOff = (j: number) => isOn[j] === 0;
    const part = connected(scene, start, isOff, () => true);
    const beside = part.mask.map((on) => 1 - on);
    const outside = blurred(beside, width, RIM_PX);
    const inner = part.pixels.filter((i) => outside[i] === 0);
    const fit = fitAround(scene, inner.length < ENOUGH ? part.pixels : inner, q, { seed, layer: { x, y } });
    if (!fit) return plane;
    const seen = z.reduce((sum, depth) => sum + (depth > 0 ? 1 : 0), 0);
    plane = { ...fit, share: (fit.share * part.pixels.length) / seen };
    if (round > 0 && part.pixels.length < GROWS * grown) break;
    grown = part.pixels.length;
  }
  return plane;
}

/** A floor has at most about this share of what is seen behind it. */
const BEHIND = 0.1;

/**
 * Finds the floor: the large plane that is most plausible as a floor for a camera that is held upright or looks down. A floor's normal
 * points up in the picture, or to a camera that looks straight down; little is seen behind it. Returns `undefined` if no plane has a
 * twentieth of the picture.
 */
export function findFloor(scene: Scene, seed = 1): PlaneFit | undefined {
  const { pixels } = pixelsIn(scene, { x: 0, y: 0, width: scene.width, height: scene.height }, MOST);
  const every = Math.max(1, Math.floor(pixels.length / 500));
  const some = pixels.filter((_, k) => k % every === 0);
  const [x, y] = [some.map((i) => scene.rays.x[i]), some.map((i) => scene.rays.y[i])];
  /** What lies nearer than this is not seen behind a pixel. */
  const front = some.map((i) => scene.z[i] - (2 * tolerance(scene, scene.z[i]) + 0.02 * scene.z[i]));
  const behind = ({ q: [a, b, c] }: ReturnType<typeof planeOf>) => {
    let count = 0;
    for (let k = 0; k < front.length; k++) {
      const predicted = a * x[k] + b * y[k] + c;
      if (predicted > 0 && 1 / predicted < front[k]) count++;
    }
    return count / some.length;
  };
  const worth = (plane: ReturnType<typeof planeOf>) => {
    const [, y, z] = plane.normal;
    const upright = Math.max(0, -y) + 0.5 * Math.max(0, -z);
    return y > 0.5 || upright < 0.2 ? 0 : upright * Math.max(0, 1 - behind(plane) / BEHIND / 3);
  };
  const found = findPlane(scene, pixels, { seed, worth, layer: "largest" });
  if (!found || found.share <= 0.05) return undefined;
  if (!faces(found)) return found;
  // Before a level camera the largest plane may be a wall. The floor is then a strip at its foot: square to it, facing up, nothing below.
  const square = (plane: ReturnType<typeof planeOf>) =>
    -plane.normal[1] > UPRIGHT && Math.abs(dot(plane.normal, found.normal)) < SQUARE && behind(plane) < NOTHING ? 1 : 0;
  const rest = pixels.filter((i) => offFrom(scene, found, i) > 2 * tolerance(scene, scene.z[i]));
  const strip = findPlane(scene, rest, { seed, worth: square, layer: "largest" });
  const isStrip = strip && square(strip) > 0 && strip.share * rest.length > STRIP * pixels.length;
  return isStrip ? { ...strip, share: (strip.share * rest.length) / pixels.length } : found;
}

/** A plane whose normal is within 45° of the camera's axis may as well be a wall. */
export const faces = ({ normal }: Pick<PlaneFit, "normal">): boolean => -normal[2] > Math.SQRT1_2;

/**
 * A floor's normal points up in the picture of a level camera by at least UPRIGHT. A strip is a wall's floor if the cosine between the two
 * is below SQUARE, with at most the share NOTHING of the picture behind the strip, and at least the share STRIP on it.
 */
const UPRIGHT = 0.75;
const SQUARE = 0.1;
const NOTHING = 0.02;
const STRIP = 0.015;
/** A plane that faces the camera within 15° may be a wall if less than this share of the picture lies beside the plane. */
const SQUARELY = Math.cos((15 * Math.PI) / 180);
const ALONE = 0.004;

/** Whether a plane may as well be a wall: it faces the camera, and nothing stands on it. */
export function mayBeWall(scene: Scene, plane: PlaneFit): boolean {
  if (-plane.normal[2] < SQUARELY) return false;
  const { pixels } = pixelsIn(scene, { x: 0, y: 0, width: scene.width, height: scene.height }, JUDGES);
  const off = pixels.filter((i) => offFrom(scene, plane, i) > 2 * tolerance(scene, scene.z[i]));
  return off.length < ALONE * pixels.length;
}

/** How far along the axis a pixel is from a plane, m. */
const offFrom = ({ z, rays }: Scene, { q }: Pick<PlaneFit, "q">, i: number): number =>
  Math.abs(1 / z[i] - (q[0] * rays.x[i] + q[1] * rays.y[i] + q[2])) * z[i] * z[i];
