import type { Extrinsics } from "../../core/calibration/register.ts";
import { type Camera, cameraOf } from "./camera.ts";
import type { Message } from "./log.ts";
import { numberOf, numbersOf, objectOf, type Picture } from "./picture.ts";
import type { Edge } from "./placement.ts";

// DepthAI v3 (Luxonis' OAK cameras) records MCAP with protobuf messages: `ImgFrame` with raw pixels, `EncodedFrame` with JPEG or video, and
// `RGBDData` with one of each for colour and depth. Each image has its lens, that of the sensor and the matrix from the sensor's pixels to
// the image's.

/** The types of messages that are images, and those of their fields that are one; "" is the message itself. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  "img_frame/ImgFrame": [""],
  "encoded_frame/EncodedFrame": [""],
  "rgbd_data/RGBDData": ["depthImgFrame", "depthEncodedFrame", "colorImgFrame", "colorEncodedFrame"],
};

export const OAK_TYPES: readonly string[] = Object.keys(PARTS);

/** The parts of a message that are images; `undefined` for the messages of other makers. */
export const oakParts = (type: string, message: Message): readonly string[] | undefined =>
  PARTS[type]?.filter((part) => part === "" || typeof message[part] === "object");

export const partOf = (message: Message, part: string): Message => (part === "" ? message : objectOf(message[part]));

/** ROS' names for pixel formats, by DepthAI's number; `0` is YUV422i. */
const ENCODINGS: Readonly<Record<number, string>> = {
  0: "yuv422_yuy2",
  2: "i420",
  4: "mono8",
  5: "rgba8",
  7: "rgb888p",
  8: "bgr888p",
  9: "rgb8",
  10: "bgr8",
  14: "16uc1",
  18: "mono8",
  22: "nv12",
  23: "nv21",
  30: "mono8",
};
const BYTES: Readonly<Record<string, number>> = { "16uc1": 2, rgb8: 3, bgr8: 3, rgba8: 4, yuv422_yuy2: 2 };
/** The video profiles of an `EncodedFrame`. */
const PROFILES = ["jpeg", "h264", "h265"];

/** Whether a message is one of DepthAI's images. */
export const isOak = (message: Message): boolean => "fb" in message || "profile" in message;

/** The image in an `ImgFrame` or `EncodedFrame`. `aligned` names the frame of both images of an `RGBDData`. */
export function oakPicture(message: Message, data: Uint8Array, where: string): Picture {
  const frameId = frameOf(message.instanceNum);
  if ("profile" in message) {
    const size = { width: numberOf(message.width, "width", where), height: numberOf(message.height, "height", where) };
    return { coded: true, format: PROFILES[Number(message.profile)] ?? "video", size, data, frameId };
  }
  const fb = objectOf(message.fb);
  const [width, height] = [numberOf(fb.width, "width", where), numberOf(fb.height, "height", where)];
  const encoding = ENCODINGS[Number(fb.type)] ?? `DepthAI's format ${fb.type}`;
  const step = Number(fb.stride) || width * (BYTES[encoding] ?? 1);
  return { coded: false, width, height, encoding, step, bigEndian: false, data, frameId };
}

const frameOf = (socket: unknown) => `OAK camera ${Number(socket)}`;

/** The lens of an image; `undefined` where the message has none. */
export function oakCamera(message: Message, picture: Picture, topic: string, where: string): Camera | undefined {
  const how = objectOf(message.transformation);
  const size = picture.coded ? picture.size : picture;
  const k = matrixOf(how.sourceIntrinsicMatrix);
  if (!size || !k || !(k[0] > 0)) return undefined;
  const [across, down] = [
    size.width / (Number(how.srcWidth) || size.width),
    size.height / (Number(how.srcHeight) || size.height),
  ];
  // Without the matrix the whole sensor is taken to fill the image.
  const h = matrixOf(how.transformationMatrix) ?? [across, 0, 0, 0, down, 0, 0, 0, 1];
  const K = product(h, k);
  // A turned, mirrored or skewed image has no such lens.
  if (!K.every(Number.isFinite) || !(K[0] > 0 && K[4] > 0) || Math.abs(K[1]) + Math.abs(K[3]) > 0.01 * Math.abs(K[0]))
    return undefined;
  const distortion = numbersOf(objectOf(how.distortionCoefficients).values);
  // A rectified image may keep the model of its camera, with coefficients of 0.
  const fish = how.distortionModel === 1 && distortion.some((value) => value !== 0);
  const D = fish ? distortion.slice(0, 4) : distortion;
  const model = fish ? "fisheye" : D.length > 5 ? "rational_polynomial" : "plumb_bob";
  const fields = { width: size.width, height: size.height, K, D, distortion_model: model };
  return cameraOf({ ...fields, frame_id: picture.frameId }, topic, where, []);
}

/** The transform from an image's camera to another one, which the message names; `undefined` where it has none. */
export function oakEdge(message: Message): Edge | undefined {
  const way = objectOf(objectOf(message.transformation).extrinsics);
  const rotation = matrixOf(way.rotationMatrix);
  const t = objectOf(way.translation);
  const metres = METRES[Number(way.lengthUnit ?? 0)];
  const translation = [t.x, t.y, t.z].map((value) => Number(value) * metres);
  if (!rotation || ![...rotation, ...translation].every(Number.isFinite)) return undefined;
  const toParent: Extrinsics = { rotation, translation };
  return { parent: frameOf(way.toCameraSocket), child: frameOf(message.instanceNum), toParent };
}

/** Metres in each of DepthAI's units of length. */
const METRES: readonly number[] = [1, 0.01, 0.001, 0.0254, 0.3048];

/** The nine numbers of a `TransformationMatrix`, row by row; `undefined` where it is not 3×3 or only zeros. */
function matrixOf(value: unknown): number[] | undefined {
  const { arrays } = objectOf(value);
  if (!Array.isArray(arrays) || arrays.length !== 3) return undefined;
  const rows = arrays.map((row) => numbersOf(objectOf(row).values));
  const all = rows.every((row) => row.length === 3) ? rows.flat() : [];
  return all.some((one) => one !== 0) ? all : undefined;
}

const product = (a: readonly number[], b: readonly number[]): number[] =>
  Array.from({ length: 9 }, (_, i) => [0, 1, 2].reduce((sum, k) => sum + a[i - (i % 3) + k] * b[3 * k + (i % 3)], 0));
