import { shown } from "../../core/check.ts";
import { isPartial } from "../../core/parseBudget.ts";
import type { DepthTopic } from "../../core/severalTopics.ts";
import type { SourceError } from "../../core/source.ts";
import type { Decoder } from "../decode/index.ts";
import { isColor } from "../decode/pixels.ts";
import { pngSize } from "../decode/pngSize.ts";
import { hasVideo, videoCoding } from "../decode/video.ts";
import { DEPTH_ROLES, roleOfTopic } from "../format/roles.ts";
import { type Camera, cameraFor, cameraOf, lensOf } from "./camera.ts";
import { type DepthKind, depthKindOf } from "./depthImage.ts";
import { MAX_TOPICS, type Message, type MessageLog, type Topic } from "./log.ts";
import { isOak, OAK_TYPES, oakCamera, oakEdge, oakParts, oakPicture, partOf } from "./oak.ts";
import { isOtherSensor, orbbecUnits } from "./orbbec.ts";
import { bytesOf, IMAGE_TYPES, numbersOf, objectOf, type Picture, packedLayout, pictureOf } from "./picture.ts";
import type { Edge } from "./placement.ts";
import { depthUnits } from "./realsense.ts";
import type { Clock } from "./stamps.ts";

/** A topic of images, known from one of its first messages. */
export interface ImageTopic {
  readonly topic: Topic;
  /** The field of the message that is the image; "" where the message itself is. */
  readonly part: string;
  /** The camera and its place, where the images' own messages tell them. */
  readonly camera?: Camera | undefined;
  readonly edge?: Edge | undefined;
  readonly frameId: string;
  readonly size: { readonly width: number; readonly height: number } | undefined;
  /** `undefined` for images without depth. */
  readonly depth: DepthKind | undefined;
  readonly color: boolean;
  /** The encoding of an image that is neither depth nor colour and is not read. */
  readonly unread?: string | undefined;
}

/** The number of first messages to try, since some may be damaged. */
const TRIED = 3;

/** Examines every topic of images. A topic that cannot be read becomes a warning of the log. */
export async function imageTopics(log: MessageLog): Promise<ImageTopic[]> {
  const found: ImageTopic[] = [];
  const types = [...IMAGE_TYPES, ...OAK_TYPES];
  const topics = log.topics.filter(({ type, count }) => (types.includes(type) || isVideo(type)) && count > 0);
  for (const topic of topics.slice(0, MAX_TOPICS)) found.push(...(await describeFirst(log, topic)));
  const others = log.topics.filter((topic) => topic.count > 0 && !topics.includes(topic) && mayHaveParts(topic.type));
  for (const topic of others.slice(0, MAX_TOPICS)) found.push(...(await describeFields(log, topic)));
  return found;
}

/** The image in a message; `part` is that of its `ImageTopic`. Throws a `SourceError` where a field is missing. */
export function pictureIn(part: string, message: Message, where: string): Picture {
  const image = partOf(message, part);
  return isOak(image) ? oakPicture(image, bytesOf(image.data, where), where) : pictureOf(image, where);
}

async function describeFirst(log: MessageLog, topic: Topic): Promise<readonly ImageTopic[]> {
  let failure: SourceError | undefined;
  for (let index = 0; index < Math.min(TRIED, topic.count); index++) {
    try {
      const where = `${log.name}, ${topic.name}, message ${index}`;
      return await log.peek(topic, index, (message) =>
        partsOf(topic.type, message).map((part) => describe(topic, part, message, where)),
      );
    } catch (error) {
      if (!isPartial(error)) throw error;
      failure ??= error;
    }
  }
  log.warnings.push(`${failure?.message} (this topic is left out)`);
  return [];
}

/** The images in the fields of another type's messages; a message that cannot be read has none. */
async function describeFields(log: MessageLog, topic: Topic): Promise<readonly ImageTopic[]> {
  try {
    const where = `${log.name}, ${topic.name}, message 0`;
    return await log.peek(topic, 0, (message) =>
      partsOf(topic.type, message)
        .filter((part) => part !== "")
        .map((part) => describe(topic, part, message, where)),
    );
  } catch (error) {
    if (!isPartial(error)) throw error;
    return [];
  }
}

