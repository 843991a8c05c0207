import { LensModel, type PlanePoint } from "../../core/calibration/lens.ts";
import type { ColorArray } from "../../core/frame.ts";
import { pointAt, type Vec3 } from "../../core/geometry.ts";
import type { Rigid } from "../../core/pose.ts";
import { type Look, lookBy } from "../../scan/place/look.ts";
import { findFloor, findPlane } from "../find.ts";
import { heightAt, heightOver, type PlaneFit } from "../plane.ts";
import { pixelsIn, pointOf, type Scene, sigmaAt } from "../scene.ts";
import { withFlatNormals } from "./normals.ts";

/** What one camera sees, in the form that the search for its place and the fit need. */
export interface Sight {
  readonly scene: Scene;
  /** The directions that may be upwards: normals of planes that point up in the picture, or to a camera that looks straight down. */
  readonly ups: readonly Vec3[];
  /** The floor first, then other large planes. */
  readonly planes: readonly PlaneFit[];
  /** The planes behind which hardly anything is seen: walls and floors, not the faces of furniture. */
  readonly bounds: readonly PlaneFit[];
  /** A small image for the search, and a larger one for its fits. */
  readonly rough: Look;
  readonly coarse: Look;
  /** An image for the fit. */
  readonly fine: Look;
  /** The median distance along the axis, m. */
  readonly spanM: number;
  /** The colours of the coarse image's pixels, where the camera has some. */
  readonly colors: Float32Array | undefined;
  /** The noise of a pixel of one frame at that distance, m. */
  readonly noiseM: number;
}

/** The images' widths, px, and the reach of the pixels that give a normal. */
const LOOKS = [
  { across: 80, reach: 1 },
  { across: 160, reach: 1 },
  { across: 320, reach: 1 },
];
/** Neighbours are averaged with a pixel if their depths differ from the pixel's by less than this share. */
const ALIKE = 0.015;

/** A normal points up in the picture if its y is below UPWARDS, and to the camera if its z is below TO_CAMERA. */
const UPWARDS = -0.35;
const TO_CAMERA = -0.93;

/** `undefined` where a camera sees nothing. */
export function sightOf(scene: Scene, color?: ColorArray): Sight | undefined {
  const seen = scene.z.filter((z) => z > 0).sort();
  const spanM = seen[seen.length >> 1];
  if (!(spanM > 0)) return undefined;
  const [rough, coarse, fine] = LOOKS.map(({ across, reach }) => lookAt(scene, across, reach));
  const noiseM = sigmaAt(scene, spanM);
  const planes = planesOf(scene, findFloor(scene));
  const normals = planes.map(({ normal }) => normal);
  const upwards = normals.filter(([, y]) => y < UPWARDS);
  const ups = upwards.length > 0 ? upwards : normals.filter(([, , z]) => z < TO_CAMERA);
  const [colors, finer] = [coarse, fine].map((look) => color && colorsOf(scene, look, color));
  const lit = [coarse, withFlatNormals(fine, scene)].map((look, k) => ({
    ...look,
    light: lightOf([colors, finer][k], look),
  }));
  const bounds = planes.filter((plane) => isBound(scene, plane));
  return { scene, ups, planes, bounds, rough, coarse: lit[0], fine: lit[1], spanM, noiseM, colors };
}

/** A place lies on none of the planes if its distance to each is at least this share of its distance from the camera. */
export const OFF = 0.012;

/** Whether a place lies on a thing: on none of the planes that a camera sees. */
export const isOff = ({ planes }: Sight, place: Vec3): boolean =>
  planes.every((plane) => Math.abs(heightOver(plane, place)) > OFF * place[2]);

/** The least share of the picture that a plane has to have, and the most planes that are looked for. */
const LARGE = 0.02;
const MOST_PLANES = 9;

/** A place lies behind a plane by this share of its distance. At most the share BEHIND of what is seen lies behind a wall. */
const DEEP = 0.03;
const BEHIND = 0.01;

