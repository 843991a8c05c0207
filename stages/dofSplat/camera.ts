import type { FrameShape } from "../../core/frame.ts";
import {
  APERTURE_AREA,
  BLUR,
  CENTRE_X,
  FOCAL_X,
  INVERSE_FOCUS,
  LAST_COLUMN,
  LAST_ROW,
  LONGEST_RUN,
  MAX_REACH,
  POINT_SCALE,
  SENSOR_CENTRE_X,
  SENSOR_X,
  STEP_X,
  THINNING,
  UNIT,
  ZOOM,
} from "./layout.ts";
import { toLinear } from "./light.ts";
import type { Parameters } from "./parameters.ts";

/** Rounds to single precision. The twin rounds each step, as the kernels and WebAssembly's vectors do. */
export const { fround: f } = Math;

/** The minimum as WebAssembly's vectors have it (pmin): the first argument where either is NaN. */
export function less(a: number, b: number): number {
  if (b < a) return b;
  return a;
}

/** The maximum as WebAssembly's vectors have it (pmax): the first argument where either is NaN. */
export function more(a: number, b: number): number {
  if (a < b) return b;
  return a;
}

/** The camera that looks at the points: the fields of `Camera` in shaders/dofSplat/camera.wgsl. */
export interface Camera {
  /** Sensor to view, column-major. */
  readonly pose: readonly number[];
  /** Focal lengths and principal point of the picture, px; pixel centres are at whole numbers. */
  readonly focal: readonly [number, number];
  readonly centre: readonly [number, number];
  /** Focal lengths and principal point of the depth camera, px. */
  readonly sensorFocal: readonly [number, number];
  readonly sensorCentre: readonly [number, number];
  readonly pointScale: number;
  /** px · m: the circle of confusion has a radius of blur · |1/focus − 1/z|. */
  readonly blur: number;
  /** 1/m. */
  readonly inverseFocus: number;
  readonly metresPerUnit: number;
  /** The most points that become one splat where they are far enough out of focus. */
  readonly longestRun: number;
  /** Width and height, in pixels, of the blocks of points that become one splat: a power of two; 1: no blocks. */
  readonly thinning: number;
  /** Area of the aperture if its corners are at radius 1. */
  readonly apertureArea: number;
}

/** How a picture is made from the light that falls on it: the fields of `Film` in shaders/dofSplat/accumulate.wgsl. */
export interface Film {
  /** Linear light, 0 to 1. */
  readonly background: readonly [number, number, number];
  /** A pixel that is out of focus counts as full where splats cover all of it but this share. */
  readonly fill: number;
  /** In px · m; four times the `blur` of the camera, so that `fill` counts fully from a radius of a quarter of a pixel on. */
  readonly blur: number;
  readonly inverseFocus: number;
}

/**
 * The camera for `parameters`.
 *
 * A thin lens of diameter D = f/N, focused at F. f is the focal length `focalLengthMm` or, if that is 0, the one that gives the field of
 * view on a sensor `sensorHeightMm` high. Where the rays of a point at distance z meet the plane of focus, they spread over a disc of
 * radius D/2 · |z − F|/z. That is focal · D/2 · |1/F − 1/z| px in a picture whose field of view is the same whatever the focus. (A real
 * lens "breathes": its own image is F/(F − f) times this one. The textbook's c = D·f·|z − F|/(z·(F − f)) is measured there.)
 */
