import { nearest } from "../../core/associate.ts";
import { type Registration, registration, tooLargeToRegister } from "../../core/calibration/register.ts";
import type { Intrinsics } from "../../core/frame.ts";
import { isPartial } from "../../core/parseBudget.ts";
import type { Decoder } from "../decode/index.ts";
import { colorOf, isColor } from "../decode/pixels.ts";
import type { DecodedColor, DecodedDepth } from "../decode/png.ts";
import { hasVideo, VideoReader, videoCoding } from "../decode/video.ts";
import { type Camera, cameraFor, lensOf } from "./camera.ts";
import { owned } from "./depthImage.ts";
import { type DepthStream, type ImageTopic, pictureIn, type StreamInLog } from "./images.ts";
import { type MessageLog, sharedParts, type Topic } from "./log.ts";
import { placementOfProfile } from "./orbbec.ts";
import { unpackedPicture } from "./picture.ts";
import { type Placement, placementByFrames, type StaticFrames, staticFrames } from "./placement.ts";
import { placementOfStreams } from "./realsense.ts";
import { type Clock, clockOf, FAR } from "./stamps.ts";

/** The colour topic that belongs to a depth topic. */
export interface ColorStream {
  readonly topic: string;
  /** How colour is registered to depth: it already is, or by the placement of the two cameras. */
  readonly by: "as it is" | { readonly placement: Placement };
  /**
   * Gives registered RGBA bytes for a depth image of `unit` metres per unit, taken at `time` (ms). A text says why the frame has no colour.
   */
  read(depth: DecodedDepth, unit: number, camera: Intrinsics, time: number): Promise<Uint8Array | string | undefined>;
}

/** A topic of colour, and how it can be registered to depth. */
interface Candidate {
  readonly image: ImageTopic;
  readonly camera: Camera | undefined;
  readonly by: ColorStream["by"] | undefined;
  /** Why the transform between the two cameras in the file cannot be used. */
  readonly fault?: string;
}

/**
 * Finds the colour topic that belongs to a depth stream. A text says why no topic can be used; `undefined` means that there is no colour.
 */
export async function colorFor(stream: StreamInLog): Promise<ColorStream | string | undefined> {
  const { log, depth, images, cameras, decoder, periodMs, clock } = stream;
  const candidates: Candidate[] = [];
  let frames: Promise<StaticFrames> | undefined;
  const staticFramesOnce = () => {
    frames ??= staticFrames(
      log,
      images.flatMap(({ edge }) => edge ?? []),
    );
    return frames;
  };
  for (const image of images.filter(({ color }) => color)) {
    const { topic, frameId, size } = image;
    const camera =
      image.camera ?? cameraFor({ name: topic.name, frameId, ...(size ?? { width: 4, height: 3 }) }, cameras);
    candidates.push({ image, camera, ...(await tryWayTo(log, depth, image, camera, staticFramesOnce)) });
  }
  const rank = ({ by }: Candidate) => (by === "as it is" ? 2 : by ? 1 : 0);
  const shared = ({ image }: Candidate) => sharedParts(image.topic.name, depth.summary.name);
  candidates.sort((a, b) => rank(b) - rank(a) || shared(b) - shared(a) || b.image.topic.count - a.image.topic.count);
  const [best] = candidates;
  if (!best) return unreadColor(log, images);
  const { image, camera, by, fault } = best;
  const video = await videoOf(log, image);
  if (fault !== undefined) return `${fault}; frames go without colour`;
  if (!by)
    return `the file does not say where the camera of ${image.topic.name} is relative to that of ${depth.summary.name} (no intrinsics, or no tf_static): frames go without colour`;
  const { times, order } = await timesLike(log, image.topic, clock);
  const limit = Math.max(
    20,
    periodMs,
    times.length > 1 ? (times[times.length - 1] - times[0]) / (times.length - 1) : 0,
  );
  if (!clock.times.some((time) => nearest(times, time, limit) >= 0))
    return `${log.name}: the images of ${image.topic.name} have no times in common with those of ${depth.summary.name} (none within ${Math.round(limit)} ms): frames go without colour`;
  let prepared: { readonly for: Intrinsics; readonly with: Registration } | undefined;
  return {
    topic: image.topic.name,
    by,
    async read(depthImage, unit, intrinsics, time) {
      const found = nearest(times, time, limit);
      if (found < 0) return undefined;
      const index = order[found];
      const where = `${log.name}, ${image.topic.name}, message ${index}`;
      const color = await (video ? video.read(index, where) : readColor(log, image, index, decoder, where));
      if (typeof color === "string") return color;
      if (by === "as it is" || !camera) {
        const same = color.width === depthImage.width && color.height === depthImage.height;
        return same ? color.data : `${where} is ${color.width}×${color.height}, and its depth is not`;
      }
      const lens = lensOf(camera, image.topic.name);
      if (lens.width !== color.width || lens.height !== color.height)
        return `${where} is ${color.width}×${color.height}, and ${camera.topic} is about ${lens.width}×${lens.height}`;
      const tooLarge = tooLargeToRegister(intrinsics);
      if (tooLarge !== undefined) return `${where}: ${tooLarge}`;
      if (prepared?.for !== intrinsics)
        prepared = { for: intrinsics, with: registration(intrinsics, lens, by.placement.extrinsics) };
      return prepared.with.register(depthImage.data, unit, color.data);
    },
  };
}

