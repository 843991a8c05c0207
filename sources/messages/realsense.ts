import { SourceError } from "../core/source.ts";
import type { MessageLog, Topic } from "./log.ts";
import { chained, extrinsicsOf, inverse, type Placement } from "./placement.ts";

// librealsense writes these topics beside the images:
//     /device_0/sensor_0/Depth_0/image/data         the images
//     /device_0/sensor_0/Depth_0/tf/0               from the device's frame to this stream's
//     /device_0/sensor_0/option/Depth Units/value   metres per unit ("Depth_Units" in newer files)

const IMAGE = /^(?<sensor>\/device_\d+\/sensor_\d+)\/(?<stream>[^/]+)\/image\/data$/;

/** Metres per unit of depth, and the topic that says so; `undefined` where the file does not say. */
export async function depthUnits(
  log: MessageLog,
  image: string,
): Promise<{ value: number; topic: string } | undefined> {
  const sensor = IMAGE.exec(image)?.groups?.sensor;
  if (sensor === undefined) return undefined;
  const named = [`${sensor}/option/Depth Units/value`, `${sensor}/option/Depth_Units/value`];
  const topic = log.topics.find(({ name, count }) => named.includes(name) && count > 0);
  if (!topic) return undefined;
  const data = await log.peek(topic, 0, (message) => message.data);
  if (typeof data !== "number" || !(data > 0 && data < 1)) {
    throw new SourceError(`${log.name}, ${topic.name}: ${data} is no unit of depth in metres`, [], "metresPerUnit");
  }
  // The file has a 32-bit float: 0.001 reads as 0.0010000000474974513.
  return { value: Number(data.toPrecision(7)), topic: topic.name };
}

/** The placement of one stream of a device relative to another. */
export async function placementOfStreams(log: MessageLog, from: string, to: string): Promise<Placement | undefined> {
  const [first, second] = [transformOf(log, from), transformOf(log, to)];
  if (!first || !second) return undefined;
  const [a, b] = [await read(log, first), await read(log, second)];
  return { extrinsics: chained(inverse(a), b), from: `${first.name}, ${second.name}` };
}

function transformOf(log: MessageLog, image: string): Topic | undefined {
  if (!IMAGE.test(image)) return undefined;
  const prefix = image.replace(/image\/data$/, "tf/");
  return log.topics.find(({ name, count }) => name.startsWith(prefix) && count > 0);
}

const read = (log: MessageLog, topic: Topic) =>
  log.peek(topic, 0, (message) => extrinsicsOf(message, `${log.name}, ${topic.name}`));
