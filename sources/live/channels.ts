import type { Channel } from "@foxglove/ws-protocol";
import { SourceError } from "../../core/source.ts";
import { baseOfTopic, folderOfTopic, isDepthByName, mayBeDepth, type Role, roleOfTopic } from "../format/roles.ts";
import { sharedParts, typeName } from "../messages/log.ts";
import { isEye } from "../messages/pair.ts";
import { IMAGE_TYPES } from "../messages/picture.ts";

/** The topics of a server that make up a depth stream. */
export interface Choice {
  readonly depth: Channel;
  readonly lens: Channel | undefined;
  /** The colour topic whose name is most like depth's. Only its images tell whether colour is registered to depth. */
  readonly color: Channel | undefined;
  /** The two infrared topics that depth can be matched from, with their intrinsics; only these tell which one is the left camera's. */
  readonly eyes: readonly (readonly [image: Channel, lens: Channel])[];
  /** Where cameras stand (ROS' `tf_static`). */
  readonly transforms: readonly Channel[];
}

const LENS_TYPES = ["sensor_msgs/CameraInfo", "foxglove/CameraCalibration"];

const isImage = ({ schemaName }: Channel) => IMAGE_TYPES.includes(typeName(schemaName));
const isLens = ({ schemaName }: Channel) => LENS_TYPES.includes(typeName(schemaName));
const isStatic = ({ topic, schemaName }: Channel) => /(^|\/)tf_static$/.test(topic) && /\/TFMessage$/.test(schemaName);

/**
 * The topics whose names say depth, if there are none lengths of rays ("/long_range/image_raw" may be colour), then images in a form that
 * only depth should have (image_transport offers each image in it), then those whose names say depth and something else ("/lidar_depth"),
 * or the only image topic. If an image comes in several forms, only the uncompressed one is kept.
 */
export function depthTopics(channels: readonly Channel[]): Channel[] {
  const images = channels.filter(isImage);
  const raw = images.filter(({ topic }) => !/\/(compressed|theora)$/.test(topic));
  const named = raw.filter(({ topic }) => isDepthByName(roleOfTopic(topic)));
  const packed = (role: Role) =>
    raw.filter(({ topic }) => roleOfTopic(topic) === role && /\/compressedDepth$/.test(topic));
  const found = [
    named.filter(({ topic }) => roleOfTopic(topic) !== "ray"),
    named,
    packed("unnamed"),
    raw.filter(({ topic }) => mayBeDepth(topic)),
    packed("side"),
    images.length === 1 ? images : [],
  ].find(({ length }) => length > 0);
  return (found ?? []).filter(
    ({ topic }) => topic === baseOfTopic(topic) || !found?.some((other) => other.topic === baseOfTopic(topic)),
  );
}

export const imageTopics = (channels: readonly Channel[]): string[] =>
  channels.filter(isImage).map(({ topic }) => topic);

/** The depth topic that the user asked for, or the only one, with its camera and colour topics; `undefined` if it is not there (yet). */
export function choose(channels: readonly Channel[], topic: string | undefined): Choice | undefined {
  const [depth, ...more] =
    topic === undefined ? depthTopics(channels) : channels.filter((one) => one.topic === topic && isImage(one));
  if (!depth || more.length > 0) return undefined;
  const folder = folderOfTopic(depth.topic);
  const lenses = channels.filter(isLens);
  const lens =
    lenses.find((one) => folderOfTopic(one.topic) === folder) ?? (lenses.length === 1 ? lenses[0] : undefined);
  const colors = channels.filter(
    (one) =>
      isImage(one) &&
      one.id !== depth.id &&
      roleOfTopic(one.topic) === "color" &&
      !/\/(theora|compressedDepth)$/.test(one.topic),
  );
  const rank = ({ topic }: Channel) => 2 * sharedParts(topic, depth.topic) - Number(topic !== baseOfTopic(topic));
  const [color] = colors.sort((a, b) => rank(b) - rank(a));
  return { depth, lens, color, eyes: eyesIn(channels, depth.topic), transforms: channels.filter(isStatic) };
}