/** The reader of a topic of video, where that can be decoded; `undefined` for images. */
async function videoOf(log: MessageLog, { topic, part }: ImageTopic): Promise<VideoReader | undefined> {
  const packet = (index: number) =>
    log.read(topic, index, async (message) => {
      const picture = pictureIn(part, message, `${log.name}, ${topic.name}, message ${index}`);
      return { data: owned(picture.data), coding: picture.coded ? videoCoding(picture.format) : undefined };
    });
  const coding = hasVideo() ? (await packet(0).catch(() => undefined))?.coding : undefined;
  return coding && new VideoReader(coding, async (index) => (await packet(index)).data);
}

/** Says which images of the file may be colour and are in a form that is not read; `undefined` if there are none. */
function unreadColor(log: MessageLog, images: readonly ImageTopic[]): string | undefined {
  const list = images.filter(({ unread }) => unread).map(({ topic, unread }) => `${topic.name} (${unread})`);
  if (list.length === 0) return undefined;
  const some = list.slice(0, 4).join(", ") + (list.length > 4 ? " …" : "");
  return `${log.name}: frames go without colour, which is not read here in the form that it is in: ${some}; record it raw or as JPEG or PNG (a page also reads H.264 video)`;
}

/** Another topic's times on depth's clock. Stamps of two sensors may count from different moments: the recorder's clock is common. */
export async function timesLike(log: MessageLog, topic: Topic, depth: Clock): Promise<Clock> {
  const color = await clockOf(log, topic);
  const apart = color.lag - depth.lag;
  return Math.abs(apart) < FAR ? color : { ...color, times: color.times.map((ms) => ms + apart) };
}

/** Depth needs no colour: a damaged transform becomes the candidate's fault and does not keep the recording from opening. */
async function tryWayTo(...asked: Parameters<typeof wayTo>): Promise<Pick<Candidate, "by" | "fault">> {
  try {
    return { by: await wayTo(...asked) };
  } catch (error) {
    if (isPartial(error)) return { by: undefined, fault: error.message };
    throw error;
  }
}

async function wayTo(
  log: MessageLog,
  depth: DepthStream,
  color: ImageTopic,
  camera: Camera | undefined,
  staticFramesOnce: () => Promise<StaticFrames>,
): Promise<Candidate["by"]> {
  const { image } = depth;
  const alike = !color.size || (color.size.width === image.size?.width && color.size.height === image.size.height);
  const sameLens = !camera || !depth.camera || isSame(camera.intrinsics, depth.camera.intrinsics);
  const names = [depth.summary.name, color.topic.name] as const;
  const streams = (await placementOfStreams(log, ...names)) ?? (await placementOfProfile(log, ...names));
  // Depth that the recorder registered to colour has the colour camera's frame and intrinsics, so colour needs no registration.
  // Two frames without names are not the same one; nothing else says where the cameras are.
  if (!streams && alike && sameLens && color.frameId === image.frameId) {
    if (color.frameId === "")
      log.warnings.push(
        `${color.topic.name}: neither it nor ${depth.summary.name} names its frame: colour is used as if it were registered to depth`,
      );
    return "as it is";
  }
  if (!camera || !depth.camera) return undefined;
  const placement = streams ?? placementByFrames(await staticFramesOnce(), image.frameId, color.frameId);
  return placement && { placement };
}

const isSame = (p: Intrinsics, q: Intrinsics): boolean =>
  p.fx === q.fx && p.fy === q.fy && p.cx === q.cx && p.cy === q.cy;

async function readColor(
  log: MessageLog,
  { topic, part }: ImageTopic,
  index: number,
  decoder: Decoder,
  where: string,
): Promise<DecodedColor | string> {
  return log.read(topic, index, async (message) => {
    const picture = await unpackedPicture(pictureIn(part, message, where), where);
    if (picture.coded) return decoder.color(owned(picture.data), where);
    if (isColor(picture.encoding)) return colorOf(picture, where);
    return `${where} has the encoding ${picture.encoding}, which is not supported`;
  });
}
