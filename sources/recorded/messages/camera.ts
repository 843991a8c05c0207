import type { DistortionModel, Intrinsics } from "../../frame.ts";
import { SourceError } from "../../source.ts";
import type { Message, MessageLog } from "./log.ts";
import { frameIdOf, numberOf, numbersOf } from "./picture.ts";

/** A lens as one topic gives it. */
export interface Camera {
  readonly topic: string;
  readonly frameId: string;
  readonly intrinsics: Intrinsics;
  /** The lens of the image after rectifying, which has no distortion; absent if the topic gives none. */
  readonly rectified?: Intrinsics;
}

const CAMERA_TYPES: readonly string[] = ["sensor_msgs/CameraInfo", "foxglove/CameraCalibration"];

/** Every lens in the file, each by its topic's first message. One that makes no sense is left out with a warning. */
export async function camerasOf(log: MessageLog): Promise<Camera[]> {
  const cameras: Camera[] = [];
  for (const topic of log.topics) {
    if (!CAMERA_TYPES.includes(topic.type) || topic.count === 0) continue;
    try {
      const where = `${log.name}, ${topic.name}`;
      const camera = (message: Message) => cameraOf(message, topic.name, where, log.warnings);
      cameras.push(await log.peek(topic, 0, camera));
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      log.warnings.push(`${error.message} (its lens is not used)`);
    }
  }
  return cameras;
}

/** The lens that a message of such a type tells. Throws a `SourceError` if it tells none. */
export function cameraOf(message: Message, topic: string, where: string, warnings: string[]): Camera {
  const [width, height] = [numberOf(message.width, "width", where), numberOf(message.height, "height", where)];
  const k = numbersOf(message.K ?? message.k);
  const [fx, , cx, , fy, cy] = k;
  if (!(fx > 0 && fy > 0 && Number.isFinite(cx) && Number.isFinite(cy) && width > 0 && height > 0)) {
    throw new SourceError(`${where}: it has no focal length: the camera was not calibrated`);
  }
  const p = numbersOf(message.P ?? message.p);
  const rectified =
    p.length === 12 && p[0] > 0 && p[5] > 0 ? { fx: p[0], fy: p[5], cx: p[2], cy: p[6], width, height } : undefined;
  const bending = distortionOf(message, where, warnings);
  return {
    topic,
    frameId: frameIdOf(message),
    intrinsics: { fx, fy, cx, cy, width, height, ...bending },
    ...(rectified && { rectified }),
  };
}

/** Names that ROS, Foxglove and librealsense have for what a lens does. */
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

function distortionOf(
  message: Message,
  where: string,
  warnings: string[],
): Pick<Intrinsics, "distortion" | "distortionModel"> {
  const distortion = numbersOf(message.D ?? message.d);
  if (!distortion.every(Number.isFinite) || distortion.every((value) => value === 0)) return {};
  const name = String(message.distortion_model ?? "").toLowerCase();
  const model = Object.hasOwn(MODELS, name) ? MODELS[name] : undefined;
  if (model === "brown-conrady") return { distortion };
  if (model) return { distortion, distortionModel: model };
  warnings.push(`${where}: the distortion model "${name}" is not known: the lens is taken to have none`);
  return {};
}

/**
 * The lens of an image topic: of those for images of its shape the one whose topic has the longest beginning in common with the image's
 * ("/camera/depth/image_raw" and "/camera/depth/camera_info"); between equals, and for want of any, the one of the same frame.
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
      return { camera, fits, sameFrame, shared: sharedParts(camera.topic, image.name) };
    })
    .filter(({ fits, sameFrame, shared }) => fits && (sameFrame || shared > 0))
    .sort((a, b) => b.shared - a.shared || Number(b.sameFrame) - Number(a.sameFrame));
  return ranked[0]?.camera;
}

/** How many parts two topics' names begin with alike. */
export function sharedParts(a: string, b: string): number {
  const [first, second] = [a, b].map((name) => name.split("/").filter((part) => part !== ""));
  const differs = first.findIndex((part, i) => part !== second[i]);
  return differs < 0 ? first.length : differs;
}

/** The lens that an image was taken with, or that it has after rectifying. */
export const lensOf = ({ intrinsics, rectified }: Camera, topic: string) =>
  rectified && isRectified(topic) ? rectified : intrinsics;

/** ROS' names for images that are rectified. */
const isRectified = (topic: string): boolean => /(^|[/_])rect(_|\/|$)/.test(topic);
