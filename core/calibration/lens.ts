import type { DistortionModel, Intrinsics } from "../frame.ts";

/** A point on the plane one metre in front of a camera, or in the image: x to the right, y down. */
export type PlanePoint = [x: number, y: number];

/**
 * A model's coefficients in their usual order, 14 numbers; those that a camera does not name are 0. The models take them by number: V8
 * does not inline a function that takes eight from an iterator, and a table of 4096×4096 pixels then takes three times as long.
 */
type Coefficients = readonly number[];

/** A distortion model: maps an undistorted point (x, y) to the distorted point. */
type Bend = (x: number, y: number, k: Coefficients, out: PlanePoint) => void;

/**
 * Brown and Conrady with OpenCV's order of coefficients: k1 k2 p1 p2 k3, and the denominator k4 k5 k6 of the rational model. Azure Kinect's
 * files say Brown-Conrady and mean the rational model; their older "Rational6KT" counts the xy term once instead of twice.
 */
function rational(x: number, y: number, k: Coefficients, out: PlanePoint, xyTimes = 2): void {
  const { 0: k1, 1: k2, 2: p1, 3: p2, 4: k3, 5: k4, 6: k5, 7: k6 } = k;
  const r2 = x * x + y * y;
  const radial = (1 + r2 * (k1 + r2 * (k2 + r2 * k3))) / (1 + r2 * (k4 + r2 * (k5 + r2 * k6)));
  out[0] = x * radial + xyTimes * p1 * x * y + p2 * (r2 + 2 * x * x);
  out[1] = y * radial + xyTimes * p2 * x * y + p1 * (r2 + 2 * y * y);
}

/** OpenCV's model of 14 coefficients: rational, a thin prism's s1 s2 s3 s4, and the sensor's turns about x and y, radians. */
const tilted: Bend = (x, y, k, out) => {
  rational(x, y, k, out);
  const { 8: s1, 9: s2, 10: s3, 11: s4, 12: a, 13: b } = k;
  const r2 = x * x + y * y;
  const [u, v] = [out[0] + r2 * (s1 + r2 * s2), out[1] + r2 * (s3 + r2 * s4)];
  const [sa, ca, sb, cb] = [Math.sin(a), Math.cos(a), Math.sin(b), Math.cos(b)];
  const z = sb * u - cb * sa * v + cb * ca;
  out[0] = (cb * ca * (cb * u + sb * sa * v - sb * ca)) / z + sb * ca;
  out[1] = (cb * ca * (ca * v + sa)) / z - sa;
};

/** RealSense's model: the tangential terms use the point that the radial terms have moved already. */
const modified: Bend = (x, y, { 0: k1, 1: k2, 2: p1, 3: p2, 4: k3 }, out) => {
  const r2 = x * x + y * y;
  const radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3));
  const [u, v] = [x * radial, y * radial];
  out[0] = u + 2 * p1 * u * v + p2 * (r2 + 2 * u * u);
  out[1] = v + 2 * p2 * u * v + p1 * (r2 + 2 * v * v);
};

/** Kannala and Brandt (2006): the distance from the centre is a polynomial of the angle. ROS calls it "equidistant". */
const fisheye: Bend = (x, y, { 0: k1, 1: k2, 2: k3, 3: k4 }, out) => {
  const r = Math.hypot(x, y);
  const angle = Math.atan(r);
  const a2 = angle * angle;
  const scale = r < 1e-9 ? 1 : (angle * (1 + a2 * (k1 + a2 * (k2 + a2 * (k3 + a2 * k4))))) / r;
  out[0] = x * scale;
  out[1] = y * scale;
};

const bends: Record<DistortionModel, Bend> = {
  "brown-conrady": rational,
  "inverse-brown-conrady": rational,
  "modified-brown-conrady": modified,
  rational,
  rational6kt: (x, y, k, out) => rational(x, y, k, out, 1),
  fisheye,
};