function isBound(scene: Scene, plane: PlaneFit): boolean {
  const { pixels } = pixelsIn(scene, { x: 0, y: 0, width: scene.width, height: scene.height }, 10_000);
  return pixels.filter((i) => heightAt(scene, plane, i) < -DEEP * scene.z[i]).length < BEHIND * pixels.length;
}

/** A scene's floor first, then its other large planes. */
function planesOf(scene: Scene, floor: PlaneFit | undefined): PlaneFit[] {
  const found = floor ? [floor] : [];
  const { pixels } = pixelsIn(scene, { x: 0, y: 0, width: scene.width, height: scene.height }, 10_000);
  for (let rest = pixels; found.length < MOST_PLANES; ) {
    const last = found[found.length - 1];
    if (last) rest = rest.filter((i) => Math.abs(heightOver(last, pointOf(scene, i))) > 0.02 * scene.z[i]);
    const plane = findPlane(scene, rest);
    if (!plane || plane.share * rest.length < LARGE * pixels.length) break;
    found.push(plane);
  }
  return found;
}

/** A small image of a scene, straightened by the camera's lens model: each pixel is the mean of those around that lie on its surface. */
export function lookAt(scene: Scene, across: number, reach: number): Look {
  const { width, height, z, intrinsics } = scene;
  const lens = new LensModel(intrinsics);
  const down = Math.round((across * height) / width);
  const side = Math.max(1, Math.round(width / across));
  const odd = (side - 1) / 2 - 0.5;
  const pixel: PlanePoint = [0, 0];
  return lookBy(intrinsics, across, down, reach, ({ fx, fy, cx, cy }, x, y) => {
    lens.project((x - cx) / fx, (y - cy) / fy, pixel);
    // An even block's middle lies between two pixels.
    const [u, v] = [Math.floor(pixel[0] - odd + 1e-6), Math.floor(pixel[1] - odd + 1e-6)];
    if (!(u >= 0 && v >= 0 && u + side <= width && v + side <= height)) return 0;
    const middle = z[(v + (side >> 1)) * width + u + (side >> 1)];
    if (middle === 0) return 0;
    let [sum, count] = [0, 0];
    for (let line = v; line < v + side; line++) {
      for (let i = line * width + u; i < line * width + u + side; i++) {
        if (Math.abs(z[i] - middle) > ALIKE * middle) continue;
        sum += z[i];
        count++;
      }
    }
    return sum / count;
  });
}

/** The red, green and blue of a look's pixels, 0 to 255: means of blocks of the picture. `undefined` where the picture has another size. */
function colorsOf({ width, height, intrinsics }: Scene, { across, down, lens }: Look, color: ColorArray) {
  if (color.data.length !== 4 * width * height) return undefined;
  const side = Math.max(1, Math.round(width / across));
  const model = new LensModel(intrinsics);
  const pixel: PlanePoint = [0, 0];
  const colors = new Float32Array(3 * across * down);
  for (let i = 0; i < across * down; i++) {
    model.project(((i % across) - lens.cx) / lens.fx, (Math.floor(i / across) - lens.cy) / lens.fy, pixel);
    const [u, v] = pixel.map((at) => Math.round(at - (side - 1) / 2));
    if (!(u >= 0 && v >= 0 && u + side <= width && v + side <= height)) continue;
    for (let k = 0; k < side * side; k++) {
      const at = 4 * ((v + Math.floor(k / side)) * width + u + (k % side));
      for (let c = 0; c < 3; c++) colors[3 * i + c] += color.data[at + c] / side ** 2;
    }
  }
  return colors;
}

/** Levels of the logarithm of brightness for each factor of e. */
const LEVELS = 90;
/** Added to brightness before its logarithm is taken: below this, brightness is mostly noise. */
const DARK = 16;
/** How often the picture is blurred. */
const BLURS = 2;

