import type { Extrinsics } from "../../core/calibration/register.ts";
import type { Message, MessageLog, Topic } from "./log.ts";
import { numbersOf } from "./picture.ts";
import type { Placement } from "./placement.ts";

// OrbbecSDK v2 records a ROS 1 bag with these topics; N is 2 for colour and 3 for depth:
//     /cam/sensor_N/frameType_N     the images
//     /cam/streamProfileType_N      lens and distortion; depth's has the transform to colour, in mm
//     /cam/property                 numbers of settings, and their bytes
//     /cam/disparityParam           how disparities become depth, with the distance of the two infrared cameras, 6 and 7, in mm

const IMAGE = /^\/cam\/sensor_(\d+)\/frameType_\d+$/;
const PROFILE = /^\/cam\/streamProfileType_(\d+)$/;
const DEPTH = "3";
/** The left and the right infrared camera. */
const EYES: readonly string[] = ["6", "7"];
/** The settings that tell the unit: in mm as a float, or the number of a level. */
const UNIT = 176;
const LEVEL = 75;
/** The units of the levels in mm (SDK's OBDepthPrecisionLevel). */
const LEVELS_MM: readonly number[] = [1, 0.8, 0.4, 0.1, 0.2, 0.5, 0.05];
/** The most settings that are looked at; the SDK writes some sixty. */
const MAX_SETTINGS = 1024;

/** Whether a topic has another sensor's images than depth's, such as 16-bit infrared. */
export const isOtherSensor = (name: string): boolean => (IMAGE.exec(name)?.[1] ?? DEPTH) !== DEPTH;

/** The SDK's formats of depth that are not read, and what to do. */
const UNREAD = [
  [
    /^disp/,
    "disparities, which only the SDK turns into depth: switch on its disparity to depth, of hardware or of software, before recording",
  ],
  [/^(rvl|rle|y1[0124])$/, "packed: set the depth stream to Y16 or Z16 before recording"],
] as const;

/** What to do about a format of Orbbec's depth that cannot be read, for the end of a message; "" for images of other cameras. */
export function adviceFor(name: string, format: string): string {
  const advice = UNREAD.find(([form]) => IMAGE.exec(name)?.[1] === DEPTH && form.test(format))?.[1];
  return advice === undefined ? "" : `: ${advice}`;
}

/** The prefix of the names of the images whose lens a topic describes; `undefined` for topics that describe no lens. */
export function streamOfProfile({ name }: Topic): string | undefined {
  const type = PROFILE.exec(name)?.[1];
  return type && `/cam/sensor_${type}/`;
}

/** The names of the distortion models by the SDK's numbers. */
const MODELS = [
  "",
  "modified brown conrady",
  "inverse brown conrady",
  "brown conrady",
  "rational_polynomial",
  "fisheye",
];

/** The fields of a `CameraInfo` from a stream's profile, which has k1 to k6, p1, p2. */
export function lensOfProfile(message: Message): Message {
  const [fx, fy, cx, cy] = numbersOf(message.cameraIntrinsic);
  const [k1, k2, k3, k4, k5, k6, p1, p2] = numbersOf(message.cameraDistortion);
  const model = MODELS[Number(message.distortionModel)] ?? `Orbbec's number ${message.distortionModel}`;
  const rest = model === "rational_polynomial" ? [k4, k5, k6] : [];
  const { width, height } = message;
  return {
    width,
    height,
    distortion_model: model,
    K: [fx, 0, cx, 0, fy, cy, 0, 0, 1],
    D: model === "" ? [] : model === "fisheye" ? [k1, k2, k3, k4] : [k1, k2, p1, p2, k3, ...rest],
  };
}

/** Metres per unit of depth, and who says so; `undefined` for other makers' images. */
export async function orbbecUnits(log: MessageLog, image: string) {
  if (!IMAGE.test(image)) return undefined;
  const topic = log.topics.find(({ name }) => name === "/cam/property");
  const said = new Map<number, DataView>();
  for (let i = 0; topic && i < Math.min(topic.count, MAX_SETTINGS); i++) {
    await log.peek(topic, i, ({ propertyId, data }) => {
      // The bytes are copied: the file's buffer is used again.
      if ((propertyId === UNIT || propertyId === LEVEL) && data instanceof Uint8Array && data.length >= 4)
        said.set(propertyId, new DataView(data.slice(0, 4).buffer));
    });
  }
  const mm = said.get(UNIT)?.getFloat32(0, true) ?? LEVELS_MM[said.get(LEVEL)?.getInt32(0, true) ?? -1];
  if (topic && mm > 0 && mm < 1000) return { value: Number((mm / 1000).toPrecision(7)), from: topic.name };
  return { value: 0.001, from: undefined };
}

/** Whether a topic has the images of one of the two infrared cameras side by side. */
export const isOrbbecEye = (name: string): boolean => EYES.includes(IMAGE.exec(name)?.[1] ?? "");

/** The distance of the left and the right infrared camera, m; `undefined` for other images, and where the file does not say it. */
export async function orbbecBaseline(log: MessageLog, left: string, right: string): Promise<number | undefined> {
  if ([left, right].some((name, i) => IMAGE.exec(name)?.[1] !== EYES[i])) return undefined;
  const topic = log.topics.find(({ name, count }) => name === "/cam/disparityParam" && count > 0);
  const mm = topic && (await log.peek(topic, 0, ({ baseline, isDualCamera }) => (isDualCamera ? Number(baseline) : 0)));
  return mm !== undefined && mm > 0 && mm < 1e5 ? mm / 1000 : undefined;
}

/** The placement of colour relative to depth, by depth's profile. */
export async function placementOfProfile(log: MessageLog, from: string, to: string): Promise<Placement | undefined> {
  if (IMAGE.exec(from)?.[1] !== DEPTH || !IMAGE.test(to)) return undefined;
  const topic = log.topics.find(({ name, count }) => PROFILE.exec(name)?.[1] === DEPTH && count > 0);
  const extrinsics = topic && (await log.peek(topic, 0, extrinsicsOfProfile));
  return extrinsics && { extrinsics, from: topic.name };
}

function extrinsicsOfProfile({ rotationMatrix, translationMatrix }: Message): Extrinsics | undefined {
  const [rotation, mm] = [numbersOf(rotationMatrix), numbersOf(translationMatrix)];
  // The SDK leaves zeros where colour was not recorded.
  const isThere = rotation.length === 9 && mm.length === 3 && rotation.some((value) => value !== 0);
  if (!isThere || ![...rotation, ...mm].every(Number.isFinite)) return undefined;
  return { rotation, translation: mm.map((value) => value / 1000) };
}
