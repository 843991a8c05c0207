import { type ColorArray, type DepthFrame, image } from "../../core/frame.ts";
import { type DepthTopic, SeveralTopicsError } from "../../core/severalTopics.ts";
import { SourceError } from "../../core/source.ts";
import { namesMeant } from "../../core/starred.ts";
import type { Decoder } from "../decode/index.ts";
import { lostFloats, shares } from "../decode/pixels.ts";
import {
  depthFormatOf,
  type FormatDefaults,
  type FormatLens,
  isNearLens,
  rateOf,
  scaledLens,
  stable,
} from "../format/depthFormat.ts";
import {
  type Fact,
  type Frames,
  type OpenOptions,
  reasonOf,
  shareText,
  type WithOrigin,
  warnOnce,
  withPoses,
} from "../format/format.ts";
import { raysTold, rayTurner } from "../format/rays.ts";
import { baseOfTopic, roleOfTopic } from "../format/roles.ts";
import { camerasOf, lensesOf, lensOf } from "./camera.ts";
import { posesOf } from "./cameraPoses.ts";
import { type ColorStream, colorFor } from "./color.ts";
import { inOrder, readDepth } from "./depthImage.ts";
import { extrasOfLog } from "./extras.ts";
import { type DepthStream, depthStreams, type ImageTopic, imageTopics, pictureIn } from "./images.ts";
import { type MessageLog, whyNothing, whyUnread } from "./log.ts";
import { adviceFor } from "./orbbec.ts";
import { type PairStream, pairFor } from "./pair.ts";
import { clockOf } from "./stamps.ts";

/** Opens the frames of one depth topic of a message log, with intrinsics, unit and colour from other topics. */
export async function framesOfLog(log: MessageLog, options: OpenOptions, decoder: Decoder): Promise<Frames> {
  const images = await imageTopics(log);
  const cameras = await camerasOf(log);
  const streams = await depthStreams(log, images, cameras, options.topic);
  const stream = choose(log, streams, images, options.topic);
  const { topic } = stream.image;
  const clock = await clockOf(log, topic);
  const { times, order } = clock;
  if (times.length === 0) throw new SourceError(`${log.name}: topic ${topic.name} has no message that can be read`);
  const { warnings } = log;
  const { camera } = stream;
  const lens = camera && lensOf(camera, topic.name);
  // A single frame has no rate: 30 frames per second stand in.
  const rate = times.length === 1 ? 30 : rateOf(times);
  const said: WithOrigin<number> | undefined =
    rate === undefined ? undefined : { value: rate, from: times.length === 1 ? "assumed" : "files" };
  const meaning = depthFormatOf(options, undefined, defaultsOf(stream, lens, said), warnings);
  const { likely, swapped } = stream.kind;
  if (swapped)
    warnings.push(
      `${log.name}, ${topic.name}: its messages say the wrong order of bytes (is_bigendian): in the other one their values make a picture, and they are read so`,
    );
  if (stream.kind.shares) warnings.push(shares(`${log.name}, ${topic.name}`));
  if (likely !== undefined && meaning.metresPerFloat === 1)
    warnings.push(lostFloats(likely, `${log.name}, ${topic.name}`));
  const turnRays = roleOfTopic(topic.name) === "ray" ? rayTurner() : undefined;
  if (turnRays) warnings.push(raysTold(`${log.name}, ${topic.name}`));
  const inLog = { log, depth: stream, images, cameras, decoder, periodMs: 1000 / meaning.fps, clock };
  const color = options.color === false ? undefined : await colorFor(inLog);
  const goWithout = warnOnce(warnings);
  const goUnmatched = warnOnce(warnings);
  if (typeof color === "string") goWithout(color);
  const pair = options.pair === false ? undefined : await pairFor(inLog);
  const stays = stable();
  const warnOfLens = warnOnce(warnings);
  const lensAt = options.intrinsics || !camera || !lens ? undefined : await lensesOf(log, topic, camera);
  /** The lens of a frame: the one that was recorded at the frame's time. */
  const lensFor = async (index: number, width: number, height: number) => {
    const own = await lensAt?.(order[index]);
    const usual = meaning.intrinsics(width, height);
    const scaled = own && scaledLens(own, width, height);
    if (!scaled || isNearLens(scaled, usual)) return usual;
    warnOfLens(
      `${log.name}, ${camera?.topic}: the lens changes in the recording, the first time at or before frame ${index}: each frame has the lens of its own time`,
    );
    return scaled;
  };
  const poseAt = await posesOf(log, stream.image.frameId, clock.lag, times.length);
  const pose = async (index: number) => poseAt?.(times[index]);
  const posed = withPoses(pose, warnings);

  return {
    length: times.length,
    fps: meaning.fps,
    warnings,
    topics: streams.map(({ summary }) => summary),
    topic: topic.name,
    facts: [
      {
        what: "topic",
        value: `${topic.name} (${stream.summary.kind})`,
        from: options.topic === undefined ? "files" : "option",
      },
      ...meaning.facts,
      colorFact(color, options),
      ...pairFact(pair),
    ],
    timestampOf: (index) => times[index],
    pose,
    extras: extrasOfLog(inLog),
    close: log.close,
    async read(index): Promise<DepthFrame> {
      const where = `${log.name}, ${topic.name}, message ${order[index]}`;
      const depth = await log.read(topic, order[index], (message) =>
        readDepth(inOrder(pictureIn(stream.image.part, message, where), swapped), meaning, decoder, where),
      );
      const { width, height } = depth;
      meaning.forget(depth.data);
      const intrinsics = stays(await lensFor(index, width, height));
      turnRays?.(depth.data, intrinsics);
      const timestamp = times[index];
      const plain = await posed({
        depth: image(depth.data, [height, width]),
        metresPerUnit: meaning.metresPerUnit,
        intrinsics,
        timestamp,
        index,
      });
      const seen = typeof pair === "object" ? await pair.read(timestamp).catch(reasonOf) : undefined;
      const frame = typeof seen === "object" ? { ...plain, pair: seen } : plain;
      if (typeof seen === "string") goUnmatched(seen);
      if (!color || typeof color === "string") return frame;
      const pixels = await color.read(depth, meaning.metresPerUnit, intrinsics, timestamp).catch(reasonOf);
      const rgba: ColorArray | undefined =
        typeof pixels === "string"
          ? goWithout(`${pixels}; frames with this fault go without colour`)
          : pixels && image(pixels, [height, width, 4]);
      return rgba ? { ...frame, color: rgba } : frame;
    },
  };
}

