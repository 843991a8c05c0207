import { chained, inverse } from "../../core/calibration/extrinsics.ts";
import type { Extrinsics } from "../../core/calibration/register.ts";
import { SourceError } from "../../core/source.ts";
import { likeFirst, MAX_TOPICS, type Message, type MessageLog, type Topic } from "./log.ts";
import { extrinsicsOf, type Placement } from "./placement.ts";

// librealsense writes these topics beside the images:
//     /device_0/sensor_0/Depth_0/image/data         the images; a .db3 that is compressed has other names behind image/
//     /device_0/sensor_0/Depth_0/tf/0               from the device's frame to this stream's ("tf/ref_0" in a .db3)
//     /device_0/sensor_0/option/Depth Units/value   metres per unit ("Depth_Units" in newer files)
//     /device_0/sensor_0/Depth_0/camera_info        the lens
// In a .bag these are messages with fields of numbers, in a .db3 (SDK of 2026) texts: "width=640;height=480;fx=…".

const IMAGE = /^(?<sensor>\/device_\d+\/sensor_\d+)\/(?<stream>[^/]+)\/image\//;
const LENS = /^\/device_\d+\/sensor_\d+\/[^/]+\/(?=camera_info$)/;

/**
 * Whether a topic has images of a RealSense recording. Their stamps may come from a clock of each sensor, and the recorder's times are
 * those by which the SDK plays.
 */
export const isDeviceStream = (image: string): boolean => IMAGE.test(image);

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
  const said = await log.peek(topic, 0, (message) => message.data);
  const data = typeof said === "string" ? Number(said) : said;
  if (typeof data !== "number" || !(data > 0 && data < 1))
    throw new SourceError(`${log.name}, ${topic.name}: ${said} is no unit of depth in metres`, [], "metresPerUnit");
  // The file has a 32-bit float: 0.001 reads as 0.0010000000474974513.
  return { value: Number(data.toPrecision(7)), topic: topic.name };
}

/** Whether a topic describes a stream's lens in a text, and the beginning of the names of that stream's topics. */
export const streamOfLensText = ({ name, type }: Topic): string | undefined =>
  type === "std_msgs/String" ? LENS.exec(name)?.[0] : undefined;

/**
 * The topics that tell about a depth topic's frames: one with notes about each frame (librealsense's, or that of a ROS wrapper), and those
 * of the sensor's settings.
 */
export function metadataTopics({ topics }: MessageLog, image: string): readonly [Topic | undefined, readonly Topic[]] {
  const there = topics.filter(({ count }) => count > 0);
  const { sensor, stream } = IMAGE.exec(image)?.groups ?? {};
  if (sensor === undefined) {
    const all = there.filter(({ type, name }) => type.endsWith("/Metadata") && name.endsWith("/metadata"));
    const wrapped = likeFirst(image, all.slice(0, MAX_TOPICS), ({ name }) => name);
    const parent = (name: string) => name.replace(/\/[^/]*$/, "");
    const own = wrapped.find(({ name }) => parent(name) === parent(image));
    return [own ?? wrapped.find(({ name }) => /depth/.test(name)), []];
  }
  const settings = there.filter(({ name }) => name.startsWith(`${sensor}/option/`) && name.endsWith("/value"));
  return [there.find(({ name }) => name === `${sensor}/${stream}/image/metadata`), settings];
}

/** The fields of a `CameraInfo` from the text that describes a lens. */
export function lensOfText({ data }: Message): Message {
  const of = (field: string) => Number(valueIn(data, field));
  return {
    width: of("width"),
    height: of("height"),
    distortion_model: valueIn(data, "model"),
    D: numbersIn(data, "coeffs"),
    K: [of("fx"), 0, of("ppx"), 0, of("fy"), of("ppy"), 0, 0, 1],
  };
}

/** The value of a field in a text "field=value;field=value"; "" where it is not there. */
function valueIn(text: unknown, field: string): string {
  const fields = typeof text === "string" ? `;${text}` : "";
  const at = fields.indexOf(`;${field}=`) + field.length + 2;
  const end = fields.indexOf(";", at);
  return at < field.length + 2 ? "" : fields.slice(at, end < 0 ? undefined : end).slice(0, LONGEST_VALUE);
}

const LONGEST_VALUE = 1000;
const numbersIn = (text: unknown, field: string) => valueIn(text, field).split(",").map(Number);

/** The placement of one stream of a device relative to another; `undefined` where the file relates them to different frames. */
export async function placementOfStreams(log: MessageLog, from: string, to: string): Promise<Placement | undefined> {
  const [first, second] = [transformsOf(log, from), transformsOf(log, to)];
  for (const one of first) {
    const other = second.find((topic) => tail(topic) === tail(one));
    if (!other) continue;
    const [a, b] = [await read(log, one), await read(log, other)];
    return { extrinsics: chained(inverse(a), b), from: `${one.name}, ${other.name}` };
  }
  return undefined;
}

const tail = ({ name }: Topic) => name.slice(name.lastIndexOf("/"));

function transformsOf(log: MessageLog, image: string): readonly Topic[] {
  const groups = IMAGE.exec(image)?.groups;
  return log.topics.filter(
    ({ name, count }) => groups && count > 0 && name.startsWith(`${groups.sensor}/${groups.stream}/tf/`),
  );
}

const read = (log: MessageLog, topic: Topic) =>
  log.peek(topic, 0, (message) => {
    const where = `${log.name}, ${topic.name}`;
    return typeof message.data === "string" ? extrinsicsOfText(message.data, where) : extrinsicsOf(message, where);
  });

/** "rotation=…;translation=…", metres; librealsense writes matrices column by column. */
function extrinsicsOfText(text: string, where: string): Extrinsics {
  const [r, translation] = [numbersIn(text, "rotation"), numbersIn(text, "translation")];
  if (r.length !== 9 || translation.length !== 3 || ![...r, ...translation].every(Number.isFinite))
    throw new SourceError(`${where}: it has no rotation of nine numbers and translation of three; record it again`);
  return { rotation: [r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]], translation };
}
