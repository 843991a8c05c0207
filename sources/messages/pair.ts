import { nearest } from "../../core/associate.ts";
import { isBent } from "../../core/calibration/lens.ts";
import type { Extrinsics } from "../../core/calibration/register.ts";
import { type GreyArray, type Intrinsics, image, type StereoPair } from "../../core/frame.ts";
import { isPartial } from "../../core/parseBudget.ts";
import { SourceError } from "../../core/source.ts";
import { rectifier } from "../format/rectify.ts";
import { roleOfTopic } from "../format/roles.ts";
import { type Camera, cameraFor, lensOf } from "./camera.ts";
import { clockBeside, greyIn } from "./extras.ts";
import type { ImageTopic, StreamInLog } from "./images.ts";
import { likeFirst, type MessageLog } from "./log.ts";
import { isOrbbecEye, orbbecBaseline, placementOfProfile } from "./orbbec.ts";
import { placementByFrames, staticFrames } from "./placement.ts";
import { placementOfStreams } from "./realsense.ts";

/** The two streams and the distance of their cameras, as text for people. */
export interface PairStream {
  /** The streams, and the distance of their cameras, for people. */
  readonly summary: string;
  /** Reads the images of depth's time, ms. A text says why the frame has no pair. */
  read(time: number): Promise<StereoPair | string>;
}

/** One of two cameras side by side, and the topic of its images. */
export interface Side {
  readonly name: string;
  readonly lens: Intrinsics;
  readonly camera: Camera;
}

interface Eye extends Side {
  readonly topic: ImageTopic;
}

const EYE = /(^|[/_])(ir|infra\d?|infrared\d?|left|right|stereo)([/_\d]|$)/i;
/** Whether a topic's name says that its images are those of one of two cameras side by side; DepthAI calls small ones "preview". */
export const isEye = (name: string): boolean =>
  EYE.test(name) && ["infrared", "side", "unnamed"].includes(roleOfTopic(name.replace("preview", "image")));
/** How far a rectified pair's rotation may be from none, and its offset from a row's direction: a fifth of a pixel at 600 px. */
const ASKEW = 0.0003;
/** How far two lenses of one kind may differ, as a share. */
const ALIKE = 0.001;
/** Live images farther from depth than this are of another moment, ms: one signal triggers depth and both cameras of a pair. */
export const TOGETHER_MS = 5;
/** Images farther from each other than this share of a frame's period are of two moments. */
const STEP = 0.25;

/**
 * Finds the two infrared streams of a stereo camera whose left one sees what a depth stream sees. A text says why images that look like a
 * pair are none; `undefined` means that no images look like a pair.
 */
export async function pairFor(stream: StreamInLog): Promise<PairStream | string | undefined> {
  const { log, depth, images, cameras } = stream;
  const size = depth.image.size;
  const own = depth.summary.name;
  const found = images.filter(({ topic: { name } }) => (isEye(name) || isOrbbecEye(name)) && name !== own);
  const all = likeFirst(own, found, ({ topic }) => topic.name);
  if (all.length < 2 || !size) return undefined;
  const eyes: Eye[] = [];
  for (const topic of all) {
    const { name } = topic.topic;
    const camera = topic.camera ?? cameraFor({ name, frameId: topic.frameId, ...size }, cameras);
    const same = topic.size?.width === size.width && topic.size.height === size.height;
    if (camera && same) eyes.push({ topic, name, lens: lensOf(camera, name), camera });
  }
  if (eyes.length < 2) return `the lenses of ${namesOf(all)} are not known, or their size is not depth's`;
  let reason = `the file does not say where the cameras of ${namesOf(all)} are`;
  for (const left of eyes)
    for (const right of eyes.filter((one) => one !== left)) {
      const found = await baselineOf(log, left, right, images).catch((error) => {
        if (isPartial(error)) return error.message;
        throw error;
      });
      if (typeof found === "string") reason = found;
      if (typeof found !== "object") continue;
      const lens = depth.camera && lensOf(depth.camera, depth.summary.name);
      if (lens && !seesAlike(lens, found))
        return `${elsewhere(left.name)}; record it as it is, not registered to another camera`;
      return streamOf(stream, left, right, found);
    }
  return reason;
}

const namesOf = (topics: readonly ImageTopic[]) => topics.map(({ topic: { name } }) => name).join(", ");

const isAlike = (a: Intrinsics, b: Intrinsics, keys: readonly ("fx" | "fy" | "cx" | "cy")[] = ["cx", ...OF_A_ROW]) =>
  keys.every((key) => Math.abs(a[key] - b[key]) <= ALIKE * a.fx);
/** What two rectified lenses have in common: their principal points may differ along the rows, which shifts all disparities alike. */
const OF_A_ROW = ["fx", "fy", "cy"] as const;
const doffsOf = (left: Intrinsics, right: Intrinsics) => (isAlike(left, right) ? {} : { doffsPx: right.cx - left.cx });

/** Whether an image with this lens shows the same as the left camera's rectified image. */
export const seesAlike = (lens: Intrinsics, found: Found): boolean => isAlike(lens, found.lens);
export const elsewhere = (left: string): string => `depth is not in the view of ${left}`;

/** Two cameras whose images are rectified, or become so by `left` and `right`, the functions of their makers' calibration. */
export interface Found {
  readonly baselineM: number;
  readonly doffsPx?: number;
  readonly lens: Intrinsics;
  readonly left?: (image: GreyArray) => GreyArray;
  readonly right?: (image: GreyArray) => GreyArray;
}

