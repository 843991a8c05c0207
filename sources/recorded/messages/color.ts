import { type Registration, registration } from "../../calibration/register.ts";
import type { Decoder } from "../../decode/index.ts";
import { colorOf, isColor } from "../../decode/pixels.ts";
import type { ColorImage, DepthImage } from "../../decode/png.ts";
import type { Intrinsics } from "../../frame.ts";
import { nearest } from "../associate.ts";
import { type Camera, cameraFor, lensOf, sharedParts } from "./camera.ts";
import { owned } from "./depthImage.ts";
import type { DepthStream, ImageTopic } from "./images.ts";
import type { MessageLog } from "./log.ts";
import { pictureOf } from "./picture.ts";
import { type Placement, placementByFrames } from "./placement.ts";
import { placementOfStreams } from "./realsense.ts";

/** Colour for frames of depth. */
export interface ColorStream {
  readonly topic: string;
  /** How it comes to lie on depth. */
  readonly by: "as it is" | { readonly placement: Placement };
  /** For a frame of depth by its time; a text says why there is none. */
  read(depth: DepthImage, unit: number, camera: Intrinsics, time: number): Promise<Uint8Array | string | undefined>;
}

/** How one topic of colour lies to depth. */
interface Candidate {
  readonly image: ImageTopic;
  readonly camera: Camera | undefined;
  readonly by: ColorStream["by"] | undefined;
}

/** Finds the colour that belongs to a depth stream; a text says why there is none. `undefined`: there is no colour at all. */
export async function colorFor(
  log: MessageLog,
  depth: DepthStream,
  images: readonly ImageTopic[],
  cameras: readonly Camera[],
  decoder: Decoder,
  periodMs: number,
): Promise<ColorStream | string | undefined> {
  const candidates: Candidate[] = [];
  for (const image of images.filter(({ color }) => color)) {
    const { topic, frameId, size } = image;
    const camera = cameraFor({ name: topic.name, frameId, ...(size ?? { width: 4, height: 3 }) }, cameras);
    candidates.push({ image, camera, by: await wayTo(log, depth, image, camera) });
  }
  const rank = ({ by }: Candidate) => (by === "as it is" ? 2 : by ? 1 : 0);
  const shared = ({ image }: Candidate) => sharedParts(image.topic.name, depth.told.name);
  candidates.sort((a, b) => rank(b) - rank(a) || shared(b) - shared(a) || b.image.topic.count - a.image.topic.count);
  const [best] = candidates;
  if (!best) return undefined;
  const { image, camera, by } = best;
  if (!by) {
    return `nothing says how the camera of ${image.topic.name} stands to that of ${depth.told.name} (no lens, or no tf_static): frames go without colour`;
  }
  const times = await log.times(image.topic);
  const limit = Math.max(
    20,
    periodMs,
    times.length > 1 ? (times[times.length - 1] - times[0]) / (times.length - 1) : 0,
  );
  let prepared: { readonly for: Intrinsics; readonly with: Registration } | undefined;
  return {
    topic: image.topic.name,
    by,
    async read(depthImage, unit, intrinsics, time) {
      const index = nearest(times, time, limit);
      if (index < 0) return undefined;
      const where = `${log.name}, ${image.topic.name}, message ${index}`;
      const color = await readColor(log, image, index, decoder, where);
      if (typeof color === "string") return color;
      if (by === "as it is" || !camera) {
        const same = color.width === depthImage.width && color.height === depthImage.height;
        return same ? color.data : `${where} is ${color.width}×${color.height}, and its depth is not`;
      }
      const lens = lensOf(camera, image.topic.name);
      if (lens.width !== color.width || lens.height !== color.height) {
        return `${where} is ${color.width}×${color.height}, and ${camera.topic} is about ${lens.width}×${lens.height}`;
      }
      if (prepared?.for !== intrinsics) {
        prepared = { for: intrinsics, with: registration(intrinsics, lens, by.placement.extrinsics) };
      }
      return prepared.with.register(depthImage.data, unit, color.data);
    },
  };
}

async function wayTo(
  log: MessageLog,
  depth: DepthStream,
  color: ImageTopic,
  camera: Camera | undefined,
): Promise<Candidate["by"]> {
  const { image } = depth;
  const alike = !color.size || (color.size.width === image.size?.width && color.size.height === image.size.height);
  const sameLens = !camera || !depth.camera || isSame(camera.intrinsics, depth.camera.intrinsics);
  const streams = await placementOfStreams(log, depth.told.name, color.topic.name);
  // Depth that was registered to colour, by whoever recorded it, is in the colour camera's frame and has its lens.
  if (!streams && alike && sameLens && color.frameId === image.frameId) return "as it is";
  if (!camera || !depth.camera) return undefined;
  const placement = streams ?? (await placementByFrames(log, image.frameId, color.frameId));
  return placement && { placement };
}

const isSame = (p: Intrinsics, q: Intrinsics): boolean =>
  p.fx === q.fx && p.fy === q.fy && p.cx === q.cx && p.cy === q.cy;

async function readColor(
  log: MessageLog,
  { topic }: ImageTopic,
  index: number,
  decoder: Decoder,
  where: string,
): Promise<ColorImage | string> {
  return log.read(topic, index, (message) => {
    const picture = pictureOf(message, where);
    if (picture.coded) return decoder.color(owned(picture.data), where);
    if (isColor(picture.encoding)) return colorOf(picture, where);
    return `${where} is in ${picture.encoding}, which is not read`;
  });
}
