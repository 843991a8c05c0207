import type { DistortionModel, Intrinsics } from "../core/frame.ts";

/** A point on the plane one metre in front of a camera, or in the image: x to the right, y down. */
export type Place = [x: number, y: number];

/** A distortion model: maps the undistorted point (x, y) to the distorted one. `k` are its coefficients in their usual order. */
type Bend = (x: number, y: number, k: readonly number[], out: Place) => void;

/**
 * Brown and Conrady with OpenCV's order of coefficients: k1 k2 p1 p2 k3, and the denominator k4 k5 k6 of the rational model. Azure Kinect's
 * files say Brown-Conrady and mean the rational model; their older "Rational6KT" counts the xy term once instead of twice.
 */
const rational =
  (xyTimes: number): Bend =>
  (x, y, [k1 = 0, k2 = 0, p1 = 0, p2 = 0, k3 = 0, k4 = 0, k5 = 0, k6 = 0], out) => {
    const r2 = x * x + y * y;
    const radial = (1 + r2 * (k1 + r2 * (k2 + r2 * k3))) / (1 + r2 * (k4 + r2 * (k5 + r2 * k6)));
    out[0] = x * radial + xyTimes * p1 * x * y + p2 * (r2 + 2 * x * x);
    out[1] = y * radial + xyTimes * p2 * x * y + p1 * (r2 + 2 * y * y);
  };

/** RealSense's model: the tangential terms use the point that the radial terms have moved already. */
const modified: Bend = (x, y, [k1 = 0, k2 = 0, p1 = 0, p2 = 0, k3 = 0], out) => {
  const r2 = x * x + y * y;
  const radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3));
  const [u, v] = [x * radial, y * radial];
  out[0] = u + 2 * p1 * u * v + p2 * (r2 + 2 * u * u);
  out[1] = v + 2 * p2 * u * v + p1 * (r2 + 2 * v * v);
};

/** Kannala and Brandt (2006): the distance from the centre is a polynomial of the angle. ROS calls it "equidistant". */
const fisheye: Bend = (x, y, [k1 = 0, k2 = 0, k3 = 0, k4 = 0], out) => {
  const r = Math.hypot(x, y);
  const angle = Math.atan(r);
  const a2 = angle * angle;
  const scale = r < 1e-9 ? 1 : (angle * (1 + a2 * (k1 + a2 * (k2 + a2 * (k3 + a2 * k4))))) / r;
  out[0] = x * scale;
  out[1] = y * scale;
};

const bends: Record<DistortionModel, Bend> = {
  "brown-conrady": rational(2),
  "inverse-brown-conrady": rational(2),
  "modified-brown-conrady": modified,
  rational: rational(2),
  rational6kt: rational(1),
  fisheye,
};

/**
 * Inverts a distortion model by Newton's method: finds the point that it maps to (x, y). NaN where there is none, or only one beyond the
 * radius where the polynomial turns back.
 */
function straighten(bend: Bend, x: number, y: number, k: readonly number[], out: Place): void {
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

/** Whether a model maps the image to the ray instead of the ray to the image. */
const isInverse = (model: DistortionModel) => model === "inverse-brown-conrady";

/** Projects the ray (x, y, 1) to a pixel. */
export function project(camera: Intrinsics, x: number, y: number, out: Place): void {
  const { distortion: k, distortionModel: model = "brown-conrady" } = camera;
  out[0] = x;
  out[1] = y;
  if (k?.some((value) => value !== 0)) {
    if (isInverse(model)) straighten(bends[model], x, y, k, out);
    else bends[model](x, y, k, out);
  }
  out[0] = out[0] * camera.fx + camera.cx;
  out[1] = out[1] * camera.fy + camera.cy;
}

/** The ray (x, y, 1) through a pixel; NaN where the distortion model has none. */
export function unproject(camera: Intrinsics, u: number, v: number, out: Place): void {
  const { distortion: k, distortionModel: model = "brown-conrady" } = camera;
  out[0] = (u - camera.cx) / camera.fx;
  out[1] = (v - camera.cy) / camera.fy;
  if (!k?.some((value) => value !== 0)) return;
  if (isInverse(model)) bends[model](out[0], out[1], k, out);
  else straighten(bends[model], out[0], out[1], k, out);
}
