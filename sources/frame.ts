import type { NdArray } from "ndarray";

export { image } from "./array.ts";

/** A pinhole camera. `fx`, `fy`, `cx`, `cy` in pixels of an image of `width` × `height`; pixel centres are at whole numbers. */
export interface Intrinsics {
  readonly fx: number;
  readonly fy: number;
  readonly cx: number;
  readonly cy: number;
  readonly width: number;
  readonly height: number;
  /**
   * Coefficients of the lens as the recording gives them, of Brown and Conrady k1, k2, p1, p2, k3 …; absent when the image is
   * rectified.
   */
  readonly distortion?: readonly number[];
  /** What the coefficients mean; Brown and Conrady where nothing is said. */
  readonly distortionModel?: DistortionModel;
}

/** "inverse" leads from the image to the ray; "modified" is RealSense's; "rational" adds k4, k5, k6; "fisheye" is Kannala and Brandt's. */
export const DISTORTION_MODELS = [
  "brown-conrady",
  "inverse-brown-conrady",
  "modified-brown-conrady",
  "rational",
  "rational6kt",
  "fisheye",
] as const;
export type DistortionModel = (typeof DISTORTION_MODELS)[number];

/** A 16-bit depth image, shape `[height, width]`, row-major. 0 means invalid, always. */
export type DepthArray = NdArray<Uint16Array>;

/** An RGBA image registered to depth, shape `[height, width, 4]`, row-major. */
export type ColorArray = NdArray<Uint8Array>;

/** One frame of a depth camera. */
export interface DepthFrame {
  /** Depth in units of `metresPerUnit`; a source maps every "no measurement" value (65535, 2047, NaN …) to 0. */
  readonly depth: DepthArray;
  readonly metresPerUnit: number;
  readonly intrinsics: Intrinsics;
  readonly color?: ColorArray;
  /** Milliseconds on the source's own clock. */
  readonly timestamp: number;
  /** Position in the source, from 0. A source that skips frames counts them too: a gap tells how many. */
  readonly index: number;
  /** It does not follow the frame before it: the first after a seek, of another round of a loop, or of another source. */
  readonly jump?: boolean;
  /** Why it could not be read; it has no valid pixel then. A pipeline counts it and goes on with the next. */
  readonly fault?: Error;
  /**
   * Back-pressure. A consumer that wants every frame calls this, synchronously when it is handed the frame, with a promise;
   * a source that can wait (a recording) delivers its next frame only when all of them have settled.
   * A live source does not have it: it cannot wait.
   */
  waitUntil?(work: Promise<unknown>): void;
}

/** What must stay the same from frame to frame for GPU buffers and pipelines to be kept; a change rebuilds them. */
export type FrameShape = Pick<DepthFrame, "metresPerUnit" | "intrinsics">;

/** The shape of a frame. */
export function shapeOf(frame: DepthFrame): FrameShape {
  return { metresPerUnit: frame.metresPerUnit, intrinsics: frame.intrinsics };
}

/** Whether two frames can go through the same buffers and pipelines. Every field counts. */
export function sameShape(a: FrameShape, b: FrameShape): boolean {
  return a.metresPerUnit === b.metresPerUnit && sameLens(a.intrinsics, b.intrinsics);
}

function sameLens(p: Intrinsics, q: Intrinsics): boolean {
  // Mostly it is one object, frame after frame.
  if (p === q) return true;
  const [bent, other] = [p.distortion ?? [], q.distortion ?? []];
  return (
    p.width === q.width &&
    p.height === q.height &&
    p.fx === q.fx &&
    p.fy === q.fy &&
    p.cx === q.cx &&
    p.cy === q.cy &&
    p.distortionModel === q.distortionModel &&
    (bent === other || (bent.length === other.length && bent.every((value, i) => value === other[i])))
  );
}

/** Whether nothing was measured at all. */
export const isBlank = ({ data }: DepthArray): boolean => data.every((value) => value === 0);

/** The number of pixels that carry a measurement. */
export function countValid(depth: DepthArray): number {
  const { data } = depth;
  let valid = 0;
  for (let i = 0; i < data.length; i++) if (data[i] !== 0) valid++;
  return valid;
}
