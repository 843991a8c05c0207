import { nearest } from "../../core/associate.ts";
import { isBent } from "../../core/calibration/lens.ts";
import type { DistortionModel, Intrinsics } from "../../core/frame.ts";
import { isPartial } from "../../core/parseBudget.ts";
import { SourceError } from "../../core/source.ts";
import { MAX_TOPICS, type Message, type MessageLog, sharedParts, type Topic } from "./log.ts";
import { lensOfProfile, streamOfProfile } from "./orbbec.ts";
import { frameIdOf, numberOf, numbersOf } from "./picture.ts";
import { lensOfText, streamOfLensText } from "./realsense.ts";

/** A camera's intrinsics, as the messages of one topic give them. */
export interface Camera {
  readonly topic: string;
  /** The prefix of the names of the only images that the camera belongs to, where a vendor's layout of topics says so. */
  readonly of?: string | undefined;
  readonly frameId: string;
  readonly intrinsics: Intrinsics;
  /** The intrinsics of the rectified image, which has no distortion; absent if the topic gives none. */
  readonly rectified?: Intrinsics;
  /** The rotation, 3×3 by rows, from the camera's rays to those of the rectified image. */
  readonly rotation?: readonly number[];
  /** How far the rectified camera is to the right of its pair's left one, m, where the projection says so. */
  readonly shiftM?: number;
}

const CAMERA_TYPES: readonly string[] = ["sensor_msgs/CameraInfo", "foxglove/CameraCalibration"];

/** Says which images a topic of a vendor's own is about, and makes the fields of a `CameraInfo` from its message. */
const VENDORS: readonly { of(topic: Topic): string | undefined; lens(message: Message): Message }[] = [
  { of: streamOfLensText, lens: lensOfText },
  { of: streamOfProfile, lens: lensOfProfile },
];

/** Reads the intrinsics of every camera in the file, each from its topic's first message. Damaged messages are left out with a warning. */
export async function camerasOf(log: MessageLog): Promise<Camera[]> {
  const cameras: Camera[] = [];
  const found = log.topics
    .filter(({ count }) => count > 0)
    .map((topic) => ({ topic, vendor: VENDORS.find(({ of }) => of(topic) !== undefined) }))
    .filter(({ topic, vendor }) => vendor || CAMERA_TYPES.includes(topic.type));
  for (const { topic, vendor } of found.slice(0, MAX_TOPICS)) {
    try {
      const where = `${log.name}, ${topic.name}`;
      const camera = (message: Message) => ({
        ...cameraOf(vendor ? vendor.lens(message) : message, topic.name, where, log.warnings),
        of: vendor?.of(topic),
      });
      cameras.push(await log.peek(topic, 0, camera));
    } catch (error) {
      if (!isPartial(error)) throw error;
      log.warnings.push(`${error.message} (its intrinsics are not used)`);
    }
  }
  // A vendor's own description is exact. RealSense's `CameraInfo` beside it calls all models of distortion "plumb_bob".
  const exact = cameras.flatMap(({ of }) => of ?? []);
  return cameras.filter((camera) => camera.of !== undefined || !exact.some((of) => camera.topic.startsWith(of)));
}

/** The lens for each message of an image topic, from the message of `camera`'s topic that was recorded nearest in time. */
export async function lensesOf(
  log: MessageLog,
  images: Topic,
  camera: Camera,
): Promise<((message: number) => Promise<Intrinsics>) | undefined> {
  const topic = log.topics.find(({ name, type }) => name === camera.topic && CAMERA_TYPES.includes(type));
  if (!topic || topic.count < 2) return undefined;
  const [at, times] = [await log.times(images), await log.times(topic)];
  let last = { place: -1, lens: lensOf(camera, images.name) };
  const where = `${log.name}, ${topic.name}`;
  return async (message) => {
    const place = nearest(times, at[message], Infinity);
    if (place === last.place || place < 0) return last.lens;
    // A damaged message changes nothing.
    const read = log.read(topic, place, (info) => lensOf(cameraOf(info, topic.name, where, []), images.name));
    const lens = await read.catch((error) => {
      if (!isPartial(error)) throw error;
      return last.lens;
    });
    last = { place, lens };
    return lens;
  };
}