/** The brightness of pixels as `Light` takes it: its logarithm, of which an exposure is an offset, with the median in the middle. */
function lightOf(colors: Float32Array | undefined, { across }: Look): Uint8Array | undefined {
  if (!colors) return undefined;
  let logs = Float32Array.from({ length: colors.length / 3 }, (_, i) =>
    Math.log((colors[3 * i] + 2 * colors[3 * i + 1] + colors[3 * i + 2]) / 4 + DARK),
  );
  for (let round = 0; round < BLURS; round++)
    for (const step of [1, across])
      logs = logs.map((log, i, all) => (2 * log + (all[i - step] ?? log) + (all[i + step] ?? log)) / 4);
  const median = logs.toSorted()[logs.length >> 1];
  return Uint8Array.from(logs, (log) => Math.max(0, Math.min(255, Math.round(128 + LEVELS * (log - median)))));
}

/** How one look fits into another look. */
export interface Agreement {
  /** The number of pixels that lie on what the other camera sees. */
  readonly agree: number;
  /** The number of pixels that the other camera looks through: a wrong place has many. */
  readonly against: number;
  /** The number of pixels of things that lie on what the other camera sees and face the same way. */
  readonly things: number;
  /** The number of pixels of things where the other camera sees something else, and nothing that would hide them. */
  readonly alone: number;
}

/** Two normals of a thing face the same way if their cosine is at least this. */
const SAME_WAY = 0.8;

/** The nearest depth of the other image's pixels around counts, since outlines may be off by one pixel. */
const AROUND = [-1, 0, 1];

/**
 * Counts how well a look fits into what another camera sees. `tolerance` is a share of the distance; `isThing` gets a place in the axes of
 * the look's camera and of the other one.
 */
export function judge(
  look: Look,
  to: Look,
  m: Rigid,
  tolerance: number,
  isThing: (own: Vec3, there: Vec3) => boolean,
): Agreement {
  const { fx, fy, cx, cy } = to.lens;
  const { depths, normals: n, lens, across } = look;
  let [agree, against, things, alone] = [0, 0, 0, 0];
  for (let i = 0; i < depths.length; i++) {
    // Pixels without a normal lie on outlines, where depth may be that of neither side.
    if (n[3 * i + 2] === 0) continue;
    const d = depths[i];
    const [px, py] = pointAt(lens, i % across, Math.floor(i / across), d);
    const z = m[8] * px + m[9] * py + m[10] * d + m[11];
    if (z < 0.1) continue;
    const x = m[0] * px + m[1] * py + m[2] * d + m[3];
    const y = m[4] * px + m[5] * py + m[6] * d + m[7];
    const [u, v] = [Math.round((x / z) * fx + cx), Math.round((y / z) * fy + cy)];
    if (u < 1 || v < 1 || u + 1 >= to.across || v + 1 >= to.down) continue;
    let [least, near, isAlike] = [Infinity, false, false];
    const [p, q, r] = [n[3 * i], n[3 * i + 1], n[3 * i + 2]];
    const [tx, ty] = [m[0] * p + m[1] * q + m[2] * r, m[4] * p + m[5] * q + m[6] * r];
    const tz = m[8] * p + m[9] * q + m[10] * r;
    const reach = tolerance * z;
    for (const dv of AROUND) {
      for (const du of AROUND) {
        const k = (v + dv) * to.across + u + du;
        const there = to.depths[k];
        least = Math.min(least, there);
        const [nx, ny, nz] = [to.normals[3 * k], to.normals[3 * k + 1], to.normals[3 * k + 2]];
        const [ax, ay] = pointAt(to.lens, u + du, v + dv, there);
        const off = nx * (ax - x) + ny * (ay - y) + nz * (there - z);
        const isNear = nz !== 0 && Math.abs(off) < reach && Math.abs(there - z) < 8 * reach;
        near ||= isNear;
        isAlike ||= isNear && nx * tx + ny * ty + nz * tz > SAME_WAY;
      }
    }
    if (z < least + 3 * reach && isThing([px, py, d], [x, y, z])) isAlike ? things++ : alone++;
    if (near) agree++;
    else if (z < least - 3 * reach) against++;
  }
  return { agree, against, things, alone };
}