function describe(topic: Topic, part: string, message: Message, where: string): ImageTopic {
  const picture = pictureIn(part, message, where);
  const image = partOf(message, part);
  const layout = picture.coded ? packedLayout(picture) : picture;
  // The two images in one message of DepthAI are of one camera.
  const frameId = part === "" || (!isOak(image) && picture.frameId !== "") ? picture.frameId : topic.name;
  const own = isOak(image)
    ? { camera: oakCamera(image, picture, topic.name, where), edge: part === "" ? oakEdge(image) : undefined }
    : part !== "" && { camera: cameraOfPart(message, part, topic.name, where) };
  const depth = roleOfTopic(part) === "color" ? undefined : depthKindOf(picture, where);
  const size = picture.coded ? (depth?.size ?? picture.size ?? layout ?? pngSize(picture.data)) : layout;
  const isFilm = picture.coded && hasVideo() && videoCoding(picture.format) !== undefined;
  const color = !depth && (layout ? isColor(layout.encoding) : picture.coded && (isFilm || isImageFile(picture.data)));
  const coding = layout?.encoding ?? (picture.coded ? picture.format : "");
  return {
    topic,
    part,
    ...own,
    frameId,
    size,
    depth,
    color,
    ...(!depth && !color && { unread: coding || "nothing named" }),
  };
}

/** Whether messages of a type are packets of a video (Foxglove's, ffmpeg_image_transport's). */
const isVideo = (type: string): boolean => /(CompressedVideo|FFMPEGPacket)$/.test(type);

/** Whether the bytes begin a PNG or a JPEG file, the two formats that colour is read from. */
const isImageFile = ([a, b]: Uint8Array): boolean => (a === 0x89 && b === 0x50) || (a === 0xff && b === 0xd8);

/** Whether a topic's name says that its images are no depth: infrared and other images have 16 bits, too. */
const isOther = (name: string) => isOtherSensor(name) || !DEPTH_ROLES.includes(roleOfTopic(name));

/** Metres per unit of depth, and where that comes from: a topic of the file, else ROS' convention. */
export interface Unit {
  readonly value: number;
  readonly from: "ROS default" | "Orbbec default" | "DepthAI default" | `topic ${string}`;
}

/** A depth topic before the user has chosen one. */
export interface DepthStream {
  readonly image: ImageTopic;
  readonly kind: DepthKind;
  readonly unit: Unit;
  readonly camera: Camera | undefined;
  /** The name by which a user chooses the topic. */
  readonly summary: DepthTopic;
}

/** A depth stream, and what finds and reads the streams that belong to it. */
export interface StreamInLog {
  readonly log: MessageLog;
  readonly depth: DepthStream;
  readonly images: readonly ImageTopic[];
  readonly cameras: readonly Camera[];
  readonly decoder: Decoder;
  /** The time between two depth frames. */
  readonly periodMs: number;
  /** The times of depth's frames. */
  readonly clock: Clock;
}

/** The depth topics among the topics of images, the likeliest first; the one that is `asked` for whatever its name says. */
export async function depthStreams(
  log: MessageLog,
  images: readonly ImageTopic[],
  cameras: readonly Camera[],
  asked: string | undefined,
): Promise<DepthStream[]> {
  const streams: DepthStream[] = [];
  for (const image of images) {
    const { topic, depth } = image;
    if (!depth) continue;
    const unit = await unitOf(log, topic);
    // Floats whose own channel names a unit are metres, however far: the unit is that of the whole numbers that they were made of.
    const kind = unit.from === `topic ${topic.name}` ? { ...depth, likely: undefined } : depth;
    const camera =
      image.camera ?? (image.size && cameraFor({ name: topic.name, frameId: image.frameId, ...image.size }, cameras));
    const summary: DepthTopic = {
      name: topic.name,
      kind: `${topic.type} ${kind.encoding}`,
      frames: topic.count,
      ...(image.size && { size: { width: image.size.width, height: image.size.height } }),
      metresPerUnit: unit.value,
      ...(camera && { intrinsics: lensOf(camera, topic.name), intrinsicsFrom: camera.topic }),
    };
    streams.push({ image, kind, unit, camera, summary });
  }
  const measured = streams.filter(({ summary: { name } }) => name === asked || !isOther(name));
  if (measured.length === 0) {
    const named = streams.filter(({ summary: { name } }) => !["color", "side"].includes(roleOfTopic(name)));
    for (const { summary } of named.slice(0, 4))
      log.warnings.push(
        `${summary.name}: its name says that its images are no depth; they are taken for depth all the same`,
      );
    return streams.filter(({ summary: { name } }) => !isOtherSensor(name));
  }
  const grey = streams.filter((stream) => !measured.includes(stream) && roleOfTopic(stream.summary.name) === "color");
  for (const { summary } of grey.slice(0, 4))
    log.warnings.push(
      `${summary.name}: its grey of 16 bits is taken neither for depth nor for colour; record it in 8 bits`,
    );
  return measured;
}