/** Reads the intrinsics from a `CameraInfo` or `CameraCalibration`. Throws a `SourceError` where the message gives no focal length. */
export function cameraOf(message: Message, topic: string, where: string, warnings: string[]): Camera {
  const [width, height] = [numberOf(message.width, "width", where), numberOf(message.height, "height", where)];
  const k = numbersOf(message.K ?? message.k);
  const [fx, , cx, , fy, cy] = k;
  const strange = Object.entries({ fx, fy, cx, cy }).find(([, value]) => value !== undefined && !isPlausible(value));
  if (strange) throw new SourceError(`${where}: the message's ${strange[0]} is ${strange[1]}, which no lens has`);
  if (!(fx > 0 && fy > 0 && cy !== undefined && width > 0 && height > 0))
    throw new SourceError(`${where}: the message gives no focal length: the camera was not calibrated`);
  const p = numbersOf(message.P ?? message.p);
  const rectified =
    p.length === 12 && p[0] > 0 && p[5] > 0 && p.every(isPlausible)
      ? { fx: p[0], fy: p[5], cx: p[2], cy: p[6], width, height }
      : undefined;
  const r = numbersOf(message.R ?? message.r);
  const bending = distortionOf(message, where, warnings);
  const part = readOutOf(message, width, height, where, warnings);
  return {
    topic,
    frameId: frameIdOf(message),
    intrinsics: { ...lensOfPart({ fx, fy, cx, cy, width, height }, part), ...bending },
    ...(rectified && { rectified: lensOfPart(rectified, part), shiftM: -p[3] / p[0] }),
    ...(r.length === 9 && Math.abs(Math.hypot(r[0], r[1], r[2]) - 1) < 0.01 && { rotation: r }),
  };
}

/** Whether a lens may have this focal length or principal point, px. A number in another unit is too large, and NaN is none. */
const isPlausible = (value: number) => Math.abs(value) < 1e6;

/** The part of the sensor that a camera sends (`roi`, in pixels of the whole sensor), and how many sensor pixels make one image pixel. */
interface SensorPart {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly binningX: number;
  readonly binningY: number;
}

/**
 * Reads `roi`, `binning_x` and `binning_y` of a `CameraInfo`, where 0 means the whole sensor and no binning. Returns `undefined`, with a
 * warning, where they do not fit the sensor.
 */
function readOutOf(
  message: Message,
  width: number,
  height: number,
  where: string,
  warnings: string[],
): SensorPart | undefined {
  const roi: Message = typeof message.roi === "object" && message.roi !== null ? { ...message.roi } : {};
  const whole = (value: unknown) => Number(value ?? 0);
  const [x, y] = [whole(roi.x_offset), whole(roi.y_offset)];
  const part = {
    x,
    y,
    width: whole(roi.width) || width - x,
    height: whole(roi.height) || height - y,
    binningX: whole(message.binning_x) || 1,
    binningY: whole(message.binning_y) || 1,
  };
  const fits =
    Object.values(part).every((value) => Number.isInteger(value) && value >= 0) &&
    x + part.width <= width &&
    y + part.height <= height &&
    part.width >= part.binningX &&
    part.height >= part.binningY;
  if (fits) return part;
  const said = `${part.width}×${part.height} from ${x}, ${y}, binned ${part.binningX}×${part.binningY}`;
  warnings.push(
    `${where}: the region of interest (${said}) does not fit the sensor's ${width}×${height} pixels and is ignored; correct roi or binning`,
  );
  return undefined;
}

/**
 * Intrinsics of a part of the sensor, by the rule of ROS' image_geometry: subtract the offset, then divide by the binning. The distortion
 * coefficients stay the same.
 */
