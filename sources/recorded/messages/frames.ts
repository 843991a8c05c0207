import type { Decoder } from "../../decode/index.ts";
import { type ColorArray, type DepthFrame, type Intrinsics, image } from "../../frame.ts";
import { SourceError } from "../../source.ts";
import { type Fact, type Said, shareText } from "../facts.ts";
import { type Frames, type OpenOptions, SeveralTopics } from "../format.ts";
import { type Habits, type Lens, meaningOf } from "../meaning.ts";
import { camerasOf, lensOf } from "./camera.ts";
import { type ColorStream, colorFor } from "./color.ts";
import { readDepth } from "./depthImage.ts";
import { type DepthStream, depthStreams, type ImageTopic, imageTopics } from "./images.ts";
import { type MessageLog, whyNothing } from "./log.ts";
import { pictureOf } from "./picture.ts";

/** The frames of one depth topic of a file with messages in it, with lens, unit and colour from other topics. */
export async function framesOfLog(log: MessageLog, options: OpenOptions, decoder: Decoder): Promise<Frames> {
  const images = await imageTopics(log);
  const cameras = await camerasOf(log);
  const streams = await depthStreams(log, images, cameras);
  const stream = choose(log, streams, images, options.topic);
  const { topic } = stream.image;
  const times = await log.times(topic);
  if (times.length === 0) throw new SourceError(`${log.name}: topic ${topic.name} has no message that can be read`);
  const { warnings } = log;
  const lens = stream.camera && lensOf(stream.camera, topic.name);
  // Of a single frame nobody asks how fast it was.
  const rate: Said<number> | undefined = times.length === 1 ? { value: 30, from: "assumed" } : rateOf(times);
  const meaning = meaningOf(options, undefined, habitsOf(stream, lens, rate), warnings);
  const color =
    options.color === false ? undefined : await colorFor(log, stream, images, cameras, decoder, 1000 / meaning.fps);
  let warned = false;
  const goWithout = (reason: string): undefined => {
    if (!warned) warnings.push(reason);
    warned = true;
    return undefined;
  };
  if (typeof color === "string") goWithout(color);
  const stays = stable();

  return {
    length: times.length,
    fps: meaning.fps,
    warnings,
    topics: streams.map(({ told }) => told),
    topic: topic.name,
    facts: [
      {
        what: "topic",
        value: `${topic.name} (${stream.told.kind})`,
        from: options.topic === undefined ? "files" : "option",
      },
      ...meaning.facts,
      colorFact(color, options),
    ],
    timestampOf: (index) => times[index],
    pose: async () => undefined,
    close: log.close,
    async read(index): Promise<DepthFrame> {
      const where = `${log.name}, ${topic.name}, message ${index}`;
      const depth = await log.read(topic, index, (message) =>
        readDepth(pictureOf(message, where), meaning.metresPerUnit, decoder, where),
      );
      const { width, height } = depth;
      const intrinsics = stays(meaning.intrinsics(width, height));
      const timestamp = times[index];
      const frame = {
        depth: image(depth.data, [height, width]),
        metresPerUnit: meaning.metresPerUnit,
        intrinsics,
        timestamp,
        index,
      };
      if (!color || typeof color === "string") return frame;
      const pixels = await color.read(depth, meaning.metresPerUnit, intrinsics, timestamp).catch((error) => {
        // Colour is optional: what is wrong with it is a warning.
        if (error instanceof SourceError) return error.message;
        throw error;
      });
      const rgba: ColorArray | undefined =
        typeof pixels === "string"
          ? goWithout(`${pixels}; frames go without colour where it is so`)
          : pixels && image(pixels, [height, width, 4]);
      return rgba ? { ...frame, color: rgba } : frame;
    },
  };
}

/** The stream that was asked for, or the only one. Throws where there is none, or several and nobody has said which. */
function choose(
  log: MessageLog,
  streams: readonly DepthStream[],
  images: readonly ImageTopic[],
  wanted: string | undefined,
): DepthStream {
  const [first, ...others] = streams;
  if (!first) {
    const some = images.length > 0 ? images.map(({ topic }) => topic) : log.topics;
    const names = some.slice(0, 8).map(({ name, type }) => `${name} (${type})`);
    const list = names.length === 0 ? "nothing" : names.join(", ") + (some.length > 8 ? " …" : "");
    // What kept a topic from being read is the better reason.
    const reason = images.length === 0 ? whyNothing(log.warnings) : undefined;
    throw new SourceError(
      reason ??
        `${log.name}: no depth topic is in it (16UC1, mono16, 32FC1 or compressedDepth images); it holds ${list}`,
    );
  }
  if (wanted === undefined) {
    if (others.length === 0) return first;
    throw new SeveralTopics(
      log.name,
      streams.map(({ told }) => told),
    );
  }
  const chosen = streams.find(({ told }) => told.name === wanted || told.name === `/${wanted}`);
  if (chosen) return chosen;
  const names = streams.map(({ told }) => told.name).join(", ");
  throw new SourceError(
    `${log.name}: there is no depth topic "${wanted}" in it; there ${others.length > 0 ? "are" : "is"} ${names}`,
  );
}

function habitsOf({ unit, camera }: DepthStream, lens: Lens | undefined, rate: Said<number> | undefined): Habits {
  return {
    metresPerUnit: unit,
    invalid: { value: [], from: "ROS default" },
    ...(rate && { fps: rate }),
    ...(lens && camera && { intrinsics: { value: lens, from: `topic ${camera.topic}` } }),
  };
}

/** Frames per second by the middle one of the steps between times. */
function rateOf(times: Float64Array): Said<number> | undefined {
  const steps = Float64Array.from(times.subarray(1), (time, i) => time - times[i]).sort();
  const rate = 1000 / steps[steps.length >> 1];
  if (!(rate > 0 && Number.isFinite(rate))) return undefined;
  return { value: rate < 1 ? Number(rate.toPrecision(2)) : Math.round(10 * rate) / 10, from: "files" };
}

function colorFact(color: ColorStream | string | undefined, options: OpenOptions): Fact {
  if (!color || typeof color === "string")
    return { what: "colour", value: shareText(0, 1), from: options.color === false ? "option" : "files" };
  const way = color.by === "as it is" ? "as registered there" : `registered by ${color.by.placement.from}`;
  return { what: "colour", value: `${color.topic}, ${way}`, from: "files" };
}

/** The same object while the numbers are the same: who prepares tables for a lens need not compare. */
function stable(): (intrinsics: Intrinsics) => Intrinsics {
  let last: Intrinsics | undefined;
  return (intrinsics) => {
    if (last?.width !== intrinsics.width || last.height !== intrinsics.height) last = intrinsics;
    return last;
  };
}
