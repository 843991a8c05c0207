import type { NdArray } from "ndarray";
import { imageRule } from "./array.ts";
import { checkArgument, having } from "./check.ts";
import type { GreyImage } from "./extras.ts";

export { image } from "./array.ts";

/**
 * A pinhole camera: focal lengths `fx`, `fy` and principal point `cx`, `cy` in pixels of an image of `width` × `height` pixels. Pixel
 * centres lie at whole numbers.
 */
export interface Intrinsics {
  /** Focal length along x, px. */
  readonly fx: number;
  /** Focal length along y, px. */
  readonly fy: number;
  /** x of the principal point, px. */
  readonly cx: number;
  /** y of the principal point, px. */
  readonly cy: number;
  /** Width of the image, px. */
  readonly width: number;
  /** Height of the image, px. */
  readonly height: number;
  /**
   * Distortion coefficients in the order of `distortionModel`; for Brown and Conrady's k1, k2, p1, p2, k3 …. Absent when the image is
   * rectified.
   */
  readonly distortion?: readonly number[];
  /** The model that the coefficients belong to; Brown and Conrady's if absent. */
  readonly distortionModel?: DistortionModel;
}

/**
 * - "brown-conrady" maps the ray to the image (OpenCV's and ROS' `plumb_bob`); "inverse-brown-conrady" maps the image to the ray.
 * - "modified-brown-conrady" is librealsense's.
 * - "rational" adds the coefficients k4, k5, k6 of a denominator, and perhaps s1, s2, s3, s4, τx, τy of a thin prism and a tilted sensor
 *   (OpenCV's 14); "rational6kt" is the Azure Kinect's.
 * - "fisheye" is that of Kannala and Brandt (2006), OpenCV's fisheye and ROS' `equidistant`.
 */
export const DISTORTION_MODELS = [
  "brown-conrady",
  "inverse-brown-conrady",
  "modified-brown-conrady",
  "rational",
  "rational6kt",
  "fisheye",
] as const;
/** The name of a model of lens distortion. */
export type DistortionModel = (typeof DISTORTION_MODELS)[number];

/** A 16-bit depth image, shape `[height, width]`, row-major. 0 always means invalid. */
export type DepthArray = NdArray<Uint16Array>;

/** An RGBA image registered to depth (pixel by pixel in the depth camera's view), shape `[height, width, 4]`, row-major. */
export type ColorArray = NdArray<Uint8Array>;

/** A grey image of 8 or 16 bits, shape `[height, width]`, row-major. */
export type GreyArray = NdArray<Uint8Array | Uint16Array>;

/** The geometry of a stereo pair: a point of a given disparity is fx · baselineM / (disparity + doffsPx) away. */
export interface PairGeometry {
  /** The distance between the two cameras, m. */
  readonly baselineM: number;
  /** x of the right camera's principal point less x of the left one's (Middlebury's `doffs`), px; 0 if left out. */
  readonly doffsPx?: number | undefined;
}

/**
 * Two images of one moment from two cameras side by side, rectified. Both have the frame's `intrinsics`, except for the principal points,
 * which `doffsPx` sets apart. Depth belongs to the left image; what is seen at x in the left image lies at x − disparity in the same row of
 * the right one.
 */
export interface StereoPair extends PairGeometry {
  /** The left camera's image. */
  readonly left: GreyArray;
  /** The right camera's image, of the same size. */
  readonly right: GreyArray;
}

/** The message of a ROS graph that a frame was made from. */
export interface FrameOrigin {
  /** The depth image's topic. */
  readonly topic: string;
  /** The header's `frame_id`. */
  readonly frameId: string;
  /** Whether depth was sent in whole millimetres, or in metres. */
  readonly encoding: "16UC1" | "32FC1";
  /** The header's time stamp, exact; `timestamp` has a quarter of a microsecond. */
  readonly stamp: Readonly<Record<"sec" | "nanosec", number>>;
}

/** What a source may have to assume of a frame. */
export type Assumed = "lens" | "unit" | "rate";