/**
 * Inverts a distortion model by Newton's method: finds the point that it maps to (x, y). Returns NaN where no such point exists, or where
 * the only one lies beyond the radius at which the polynomial turns back.
 */
function straighten(bend: Bend, x: number, y: number, k: Coefficients, out: PlanePoint): void {
  const STEP = 1e-6;
  let [u, v] = [x, y];
  let determinant = 1;
  for (let round = 0; round < 30; round++) {
    bend(u, v, k, out);
    const [ex, ey] = [out[0] - x, out[1] - y];
    if (Math.abs(ex) + Math.abs(ey) < 1e-10) break;
    bend(u + STEP, v, k, out);
    const [xu, yu] = [(out[0] - x - ex) / STEP, (out[1] - y - ey) / STEP];
    bend(u, v + STEP, k, out);
    const [xv, yv] = [(out[0] - x - ex) / STEP, (out[1] - y - ey) / STEP];
    determinant = xu * yv - xv * yu;
    u -= (ex * yv - ey * xv) / determinant;
    v -= (ey * xu - ex * yu) / determinant;
  }
  bend(u, v, k, out);
  const found = Math.abs(out[0] - x) + Math.abs(out[1] - y) < 1e-6 && determinant > 0 && u * x + v * y >= 0;
  out[0] = found ? u : Number.NaN;
  out[1] = found ? v : Number.NaN;
}

/** What a lens says of how it bends rays. */
interface Bending {
  readonly distortion?: readonly number[] | undefined;
  readonly distortionModel?: DistortionModel | undefined;
}

/** Whether a lens bends rays. Coefficients of 0 bend nothing, but in a fisheye's model: its distances are those of the angle then. */
export const isBent = ({ distortion = [], distortionModel }: Bending): boolean =>
  distortion.some((value) => value !== 0) || (distortionModel === "fisheye" && distortion.length > 0);

/**
 * A camera with its lens. A table of a whole image makes one `LensModel` for all its pixels, so that what the pixels have in common is
 * looked up once.
 */
export class LensModel {
  readonly #bend?: Bend;
  readonly #k: Coefficients;
  /** Whether the model maps the image to the ray instead of the ray to the image. */
  readonly #inverse: boolean;

  constructor(readonly camera: Intrinsics) {
    const { distortion = [], distortionModel: model = "brown-conrady" } = camera;
    this.#k = Array.from({ length: 14 }, (_, i) => distortion[i] ?? 0);
    const isTilted = bends[model] === rational && this.#k.some((value, i) => i > 7 && value !== 0);
    if (isBent(camera)) this.#bend = isTilted ? tilted : bends[model];
    this.#inverse = model === "inverse-brown-conrady";
  }

  /** Projects the ray (x, y, 1) to a pixel. */
  project(x: number, y: number, out: PlanePoint): void {
    out[0] = x;
    out[1] = y;
    if (this.#bend) {
      if (this.#inverse) straighten(this.#bend, x, y, this.#k, out);
      else this.#bend(x, y, this.#k, out);
    }
    out[0] = out[0] * this.camera.fx + this.camera.cx;
    out[1] = out[1] * this.camera.fy + this.camera.cy;
  }

  /** The ray (x, y, 1) through a pixel; NaN where the distortion model has none. */
  unproject(u: number, v: number, out: PlanePoint): void {
    out[0] = (u - this.camera.cx) / this.camera.fx;
    out[1] = (v - this.camera.cy) / this.camera.fy;
    if (!this.#bend) return;
    if (this.#inverse) this.#bend(out[0], out[1], this.#k, out);
    else straighten(this.#bend, out[0], out[1], this.#k, out);
  }
}

/** Projects one ray (x, y, 1) to a pixel. */
export const project = (camera: Intrinsics, x: number, y: number, out: PlanePoint): void =>
  new LensModel(camera).project(x, y, out);

/** The ray (x, y, 1) through one pixel; NaN where the distortion model has none. */
export const unproject = (camera: Intrinsics, u: number, v: number, out: PlanePoint): void =>
  new LensModel(camera).unproject(u, v, out);
