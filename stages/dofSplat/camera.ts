import type { FrameShape } from "../../sources/frame.ts";
import type { ParametersOf } from "../parameters.ts";
import type { schema } from "./schema.ts";

/** The camera that looks at the points, as the kernel that projects them takes it (shaders/dofSplat/project.wgsl). */
export interface Camera {
  /** Sensor to view, column-major. */
  readonly pose: readonly number[];
  /** Focal lengths and principal point of the picture, px; pixel centres are at whole numbers. */
  readonly focal: readonly [number, number];
  readonly centre: readonly [number, number];
  /** The same of the depth camera. */
  readonly sensorFocal: readonly [number, number];
  readonly sensorCentre: readonly [number, number];
  readonly pointScale: number;
  /** px · m: the circle of confusion has a radius of blur · |1/focus − 1/z|. */
  readonly blur: number;
  /** 1/m. */
  readonly inverseFocus: number;
  readonly metresPerUnit: number;
  /** Points that may become one splat, where they are far enough out of focus. */
  readonly longestRun: number;
  /** Corners of the aperture; fewer than 5: it is round. */
  readonly blades: number;
  /** Of the aperture's outline, for a radius (of its corners) of 1. */
  readonly apertureArea: number;
}

/** What the light falls on. */
export interface Film {
  /** Linear light, 0 to 1. */
  readonly background: readonly [number, number, number];
  /** The coverage from which a pixel shows nothing of the background. */
  readonly opaque: number;
}

/**
 * The camera for `parameters`.
 *
 * A thin lens of diameter D = f/N, f the focal length `focalLengthMm` or, if that is 0, the one that gives the field of view
 * on a sensor `sensorHeightMm` high, focused at F: the rays of a point at distance z spread over a disc of radius D/2 · |z − F|/z where they meet the
 * plane of focus, which is focal · D/2 · |1/F − 1/z| px in a picture whose field of view is the same whatever the
 * focus. (A real lens "breathes": its own image is F/(F − f) times this one. The textbook's c = D·f·|z − F|/(z·(F − f))
 * is measured there.)
 */
export function cameraOf(shape: FrameShape, parameters: ParametersOf<typeof schema>): Camera {
  const { width, height, verticalFovDeg, pose, focusM, fNumber, pointScale, blades } = parameters;
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
    pointScale,
    blur: fNumber === 0 ? 0 : (focalY * focalLengthMm) / 1000 / fNumber / 2,
    inverseFocus: 1 / focusM,
    metresPerUnit: shape.metresPerUnit,
    longestRun: parameters.longestRun,
    blades,
    apertureArea: blades < 5 ? Math.PI : (blades / 2) * Math.sin((2 * Math.PI) / blades),
  };
}

/** The film for `parameters`. */
export function filmOf({ background, fill }: ParametersOf<typeof schema>): Film {
  const [r = 0, g = 0, b = 0] = background.map((c) => toLinear(Math.min(Math.max(c, 0), 1)));
  return { background: [r, g, b], opaque: Math.max(1 - fill, 1e-6) };
}

/** sRGB to linear light, both 0 to 1 (IEC 61966-2-1). */
export const toLinear = (c: number): number => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);

/** Linear light to sRGB, both 0 to 1. */
export const toEncoded = (c: number): number => (c <= 0.0031308 ? c * 12.92 : 1.055 * c ** (1 / 2.4) - 0.055);
