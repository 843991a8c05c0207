import { nearest } from "../../core/associate.ts";
import {
  BEFORE_FIRST_MS,
  type ExtrasReader,
  extrasReader,
  type GreyImage,
  type MotionSample,
  samplesBetween,
} from "../../core/extras.ts";
import type { Decoder } from "../decode/index.ts";
import { colorOf, isColor } from "../decode/pixels.ts";
import { isInfrared } from "../format/roles.ts";
import { timesLike } from "./color.ts";
import { depthKindOf, owned, readDepth } from "./depthImage.ts";
import { type ImageTopic, pictureIn, type StreamInLog } from "./images.ts";
import { likeFirst, MAX_TOPICS, type Message, type MessageLog, type Topic } from "./log.ts";
import { numbersOf, objectOf, type Picture, unpackedPicture } from "./picture.ts";
import { isDeviceStream, metadataTopics } from "./realsense.ts";
import type { Clock } from "./stamps.ts";

/** Messages nearer to each other than this are of one moment, ms; times since 1970 have steps of a quarter of a microsecond. */
const NEXT_MS = 0.01;
/** The most values that are read of a setting, which a recorder may write again and again. */
const MOST_SETTINGS = 64;

/**
 * Reads what a message log holds beside depth and colour about the frames of one depth topic, whose times are `clock`. `undefined` where
 * the log holds nothing of that.
 */
export function extrasOfLog(stream: StreamInLog): ExtrasReader | undefined {
  const { log, images, clock, periodMs, decoder } = stream;
  const depth = stream.depth.image.topic;
  const { times } = clock;
  const [noted, settings] = metadataTopics(log, depth.name);
  const infrared = likeFirst(depth.name, images, ({ topic }) => topic.name).find(
    ({ topic: { name } }) => isInfrared(name) && name !== depth.name,
  );
  const imus = likeFirst(
    depth.name,
    log.topics.filter(({ type, count }) => type === "sensor_msgs/Imu" && count > 0).slice(0, MAX_TOPICS),
    ({ name }) => name,
  );
  const [accelerometer, gyroscope] = [motionTopic(imus, /accel/i), motionTopic(imus, /gyro/i)];
  const clockOfTopic = once((topic) => clockBeside(log, topic, depth.name, clock));
  const settingsOnce = once(async (topic) => {
    const at = await log.times(topic);
    const count = Math.min(topic.count, MOST_SETTINGS);
    const values: string[] = [];
    for (let i = 0; i < count; i++) values.push(await log.read(topic, i, ({ data }) => textOf(data)));
    return { at, values };
  });

  const metadata = async (index: number) => {
    const found: (readonly [string, string])[] = [];
    if (noted) {
      const { times: at, order } = await clockOfTopic(noted);
      const time = at[nearest(at, times[index], periodMs / 2)];
      // librealsense writes a message for each value, all at the frame's time.
      const [first, end] = samplesBetween(at, time - NEXT_MS, time);
      for (let i = first; i < end; i++) found.push(...(await log.read(noted, order[i], notesIn)));
    }
    for (const topic of settings) {
      const { at, values } = await settingsOnce(topic);
      const [, behind] = samplesBetween(at.subarray(0, values.length), 0, times[index]);
      const name = topic.name.split("/").at(-2) ?? topic.name;
      if (values.length > 0) found.push([`${name} (setting)`, values[Math.max(0, behind - 1)]]);
    }
    return found;
  };
  const picture = async (image: ImageTopic, index: number): Promise<GreyImage | undefined> => {
    const { times: at, order } = await clockOfTopic(image.topic);
    const found = nearest(at, times[index], periodMs);
    const grey = found < 0 ? undefined : await greyIn(log, image, order[found], decoder);
    return grey && { ...grey, from: image.topic.name };
  };
  const samples = async (topic: Topic | undefined, field: string, index: number): Promise<MotionSample[]> => {
    if (!topic) return [];
    const { times: at, order } = await clockOfTopic(topic);
    const [first, end] = samplesBetween(at, times[index - 1] ?? times[index] - BEFORE_FIRST_MS, times[index]);
    const read: MotionSample[] = [];
    for (let i = first; i < end; i++) {
      const xyz = await log.read(topic, order[i], (message) => vectorIn(message, field));
      if (xyz) read.push({ timestamp: at[i], xyz });
    }
    return read;
  };
  return extrasReader({
    metadata: (noted || settings.length > 0) && metadata,
    infrared: infrared && ((index) => picture(infrared, index)),
    motion:
      (accelerometer || gyroscope) &&
      (async (index) => ({
        accelerometer: await samples(accelerometer, "linear_acceleration", index),
        gyroscope: await samples(gyroscope, "angular_velocity", index),
      })),
  });
}

