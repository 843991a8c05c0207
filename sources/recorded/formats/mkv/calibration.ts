import { chained, inverse } from "../../../../core/calibration/extrinsics.ts";
import type { Extrinsics } from "../../../../core/calibration/register.ts";
import { explained } from "../../../../core/caught.ts";
import type { Intrinsics } from "../../../../core/frame.ts";
import { SourceError } from "../../../../core/source.ts";
import type { Size } from "../../../../core/view.ts";

/** The intrinsics of a device's two cameras for the sizes recorded, and the placement of the colour camera relative to depth. */
export interface DeviceCalibration {
  readonly depth: Intrinsics;
  /** Absent where there is no colour. */
  readonly color?: { readonly intrinsics: Intrinsics; readonly extrinsics: Extrinsics };
}

/** A camera's lens, and the transform from the device to the camera. */
interface Camera extends Extrinsics {
  readonly parameters: readonly number[];
  readonly model: string;
}

/**
 * Reads Azure Kinect's `calibration.json`. It gives intrinsics as shares of the whole sensor; a camera mode uses a part of the sensor and
 * may join 2 × 2 pixels. Throws a `SourceError` for any other file.
 */
export function readCalibration(text: string, where: string, depth: Size, color: Size | undefined): DeviceCalibration {
  const cameras = camerasOf(text, where);
  const find = (purpose: string) => {
    const camera = cameras.get(purpose);
    if (camera) return camera;
    throw new SourceError(`${where}: it has no usable camera of the purpose ${purpose}`, [], "intrinsics");
  };
  const depthCamera = find(DEPTH);
  const lens = lensOf(depthCamera, depth, depthPart(depth, where));
  if (!color) return { depth: lens };
  const colorCamera = find(COLOR);
  // The colour sensor is 4:3, and each of its modes has the sensor's full width.
  const whole = { width: color.width, height: (color.width * 3) / 4 };
  const part = { whole, left: 0, top: (whole.height - color.height) / 2 };
  return {
    depth: lens,
    color: { intrinsics: lensOf(colorCamera, color, part), extrinsics: chained(inverse(depthCamera), colorCamera) },
  };
}

const DEPTH = "CALIBRATION_CameraPurposeDepth";
const COLOR = "CALIBRATION_CameraPurposePhotoVideo";

/** The part of the sensor that a mode uses; `whole` is the sensor's size in the mode's own pixels. */
interface KinectPart {
  readonly whole: Size;
  readonly left: number;
  readonly top: number;
}

/** The depth modes: narrow and wide field of view, each at full resolution or with 2 × 2 pixels joined. */
function depthPart({ width, height }: Size, where: string): KinectPart {
  const square = (size: number) => ({ width: size, height: size });
  if (width === 640 && height === 576) return { whole: square(1024), left: 192, top: 180 };
  if (width === 320 && height === 288) return { whole: square(512), left: 96, top: 90 };
  if (width === height && (width === 512 || width === 1024)) return { whole: square(width), left: 0, top: 0 };
  throw new SourceError(
    `${where}: it has no intrinsics for ${width}×${height}, which is no mode of Azure Kinect`,
    [],
    "intrinsics",
  );
}

/**
 * Parameters: cx cy fx fy, k1 … k6, the centre of distortion (always 0), p2, p1. The file places pixel centres at halves, not at whole
 * numbers.
 */
function lensOf({ parameters, model }: Camera, { width, height }: Size, { whole, left, top }: KinectPart): Intrinsics {
  const [cx, cy, fx, fy, k1, k2, k3, k4, k5, k6, , , p2, p1] = parameters;
  return {
    fx: fx * whole.width,
    fy: fy * whole.height,
    cx: cx * whole.width - left - 0.5,
    cy: cy * whole.height - top - 0.5,
    width,
    height,
    distortion: [k1, k2, p1, p2, k3, k4, k5, k6],
    distortionModel: model.endsWith("Rational6KT") ? "rational6kt" : "rational",
  };
}

type Json = Readonly<Record<string, unknown>>;

/** The cameras by purpose, without those that lack a number. */
function camerasOf(text: string, where: string): Map<string, Camera> {
  const parsed: unknown = explained(
    () => JSON.parse(text),
    (why) => new SourceError(`${where}: this is not JSON: ${why}`, [], "intrinsics"),
  );
  const list = objectOf(objectOf(parsed).CalibrationInformation).Cameras;
  const cameras = new Map<string, Camera>();
  for (const entry of Array.isArray(list) ? list.map(objectOf) : []) {
    const [lens, place] = [objectOf(entry.Intrinsics), objectOf(entry.Rt)];
    const parameters = numbersOf(lens.ModelParameters, 14);
    const rotation = numbersOf(place.Rotation, 9);
    const translation = numbersOf(place.Translation, 3);
    if (!parameters || !rotation || !translation || !(parameters[2] > 0 && parameters[3] > 0)) continue;
    cameras.set(String(entry.Purpose), { parameters, rotation, translation, model: String(lens.ModelType) });
  }
  return cameras;
}

const objectOf = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});

function numbersOf(value: unknown, count: number): readonly number[] | undefined {
  if (!Array.isArray(value) || value.length < count) return undefined;
  return value.every((x) => typeof x === "number" && Number.isFinite(x)) ? value : undefined;
}