async function unitOf(log: MessageLog, topic: Topic): Promise<Unit> {
  const said = Number(topic.metadata?.get("metresPerUnit"));
  if (said > 0 && said <= 1) return { value: said, from: `topic ${topic.name}` };
  if (topic.metadata?.has("metresPerUnit"))
    log.warnings.push(
      `${topic.name}: ${shown(topic.metadata.get("metresPerUnit"))}, its metadata's metresPerUnit, is no unit of depth in metres, and is left aside`,
    );
  const units = await depthUnits(log, topic.name);
  if (units) return { value: units.value, from: `topic ${units.topic}` };
  const orbbec = await orbbecUnits(log, topic.name);
  if (orbbec) return { value: orbbec.value, from: orbbec.from ? `topic ${orbbec.from}` : "Orbbec default" };
  return { value: 0.001, from: OAK_TYPES.includes(topic.type) ? "DepthAI default" : "ROS default" };
}

// Some messages have images in their fields: realsense2_camera_msgs/RGBD and rtabmap_msgs/RGBDImage have colour and depth, raw or packed,
// each with its CameraInfo beside it ("depth", "depth_compressed" and "depth_camera_info").

/** Types of messages that have no images in their fields, by their packages. */
const WITHOUT =
  /^(std_msgs|tf2?_msgs|tf|nav_msgs|geometry_msgs|diagnostic_msgs|rosgraph_msgs|rcl_interfaces|sensor_msgs|foxglove)\//;

/** Whether the images of a type's messages are known by looking into one. */
const mayHaveParts = (type: string): boolean => !WITHOUT.test(type) && !IMAGE_TYPES.includes(type);

/** The fields of a message that are images; "" where the message itself is. */
function partsOf(type: string, message: Message): readonly string[] {
  const oak = oakParts(type, message);
  if (oak) return oak;
  return mayHaveParts(type) && !isPicture(message)
    ? Object.keys(message).filter((name) => isPicture(objectOf(message[name])))
    : [""];
}

/** Whether fields are those of an image that is there: wrappers leave one of a raw and a packed image empty. */
function isPicture({ data, encoding, format, width, height }: Message): boolean {
  const isFull = ArrayBuffer.isView(data) ? data.byteLength > 0 : data !== undefined && data !== "";
  return (
    isFull && (typeof format === "string" || (typeof encoding === "string" && Number(width) > 0 && Number(height) > 0))
  );
}

/** The lens of the image in a field: that of the CameraInfo beside it whose name has most in common with the field's. */
function cameraOfPart(message: Message, part: string, topic: string, where: string): Camera | undefined {
  const word = part.replace(/_?(compressed|raw|image).*$/i, "").toLowerCase();
  const infos = Object.keys(message).filter(
    (name) => numbersOf(objectOf(message[name]).k ?? objectOf(message[name]).K)[0] > 0,
  );
  const name =
    infos.find((one) => word !== "" && one.toLowerCase().includes(word)) ?? (infos.length === 1 ? infos[0] : undefined);
  return name === undefined ? undefined : cameraOf(partOf(message, name), `${topic}, ${name}`, where, []);
}