/** One frame of a depth camera. */
export interface DepthFrame {
  /**
   * Depth along the optical axis in units of `metresPerUnit`; 0 is invalid. A source maps every "no measurement" value (65535, NaN …) to 0.
   */
  readonly depth: DepthArray;
  /** Metres per unit of `depth`. */
  readonly metresPerUnit: number;
  /** The depth camera's intrinsics. */
  readonly intrinsics: Intrinsics;
  /** What nobody told the source, which assumed it: lengths are right if lens and unit are, and times if the rate is. */
  readonly assumed?: readonly Assumed[] | undefined;
  /** The colour image, if the source has one. */
  readonly color?: ColorArray;
  /**
   * The camera's pose, where the source knows it: the 4×4 matrix that maps the camera's frame to the world's, row-major, in metres. The
   * stage `track` takes it.
   */
  readonly pose?: readonly number[] | undefined;
  /** The ROS message that the frame was made from, if there is one: results of the frame can then be published beside it. */
  readonly origin?: FrameOrigin | undefined;
  /**
   * The notes of a live camera's driver about the frame and its settings, in the driver's own words and order. A recording gives its notes
   * by `extras`.
   */
  readonly metadata?: readonly (readonly [name: string, value: string])[] | undefined;
  /** The infrared image that a live camera took with the depth, where it was asked for. A recording gives its images by `extras`. */
  readonly infrared?: GreyImage | undefined;
  /** The stereo pair, where the source has one: the stage `stereo` computes depth from it. */
  readonly pair?: StereoPair | undefined;
  /** Time stamp in milliseconds on the source's own clock. */
  readonly timestamp: number;
  /** Position in the source, from 0. Frames that a source skips count as well, so a gap tells how many it skipped. */
  readonly index: number;
  /**
   * True for a frame that does not continue the frame before: the first frame after a seek, of a loop's next round, or of another source.
   */
  readonly jump?: boolean;
  /**
   * Why the source could not read this frame, which then has no valid pixel. A pipeline counts the fault and goes on with the next frame.
   */
  readonly fault?: Error;
  /**
   * Reads the first frames of the recording that this frame is from, whichever of its frames are played; absent where a source has no
   * beginning. A pipeline sets its filters' unit and noise by these frames. An operator that spreads a frame passes this on.
   */
  firstFrames?(): Promise<readonly DepthFrame[]>;
  /**
   * Back-pressure. A consumer that wants every frame calls `waitUntil` with a promise, synchronously, when it is handed the frame. A source
   * that can wait (a recording) delivers its next frame only when all these promises have settled. `waitUntil` throws a `SourceError` when
   * the source has already gone on: `concatMap` and similar operators keep a frame without holding the source; `mapFrames` holds it. An
   * operator that derives a frame from another spreads it, `{ ...frame, depth }`, which passes `waitUntil` on. Frames of a live source have
   * no `waitUntil`, because a live source cannot wait.
   */
  waitUntil?(work: Promise<unknown>): void;
}

/** The properties of a frame for which GPU buffers and pipelines are built. Stages rebuild both when the shape changes. */
export type FrameShape = Pick<DepthFrame, "metresPerUnit" | "intrinsics">;

const shapeRule = having("a frame, or its shape", "metresPerUnit", "intrinsics");
const lensRule = having("intrinsics", "width", "height");

/**
 * The part of a frame that buffers and pipelines are built for.
 *
 * @example
 * const twin = median().twin(shapeOf(frame));
 */
export function shapeOf(frame: DepthFrame): FrameShape {
  checkArgument("shapeOf", "the frame", shapeRule, frame);
  return { metresPerUnit: frame.metresPerUnit, intrinsics: frame.intrinsics };
}

/**
 * Whether two frames can go through the same buffers and pipelines: unit and intrinsics are equal in every field.
 *
 * @example
 * if (!sameShape(before, frame)) twin = median().twin(shapeOf(frame));
 */
export function sameShape(a: FrameShape, b: FrameShape): boolean {
  for (const shape of [a, b]) checkArgument("sameShape", "the frame", shapeRule, shape);
  return a.metresPerUnit === b.metresPerUnit && sameLens(a.intrinsics, b.intrinsics);
}

/**
 * Whether two lenses and image sizes are the same.
 *
 * @example
 * if (!sameLens(before.intrinsics, frame.intrinsics)) camera.updateProjectionMatrix();
 */
export function sameLens(p: Intrinsics, q: Intrinsics): boolean {
  // Most sources hand out the same object frame after frame.
  if (p === q) return true;
  for (const lens of [p, q]) checkArgument("sameLens", "the lens", lensRule, lens);
  const [distortion, other] = [p.distortion ?? [], q.distortion ?? []];
  return (
    p.width === q.width &&
    p.height === q.height &&
    p.fx === q.fx &&
    p.fy === q.fy &&
    p.cx === q.cx &&
    p.cy === q.cy &&
    p.distortionModel === q.distortionModel &&
    (distortion === other || (distortion.length === other.length && distortion.every((value, i) => value === other[i])))
  );
}

/**
 * Whether no pixel carries a measurement.
 *
 * @example
 * if (isBlank(frame.depth)) console.warn("the lens is covered");
 */
export function isBlank(depth: DepthArray): boolean {
  checkArgument("isBlank", "the depth", imageRule, depth);
  return depth.data.every((value) => value === 0);
}

/**
 * The number of pixels that carry a measurement.
 *
 * @example
 * const share = countValid(frame.depth) / frame.depth.data.length;
 */
export function countValid(depth: DepthArray): number {
  checkArgument("countValid", "the depth", imageRule, depth);
  const { data } = depth;
  let valid = 0;
  for (let i = 0; i < data.length; i++) if (data[i] !== 0) valid++;
  return valid;
}
