import type { Camera } from "./camera.ts";

/** Rounded at each step, as the kernels round and WebAssembly's vectors do. */
export const { fround: f } = Math;

/** The less and the more of two as vectors have them (pmin, pmax): the first where one of them is no number. */
export const less = (a: number, b: number): number => (b < a ? b : a);
export const more = (a: number, b: number): number => (a < b ? b : a);

/** Where each of a view's numbers stands behind the pose: the `offset`s of the .wat files are these, times 4. */
export const [
  FOCAL_X,
  FOCAL_Y,
  CENTRE_X,
  CENTRE_Y,
  SENSOR_X,
  SENSOR_Y,
  SENSOR_CENTRE_X,
  SENSOR_CENTRE_Y,
  STEP_X,
  STEP_Y,
  POINT_SCALE,
  BLUR,
  INVERSE_FOCUS,
  UNIT,
  LONGEST_RUN,
  APERTURE_AREA,
  MAX_REACH,
  ZOOM,
  LAST_COLUMN,
  LAST_ROW,
  VIEW_NUMBERS,
] = [16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36];

/** Writes the camera, and the picture that it takes, as the twin and its WebAssembly read them. */
export function writeView(
  view: Float32Array,
  camera: Camera,
  { width, height }: { readonly width: number; readonly height: number },
  maxReach: number,
): void {
  view.set(camera.pose);
  view.set(camera.focal, FOCAL_X);
  view.set(camera.centre, CENTRE_X);
  view.set(camera.sensorFocal, SENSOR_X);
  view.set(camera.sensorCentre, SENSOR_CENTRE_X);
  view[STEP_X] = 1 / camera.sensorFocal[0];
  view[STEP_Y] = 1 / camera.sensorFocal[1];
  view[POINT_SCALE] = camera.pointScale;
  view[BLUR] = camera.blur;
  view[INVERSE_FOCUS] = camera.inverseFocus;
  view[UNIT] = camera.metresPerUnit;
  view[LONGEST_RUN] = camera.longestRun;
  view[APERTURE_AREA] = camera.apertureArea;
  view[MAX_REACH] = maxReach;
  view[ZOOM] = camera.focal[0] / camera.sensorFocal[0];
  view[LAST_COLUMN] = width - 1;
  view[LAST_ROW] = height - 1;
}