/** The times of a topic beside a depth topic, on depth's clock. */
export async function clockBeside(log: MessageLog, topic: Topic, depth: string, clock: Clock): Promise<Clock> {
  if (!isDeviceStream(depth)) return timesLike(log, topic, clock);
  const times = await log.times(topic);
  return { times, order: Uint32Array.from(times, (_, i) => i), lag: 0 };
}

/** The grey image in a message; `undefined` where it has another form. */
export function greyIn(log: MessageLog, { topic, part }: ImageTopic, index: number, decoder: Decoder) {
  const where = `${log.name}, ${topic.name}, message ${index}`;
  return log.read(topic, index, async (message) =>
    greyOf(await unpackedPicture(pictureIn(part, message, where), where), decoder, where),
  );
}

/** Does the work once for each topic. A failure is tried again. */
function once<T>(work: (topic: Topic) => Promise<T>) {
  const done = new Map<string, Promise<T>>();
  return (topic: Topic): Promise<T> => {
    const known = done.get(topic.name) ?? work(topic);
    known.catch(() => done.delete(topic.name));
    done.set(topic.name, known);
    return known;
  };
}

/** The topic of one inertial sensor: the one named after it, or else one that is named after no sensor and so has both. */
function motionTopic(all: readonly Topic[], sensor: RegExp): Topic | undefined {
  return all.find(({ name }) => sensor.test(name)) ?? all.find(({ name }) => !/accel|gyro/i.test(name));
}

/** A vector of an `Imu` message; `undefined` where the message says by a covariance of −1 that it has none. */
function vectorIn(message: Message, field: string): MotionSample["xyz"] | undefined {
  const { x, y, z } = objectOf(message[field]);
  const [certainty] = numbersOf(message[`${field}_covariance`]);
  const xyz = [Number(x), Number(y), Number(z)] as const;
  return certainty !== -1 && xyz.every(Number.isFinite) ? xyz : undefined;
}

/** The notes of a message: a key with a value, or a text of JSON with several (ROS wrappers of RealSense and Orbbec). */
function notesIn({ key, value, json_data }: Message): (readonly [string, string])[] {
  if (typeof key === "string") return [[key, textOf(value)]];
  try {
    return Object.entries(objectOf(JSON.parse(String(json_data)))).map(([name, one]) => [name, textOf(one)]);
  } catch {
    return [];
  }
}

/** A value as a person writes it: a 32-bit float that stands for 0.001 comes as 0.0010000000474974513. */
const textOf = (value: unknown): string => {
  if (typeof value === "number" && Math.fround(value) === value) return `${Number(value.toPrecision(7))}`;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};

/** The grey image of a picture; `undefined` where the picture has another form. */
export async function greyOf(
  picture: Picture,
  decoder: Decoder,
  where: string,
): Promise<Omit<GreyImage, "from"> | undefined> {
  const named = !picture.coded && picture.encoding === "y8" ? { ...picture, encoding: "mono8" } : picture;
  if (depthKindOf(named, where)) return readDepth(named, { metresPerUnit: 0.001, metresPerFloat: 1 }, decoder, where);
  if (!named.coded && !isColor(named.encoding)) return undefined;
  const color = named.coded ? await decoder.color(owned(named.data), where) : colorOf(named, where);
  if (typeof color === "string") return undefined;
  const { width, height, data } = color;
  return { width, height, data: Uint8Array.from({ length: width * height }, (_, i) => data[4 * i]) };
}
