import type { Channel } from "@foxglove/ws-protocol";
import { typeName } from "../recorded/messages/log.ts";
import { IMAGE_TYPES } from "../recorded/messages/picture.ts";

/** What a stream offers that can be shown. */
export interface Choice {
  readonly depth: Channel;
  readonly lens: Channel | undefined;
  /** Perhaps registered to depth; its images tell. */
  readonly color: Channel | undefined;
}

const LENS_TYPES = ["sensor_msgs/CameraInfo", "foxglove/CameraCalibration"];

const isImage = ({ schemaName }: Channel) => IMAGE_TYPES.includes(typeName(schemaName));
const isLens = ({ schemaName }: Channel) => LENS_TYPES.includes(typeName(schemaName));

/** image_transport puts an image's other forms below it: "/depth/image_raw/compressedDepth". */
const baseOf = (topic: string) => topic.replace(/\/(compressedDepth|compressed)$/, "");
const folderOf = (topic: string) => topic.slice(0, topic.lastIndexOf("/"));

/** Topics that are depth by their names; all images, if only one is there. Of one image in several forms, the plainest. */
export function depthTopics(channels: readonly Channel[]): Channel[] {
  const images = channels.filter(isImage);
  const named = images.filter(({ topic }) => /depth|disparity/i.test(topic) && !/\/(compressed|theora)$/.test(topic));
  const found = named.length === 0 && images.length === 1 ? images : named;
  return found.filter(({ topic }) => topic === baseOf(topic) || !found.some((other) => other.topic === baseOf(topic)));
}

export const imageTopics = (channels: readonly Channel[]): string[] =>
  channels.filter(isImage).map(({ topic }) => topic);

/** The topic that is asked for, or the only one there is, with what belongs to it. `undefined` if that is not there (yet). */
export function choose(channels: readonly Channel[], topic: string | undefined): Choice | undefined {
  const [depth, ...more] =
    topic === undefined ? depthTopics(channels) : channels.filter((one) => one.topic === topic && isImage(one));
  if (!depth || more.length > 0) return undefined;
  const folder = folderOf(baseOf(depth.topic));
  const lenses = channels.filter(isLens);
  const lens = lenses.find((one) => folderOf(one.topic) === folder) ?? (lenses.length === 1 ? lenses[0] : undefined);
  const colors = channels.filter(
    (one) => isImage(one) && /colou?r|rgb/i.test(one.topic) && !/depth|theora/i.test(one.topic),
  );
  const color = colors.find((one) => one.topic === baseOf(one.topic)) ?? colors[0];
  return { depth, lens, color };
}

/** Whether an advertised channel is one: a server may send anything. */
export function isChannel(value: unknown): value is Channel {
  if (typeof value !== "object" || value === null) return false;
  const { id, topic, encoding, schemaName, schema } = value as Record<string, unknown>;
  return typeof id === "number" && [topic, encoding, schemaName, schema].every((text) => typeof text === "string");
}
