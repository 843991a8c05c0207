import { LensModel, type PlanePoint } from "../../core/calibration/lens.ts";
import type { Extrinsics } from "../../core/calibration/register.ts";
import { type GreyArray, type Intrinsics, image } from "../../core/frame.ts";
import { product, transposed } from "../../core/matrix.ts";
import { turned, turnOf } from "../../core/pose.ts";

/** How the images of two cameras side by side become those of a rectified pair: the turns of both, 3×3 by rows, and one lens for both. */
export interface Rectification {
  readonly left: readonly number[];
  readonly right: readonly number[];
  /** Without distortion, for both images. */
  readonly lens: Intrinsics;
  readonly baselineM: number;
}

type Vector = readonly [x: number, y: number, z: number];

const turn = ([x, y, z]: Vector, share = 1): number[] => {
  const m = turned([share * x, share * y, share * z]);
  return [0, 4, 8].flatMap((row) => [m[row], m[row + 1], m[row + 2]]);
};
const times = (a: ArrayLike<number>, b: ArrayLike<number>) => [...product(a, b, 3)];

/**
 * Rectifies by the cameras' lenses and the transform from the left one to the right one, as Bouguet's toolbox and OpenCV's `stereoRectify`
 * do (zero disparity at infinity, alpha 0): each camera is turned by half of the rotation between them, then both until the line between
 * them lies along the rows; the lens is the widest whose pixels both images have. Where the cameras cannot be rectified, returns a text
 * that says why.
 */
export function bouguet(left: Intrinsics, right: Intrinsics, { rotation, translation }: Extrinsics) {
  const [r, t] = [rotation, translation];
  const between = turnOf(Float64Array.of(r[0], r[1], r[2], 0, r[3], r[4], r[5], 0, r[6], r[7], r[8], 0));
  const half = turn(between, -0.5);
  const [x, y, z] = times(half, t);
  const length = Math.hypot(x, y, z);
  if (!(Math.abs(x) > Math.abs(y) && Math.abs(x) > Math.abs(z)))
    return "the two cameras do not stand side by side, so that no row of one image is one of the other";
  if (x > 0) return "the left camera stands to the right of the right one: exchange them";
  // The axis at right angles to the line between the cameras and to the rows, which are to lie on that line.
  const [ay, az] = [-z, y];
  const angle = Math.acos(-x / length) / (Math.hypot(ay, az) || 1);
  const level = turn([0, ay * angle, az * angle]);
  const turns = [times(level, transposed(half, 3)), times(level, half)] as const;
  const lens = commonLens([left, right], turns);
  if (typeof lens === "string") return lens;
  return { left: turns[0], right: turns[1], lens, baselineM: -times(turns[1], t)[0] } satisfies Rectification;
}

/** The number of points along each side of an image that are followed through the rectification. */
const SIDE = 33;

function commonLens(cameras: readonly Intrinsics[], turns: readonly (readonly number[])[]): Intrinsics | string {
  const [{ width, height }] = cameras;
  const f = cameras.reduce((sum, { fy }) => sum + fy / cameras.length, 0);
  const models = cameras.map((camera) => new LensModel(camera));
  const place: PlanePoint = [0, 0];
  /** Where a pixel lies on the plane in front of the turned camera. */
  const rayOf = (k: number, u: number, v: number) => {
    models[k].unproject(u, v, place);
    const [x, y, z] = times(turns[k], [place[0], place[1], 1]);
    return z > 0 ? ([x / z, y / z] as const) : ([Number.NaN, Number.NaN] as const);
  };
  const corners = cameras.flatMap((_, k) => [0, width - 1].flatMap((u) => [0, height - 1].map((v) => rayOf(k, u, v))));
  const mean = (axis: 0 | 1) => corners.reduce((sum, ray) => sum + ray[axis] / corners.length, 0);
  const [cx, cy] = [(width - 1) / 2 - f * mean(0), (height - 1) / 2 - f * mean(1)];
  let zoom = 0;
  for (let k = 0; k < cameras.length; k++)
    for (let i = 0; i < SIDE; i++) {
      const [u, v] = [(i * (width - 1)) / (SIDE - 1), (i * (height - 1)) / (SIDE - 1)];
      zoom = Math.max(
        zoom,
        cx / (-f * rayOf(k, 0, v)[0]),
        (width - 1 - cx) / (f * rayOf(k, width - 1, v)[0]),
        cy / (-f * rayOf(k, u, 0)[1]),
        (height - 1 - cy) / (f * rayOf(k, u, height - 1)[1]),
      );
    }
  if (!(zoom > 0.05 && zoom < 20))
    return "a lens sees so wide, or the cameras look so far apart, that no common flat image has their pixels";
  return { fx: f * zoom, fy: f * zoom, cx, cy, width, height };
}