export function cameraOf(shape: FrameShape, parameters: Parameters): Camera {
  const { width, height, verticalFovDeg, pose, focusM, fNumber, pointScale, blades, thinning } = parameters;
  const { fx, fy, cx, cy, width: columns, height: rows } = shape.intrinsics;
  const own = verticalFovDeg === 0;
  const zoom = height / rows;
  const focalY = own ? fy * zoom : height / 2 / Math.tan((verticalFovDeg * Math.PI) / 360);
  const focalX = own ? fx * zoom : focalY;
  const centreX = (width - 1) / 2 + (own ? (cx - (columns - 1) / 2) * zoom : 0);
  const centreY = (height - 1) / 2 + (own ? (cy - (rows - 1) / 2) * zoom : 0);
  const focalLengthMm = parameters.focalLengthMm || (parameters.sensorHeightMm * focalY) / height;
  return {
    pose,
    focal: [focalX, focalY],
    centre: [centreX, centreY],
    sensorFocal: [fx, fy],
    sensorCentre: [cx, cy],
    pointScale: pointScale * thinning,
    blur: fNumber === 0 ? 0 : (focalY * focalLengthMm) / 1000 / fNumber / 2,
    inverseFocus: 1 / focusM,
    metresPerUnit: shape.metresPerUnit,
    longestRun: parameters.longestRun,
    thinning,
    apertureArea: blades < 5 ? Math.PI : (blades / 2) * Math.sin((2 * Math.PI) / blades),
  };
}

/** The film for `parameters`, in `camera`. */
export function filmOf({ background, fill }: Parameters, { blur, inverseFocus }: Camera): Film {
  const [r = 0, g = 0, b = 0] = background.map((c) => toLinear(Math.min(Math.max(c, 0), 1)));
  return { background: [r, g, b], fill, blur: 4 * blur, inverseFocus };
}

/** A camera in single precision, and the other numbers that the kernel project.wgsl is given. */
export interface TwinCamera extends Camera {
  /** The last column and row of the picture, px. */
  readonly last: readonly [number, number];
  /** px; no splat reaches farther. */
  readonly maxReach: number;
  /** focal / sensorFocal, and 1 / sensorFocal: the kernel divides for each point. */
  readonly zoom: number;
  readonly step: readonly [number, number];
}

/** The camera that the twin computes with. */
export function twinCamera(camera: Camera, { width, height, maxReachPx }: Parameters): TwinCamera {
  const both = ([x, y]: readonly [number, number]) => [f(x), f(y)] as const;
  const [sensorX, sensorY] = camera.sensorFocal;
  return {
    ...camera,
    pose: camera.pose.map(f),
    focal: both(camera.focal),
    centre: both(camera.centre),
    sensorFocal: both(camera.sensorFocal),
    sensorCentre: both(camera.sensorCentre),
    pointScale: f(camera.pointScale),
    blur: f(camera.blur),
    inverseFocus: f(camera.inverseFocus),
    metresPerUnit: f(camera.metresPerUnit),
    apertureArea: f(camera.apertureArea),
    last: [width - 1, height - 1],
    maxReach: f(maxReachPx),
    zoom: f(camera.focal[0] / sensorX),
    step: both([1 / sensorX, 1 / sensorY]),
  };
}

/** Writes a camera for the fast form to `numbers` (layout.ts has the order). */
export function writeCamera(numbers: Float32Array, camera: TwinCamera): void {
  numbers.set(camera.pose);
  numbers.set(camera.focal, FOCAL_X);
  numbers.set(camera.centre, CENTRE_X);
  numbers.set(camera.sensorFocal, SENSOR_X);
  numbers.set(camera.sensorCentre, SENSOR_CENTRE_X);
  numbers[POINT_SCALE] = camera.pointScale;
  numbers[BLUR] = camera.blur;
  numbers[INVERSE_FOCUS] = camera.inverseFocus;
  numbers[UNIT] = camera.metresPerUnit;
  numbers[LONGEST_RUN] = camera.longestRun;
  numbers[THINNING] = camera.thinning;
  numbers[APERTURE_AREA] = camera.apertureArea;
  [numbers[LAST_COLUMN], numbers[LAST_ROW]] = camera.last;
  numbers[MAX_REACH] = camera.maxReach;
  numbers[ZOOM] = camera.zoom;
  numbers.set(camera.step, STEP_X);
}