function lensOfPart(lens: Intrinsics, part: SensorPart | undefined): Intrinsics {
  if (!part) return lens;
  const { x, y, binningX, binningY } = part;
  return {
    fx: lens.fx / binningX,
    fy: lens.fy / binningY,
    cx: (lens.cx - x) / binningX,
    cy: (lens.cy - y) / binningY,
    width: Math.floor(part.width / binningX),
    height: Math.floor(part.height / binningY),
  };
}

/** The names of distortion models in ROS, Foxglove and librealsense. */
const MODELS: Readonly<Record<string, DistortionModel>> = {
  plumb_bob: "brown-conrady",
  "brown conrady": "brown-conrady",
  rational_polynomial: "rational",
  equidistant: "fisheye",
  fisheye: "fisheye",
  kannala_brandt: "fisheye",
  "kannala brandt4": "fisheye",
  "inverse brown conrady": "inverse-brown-conrady",
  "modified brown conrady": "modified-brown-conrady",
  rational6kt: "rational6kt",
};

/** The most coefficients of a lens; OpenCV's longest model has 14. */
const MAX_COEFFICIENTS = 16;
/** The largest coefficient that is accepted; rational models have the largest, of some hundreds. */
const MAX_COEFFICIENT = 1e6;

function distortionOf(
  message: Message,
  where: string,
  warnings: string[],
): Pick<Intrinsics, "distortion" | "distortionModel"> {
  const distortion = numbersOf(message.D ?? message.d);
  const name = String(message.distortion_model ?? "").toLowerCase();
  const model = Object.hasOwn(MODELS, name) ? MODELS[name] : undefined;
  if (!isBent({ distortion, distortionModel: model })) return {};
  const wrong = distortion.find((value) => !(Math.abs(value) <= MAX_COEFFICIENT));
  if (wrong !== undefined || distortion.length > MAX_COEFFICIENTS) {
    const why = wrong === undefined ? `has ${distortion.length} coefficients` : `has the coefficient ${wrong}`;
    warnings.push(`${where}: the distortion ${why}, which no lens has; the image is used as if it had no distortion`);
    return {};
  }
  if (model === "brown-conrady") return { distortion };
  if (model) return { distortion, distortionModel: model };
  warnings.push(`${where}: the distortion model "${name}" is not known; the image is used as if it had no distortion`);
  return {};
}

/**
 * Finds the intrinsics for an image topic. Candidates have the image's aspect ratio, and share its frame or the beginning of its name. The
 * candidate whose topic shares most name parts with the image's wins ("/camera/depth/image_raw" and "/camera/depth/camera_info"); between
 * equals, the candidate with the same frame wins.
 */
export function cameraFor(
  image: { readonly name: string; readonly frameId: string; readonly width: number; readonly height: number },
  cameras: readonly Camera[],
): Camera | undefined {
  const ranked = cameras
    .map((camera) => {
      const { width, height } = camera.intrinsics;
      const fits = width * image.height === height * image.width;
      const sameFrame = image.frameId !== "" && camera.frameId === image.frameId;
      return { camera, fits, sameFrame, shared: sharedParts(camera.of ?? camera.topic, image.name) };
    })
    .filter(({ camera: { of }, fits, sameFrame, shared }) =>
      of === undefined ? fits && (sameFrame || shared > 0) : image.name.startsWith(of),
    )
    .sort((a, b) => b.shared - a.shared || Number(b.sameFrame) - Number(a.sameFrame));
  return ranked[0]?.camera;
}

/** The intrinsics for a topic's images: those after rectifying where the topic's name says that its images are rectified. */
export const lensOf = ({ intrinsics, rectified }: Camera, topic: string) =>
  rectified && isRectified(topic) ? rectified : intrinsics;

/** Whether ROS' naming marks a topic's images as rectified. */
const isRectified = (topic: string): boolean => /(^|[/_])rect(_|\/|$)/.test(topic);