/**
 * Makes the function that turns a camera's images into rectified ones: `rotation` turns its rays into those of `lens`. Values between
 * pixels are mixed of the four around them (cv2.initUndistortRectifyMap, cv2.remap); a place that the image does not have is 0.
 */
export function rectifier(camera: Intrinsics, rotation: readonly number[], lens: Intrinsics) {
  const places = placesOf(camera, transposed(rotation, 3), lens);
  return (grey: GreyArray): GreyArray => {
    const { data } = grey;
    const out = data instanceof Uint16Array ? new Uint16Array(places.length / 2) : new Uint8Array(places.length / 2);
    const wide = camera.width;
    for (let i = 0; i < out.length; i++) {
      const [x, y] = [places[2 * i], places[2 * i + 1]];
      if (!(x >= 0)) continue;
      const [u, v] = [Math.min(wide - 2, Math.floor(x)), Math.min(camera.height - 2, Math.floor(y))];
      const [a, b, at] = [x - u, y - v, wide * v + u];
      const upper = data[at] + a * (data[at + 1] - data[at]);
      const lower = data[at + wide] + a * (data[at + wide + 1] - data[at + wide]);
      out[i] = Math.round(upper + b * (lower - upper));
    }
    return image(out, [lens.height, lens.width]);
  };
}

/** The place of a side of so many pixels; what lies up to half a pixel outside is on the border pixel. */
const within = (place: number, side: number) => Math.min(side - 1, Math.max(0, place));

/**
 * A lens folds where a place on the plane in front of the camera, projected and unprojected again, comes back farther away than this, as a
 * share of its distance from the camera.
 */
const FOLD = 1e-3;

/** For each pixel of the rectified image its place in the camera's, x and y in px; NaN where the camera's image does not have it. */
function placesOf(camera: Intrinsics, back: ArrayLike<number>, lens: Intrinsics): Float32Array {
  const places = new Float32Array(2 * lens.width * lens.height).fill(Number.NaN);
  const model = new LensModel(camera);
  const [place, again]: [PlanePoint, PlanePoint] = [
    [0, 0],
    [0, 0],
  ];
  for (let v = 0, i = 0; v < lens.height; v++)
    for (let u = 0; u < lens.width; u++, i++) {
      const [a, b] = [(u - lens.cx) / lens.fx, (v - lens.cy) / lens.fy];
      const z = back[6] * a + back[7] * b + back[8];
      const [x, y] = [(back[0] * a + back[1] * b + back[2]) / z, (back[3] * a + back[4] * b + back[5]) / z];
      model.project(x, y, place);
      const [px, py] = [within(place[0], camera.width), within(place[1], camera.height)];
      if (!(z > 0 && Math.max(Math.abs(px - place[0]), Math.abs(py - place[1])) <= 0.5)) continue;
      model.unproject(place[0], place[1], again);
      if (Math.hypot(again[0] - x, again[1] - y) < FOLD * Math.hypot(1, x, y)) places.set([px, py], 2 * i);
    }
  return places;
}