/**
 * The infrared topics of a pair's two cameras, rectified and uncompressed where a server has such. Of several pairs, the one is taken
 * whose names are most like depth's. The list is empty where a server has no two such topics.
 */
function eyesIn(channels: readonly Channel[], depth: string): Choice["eyes"] {
  const eyes = new Map<string, readonly [Channel, Channel]>();
  const images = channels.filter((one) => isImage(one) && isEye(one.topic) && !/\/theora$/.test(one.topic));
  const rank = ({ topic }: Channel) => 2 * Number(!/rect/.test(topic)) + Number(topic !== baseOfTopic(topic));
  for (const image of images.sort((a, b) => rank(a) - rank(b))) {
    const folder = folderOfTopic(image.topic);
    const lens = channels.find((one) => isLens(one) && folderOfTopic(one.topic) === folder);
    if (lens && !eyes.has(folder)) eyes.set(folder, [image, lens]);
  }
  const shared = ([{ topic }]: Choice["eyes"][number]) => sharedParts(topic, depth);
  const most = Math.max(...[...eyes.values()].map(shared));
  const own = [...eyes.values()].filter((eye) => eyes.size === 2 || shared(eye) === most);
  return own.length === 2 ? own : [];
}

/** The most topics of images and intrinsics that are kept; the largest robots have some dozens. */
const MAX_CHANNELS = 1000;
/** The most characters of all their names and schemas. The schema of a sensor_msgs/Image has 2,000. */
const MAX_TEXT = 1 << 22;

/** The topics of a server that this client can use. Whatever the server advertises, they take a bounded amount of memory. */
export class Offer {
  readonly #channels = new Map<number, Channel>();
  #text = 0;

  /** One for each name: the newest, since a server may offer a topic anew before it takes the old one back. */
  get channels(): Channel[] {
    return [...new Map([...this.#channels.values()].map((one) => [one.topic, one])).values()];
  }

  has(id: number): boolean {
    return this.#channels.has(id);
  }

  /** Adds the advertised topics that can be used. Throws a `SourceError` when there are more than are kept; those kept until then stay. */
  add(advertised: readonly unknown[]): void {
    for (const channel of advertised) {
      if (!isChannel(channel) || !(isImage(channel) || isLens(channel) || isStatic(channel))) continue;
      this.remove(channel.id);
      const length = textOf(channel);
      if (this.#channels.size >= MAX_CHANNELS || this.#text + length > MAX_TEXT)
        throw new SourceError(
          `it offers more than ${MAX_CHANNELS} topics of images and intrinsics, or ${MAX_TEXT} characters of them; the rest is left out`,
        );
      const { id, topic, encoding, schemaName, schema, schemaEncoding } = channel;
      // Copies only the known fields: a server may have put anything else beside them.
      this.#channels.set(id, { id, topic, encoding, schemaName, schema, ...(schemaEncoding && { schemaEncoding }) });
      this.#text += length;
    }
  }

  remove(id: number): void {
    const channel = this.#channels.get(id);
    if (!channel) return;
    this.#channels.delete(id);
    this.#text -= textOf(channel);
  }
}

const textOf = ({ topic, encoding, schemaName, schema, schemaEncoding = "" }: Channel): number =>
  topic.length + encoding.length + schemaName.length + schema.length + schemaEncoding.length;

/** Whether an advertised value has a channel's fields: a server may send anything. */
function isChannel(value: unknown): value is Channel {
  if (typeof value !== "object" || value === null) return false;
  const { id, topic, encoding, schemaName, schema, schemaEncoding = "" } = value as Record<string, unknown>;
  const texts = [topic, encoding, schemaName, schema, schemaEncoding];
  return typeof id === "number" && texts.every((text) => typeof text === "string");
}
