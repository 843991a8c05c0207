import { SourceError } from "../../source.ts";
import type { MessageLog, Topic } from "./log.ts";
import { chained, extrinsicsOf, inverse, type Placement } from "./placement.ts";

// What librealsense writes beside the images, each thing in a topic of its own:
//     /device_0/sensor_0/Depth_0/image/data         the images
//     /device_0/sensor_0/Depth_0/tf/0               from the device's frame to this stream's
//     /device_0/sensor_0/option/Depth Units/value   metres in a unit ("Depth_Units" in newer files)

const IMAGE = /^(?<sensor>\/device_\d+\/sensor_\d+)\/(?<stream>[^/]+)\/image\/data$/;

/** Metres in a unit of depth, and which topic says so. */
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
    throw new SourceError(`${log.name}, ${topic.name}: ${data} is no unit of depth; give it with --depth-scale`);
  }
  // It is a float of 32 bits: 0.001 is 0.0010000000474974513 there.
  return { value: Number(data.toPrecision(7)), topic: topic.name };
}

/** How two streams of one device stand to each other. */
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