const pairFact = (pair: PairStream | string | undefined): Fact[] =>
  pair === undefined
    ? []
    : [{ what: "pair", value: typeof pair === "string" ? `none: ${pair}` : pair.summary, from: "files" }];

/** The least share of an image's packed forms that it needs to be taken for all of them. */
const KEPT = 0.9;

/**
 * Chooses the stream that the user asked for, or the only one. Throws where there is none, or where the user has to choose among several.
 */
function choose(
  log: MessageLog,
  streams: readonly DepthStream[],
  images: readonly ImageTopic[],
  wanted: string | undefined,
): DepthStream {
  const [first, ...others] = streams;
  if (!first) {
    const some = images.length > 0 ? images : log.topics.map((topic) => ({ topic, unread: undefined }));
    const names = some.slice(0, 8).map(({ topic: { name, type }, unread = "" }) => {
      const how = unread === "" ? "" : `, ${unread}${adviceFor(name, unread)}`;
      return `${name} (${type}${how})`;
    });
    const list = names.join(", ") + (some.length > 8 ? " …" : "");
    // Where a fault kept a topic from being read, that fault is the better reason.
    const reason = images.length === 0 ? whyNothing(log.warnings, list) : undefined;
    const unread = whyUnread(log.warnings);
    throw new SourceError(
      reason ??
        `${log.name}: it has no depth topic (16UC1, mono16, 32FC1 or compressedDepth images); it holds ${list || "nothing"}${unread ? `; ${unread}` : ""}`,
    );
  }
  const all = streams.map(({ summary }) => summary.name);
  // A recorder of all topics records an image as it is and in packed forms: that as it is comes first, unless it lost images.
  const summaries = streams.map(({ summary }) => summary);
  const isFirstForm = (one: DepthTopic) =>
    summaries.every(
      ({ name, frames }) => baseOfTopic(one.name) !== name || name === one.name || frames < KEPT * one.frames,
    );
  const meant = wanted === undefined ? summaries.filter(isFirstForm).map(({ name }) => name) : namesMeant(wanted, all);
  const [chosen, ...more] = streams.filter(({ summary }) => meant.includes(summary.name));
  if (more.length > 0)
    throw new SeveralTopicsError(
      log.name,
      [chosen, ...more].map(({ summary }) => summary),
    );
  if (chosen) return chosen;
  throw new SourceError(
    `${log.name}: it has no depth topic "${wanted}"; there ${others.length > 0 ? "are" : "is"} ${all.join(", ")}`,
  );
}

function defaultsOf(
  { unit, camera, kind }: DepthStream,
  lens: FormatLens | undefined,
  rate: WithOrigin<number> | undefined,
): FormatDefaults {
  return {
    topics: true,
    metresPerUnit: unit,
    likelyFloat: kind.likely,
    invalid: { value: [], from: "ROS default" },
    ...(rate && { fps: rate }),
    ...(lens && camera && { intrinsics: { value: lens, from: `topic ${camera.topic}` } }),
  };
}

function colorFact(color: ColorStream | string | undefined, options: OpenOptions): Fact {
  if (!color || typeof color === "string")
    return { what: "colour", value: shareText(0, 1), from: options.color === false ? "option" : "files" };
  const way = color.by === "as it is" ? "as registered in the file" : `registered by ${color.by.placement.from}`;
  return { what: "colour", value: `${color.topic}, ${way}`, from: "files" };
}