/** The pair of two cameras; a text if they are not rectified, `undefined` if they stand in another order or place. */
async function baselineOf(
  log: MessageLog,
  left: Eye,
  right: Eye,
  images: readonly ImageTopic[],
): Promise<Found | string | undefined> {
  const names = [left.topic.topic.name, right.topic.topic.name] as const;
  const placed = (await placementOfStreams(log, ...names)) ?? (await placementOfProfile(log, ...names));
  const edges = images.flatMap(({ edge }) => edge ?? []);
  const isNamed = left.topic.frameId !== right.topic.frameId;
  const byFrames = async () =>
    isNamed ? placementByFrames(await staticFrames(log, edges), left.topic.frameId, right.topic.frameId) : undefined;
  const way = (placed ?? (await byFrames()))?.extrinsics;
  return placedPair(left, right, way, way ? undefined : await orbbecBaseline(log, ...names));
}

/**
 * The pair of two cameras. `way` is the transform from the left to the right one, or their distance in m; without it their projections tell
 * it. A text says why the images are not rectified; `undefined` means that the cameras stand in another order or place.
 */
export function placedPair(left: Side, right: Side, way?: Extrinsics, knownM?: number): Found | string | undefined {
  const names = [left.name, right.name];
  // ROS' rectified cameras tell their distance from the left one in their projection.
  const shift = (right.camera.shiftM ?? 0) - (left.camera.shiftM ?? 0);
  const baseline = way ? -way.translation[0] : (knownM ?? shift);
  if (!(baseline > 0)) return undefined;
  const bent = [left, right].find(({ lens }) => isBent(lens));
  const why = bent
    ? `${bent.name} is not rectified: its lens is bent`
    : !isAlike(left.lens, right.lens, OF_A_ROW)
      ? `${names.join(" and ")} are not rectified: their lenses differ`
      : way && isAskew(way)
        ? `${names.join(" and ")} are not rectified: the cameras are turned or not in a row`
        : undefined;
  if (why === undefined) return { baselineM: baseline, lens: left.lens, ...doffsOf(left.lens, right.lens) };
  return rectifiedBy(left, right, shift) ?? `${why}; record the camera's rectified images`;
}

/** The pair as its calibration rectifies it: ROS' R and P of both cameras, which have `shift` metres between them. */
function rectifiedBy({ camera: left }: Side, { camera: right }: Side, shift: number): Found | undefined {
  const [lens, second] = [left.rectified, right.rectified];
  const [one, other] = [left.rotation, right.rotation];
  if (!lens || !second || !one || !other || !(shift > 0) || !isAlike(lens, second, OF_A_ROW)) return undefined;
  const made = once(() => [rectifier(left.intrinsics, one, lens), rectifier(right.intrinsics, other, second)]);
  return {
    baselineM: shift,
    lens,
    ...doffsOf(lens, second),
    left: (image) => made()[0](image),
    right: (image) => made()[1](image),
  };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function isAskew({ rotation, translation: [x, y, z] }: Extrinsics): boolean {
  const turned = rotation.some((value, i) => Math.abs(value - Number(i % 4 === 0)) > ASKEW);
  return turned || Math.hypot(y, z) > 0.01 * Math.abs(x);
}

/** A pair for people: the topics of its images, and the distance of the cameras. */
export const summaryOf = (left: string, right: string, baselineM: number, isTurned: boolean): string =>
  `${left}, ${right}, baseline ${Number((1000 * baselineM).toFixed(2))} mm${isTurned ? ", rectified by the calibration" : ""}`;

async function streamOf(
  { log, depth, decoder, periodMs, clock }: StreamInLog,
  { topic: left }: Eye,
  { topic: right }: Eye,
  { left: turnLeft, right: turnRight, lens: _, ...place }: Found,
): Promise<PairStream> {
  const beside = (topic: ImageTopic) => clockBeside(log, topic.topic, depth.summary.name, clock);
  const [lefts, rights] = [await beside(left), await beside(right)];
  const read = async (topic: ImageTopic, index: number) => {
    const grey = await greyIn(log, topic, index, decoder);
    if (!grey) throw new SourceError(`${log.name}, ${topic.topic.name}, message ${index}: it is no grey image`);
    return image(grey.data, [grey.height, grey.width]);
  };
  return {
    summary: summaryOf(left.topic.name, right.topic.name, place.baselineM, turnLeft !== undefined),
    async read(time) {
      const i = nearest(lefts.times, time, periodMs / 2);
      const j = i < 0 ? -1 : nearest(rights.times, lefts.times[i], periodMs);
      if (j < 0) return `at ${Math.round(time)} ms one of the pair's two images is missing: such frames have no pair`;
      const apart = Math.abs(rights.times[j] - lefts.times[i]);
      if (apart > STEP * periodMs)
        return `at ${Math.round(time)} ms the pair's two images are ${Math.round(apart)} ms apart: frames out of step have no pair`;
      const [one, other] = [await read(left, lefts.order[i]), await read(right, rights.order[j])];
      if (one.shape.join() !== other.shape.join()) return `the pair's images at ${Math.round(time)} ms differ in size`;
      return { left: turnLeft?.(one) ?? one, right: turnRight?.(other) ?? other, ...place };
    },
  };
}
