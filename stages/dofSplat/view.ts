import type { Camera } from "./camera.ts";
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
  STEP_Y,
  UNIT,
  ZOOM,
} from "./layout.ts";

/** Rounded at each step, as the kernels round and WebAssembly's vectors do. */
export const { fround: f } = Math;

/** The less and the more of two as vectors have them (pmin, pmax): the first where one of them is no number. */
export const less = (a: number, b: number): number => (b < a ? b : a);
export const more = (a: number, b: number): number => (a < b ? b : a);

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
