import type { GreyImage } from "../core/extras.ts";
import type { ColorArray, DepthArray } from "../core/frame.ts";
import type { WholeFrame } from "../core/withExtras.ts";
import { cloudOf, foxgloveCloud } from "./cloud.ts";
import type { Losses } from "./losses.ts";
import {
  bytesOf,
  cameraInfoMessage,
  compressedMessage,
  imageMessage,
  imuMessage,
  metresMessage,
  notesMessage,
  poseMessage,
  type SchemaName,
  type Stamp,
  stampOf,
} from "./ros2.ts";
import { inUnits } from "./units.ts";

/** A way to compress depth images. */
export interface DepthEncoder {
  /** ROS' name for the codec. */
  readonly name: "png" | "rvl";
  /** Encodes a depth image. */
  encode(depth: DepthArray): Promise<Uint8Array>;
}

/** Image compression; a codec that is `undefined` leaves images uncompressed, for instance because the container compresses chunks. */
export interface ImageCodecs {
  /** How depth images are compressed. */
  readonly depth?: DepthEncoder | undefined;
  /** Packs depth as `depthloom.depth.v2`, in any unit; takes the place of `depth`. */
  readonly packDepth?: ((depth: DepthArray) => Uint8Array) | undefined;
  /** Whether the valid points are written, too, as foxglove.PointCloud. */
  readonly points?: boolean | undefined;
  /** Encodes a colour image as PNG. */
  readonly color?: ((color: ColorArray) => Promise<Uint8Array>) | undefined;
}

/** A topic that recorders write. */
export interface Topic {
  /** The topic's name. */
  readonly topic: string;
  /** The ROS 2 type of its messages. */
  readonly schema: SchemaName;
  /** Properties for which the schema has no field. */
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface TopicMessage {
  readonly topic: Topic;
  readonly data: Uint8Array;
  /** The message's own time in ms, where that is not the frame's. */
  readonly ms?: number;
}

/** The format that a CompressedImage names whose data are `depthloom.depth.v2`. */
const V2_FORMAT = "16UC1; depthloom.depth.v2";

const MILLIMETRES = 0.001;

/** The key of the channel metadata with the unit in which depth can be restored exactly. */
export const UNIT_KEY = "metresPerUnit";

/**
 * Converts frames to messages: depth's intrinsics, the camera's pose, the driver's notes, infrared, inertial sensors, colour and its
 * intrinsics, and last depth, so that a reader that has the depth message has everything. The topics are named as ROS names images and
 * their camera info, side by side.
 *
 * Depth in millimetres becomes 16UC1, as REP 118 says. Depth in other units becomes metres, so that no reader takes it for millimetres;
 * with the unit in the metadata a reader gets the same numbers back.
 */
export class FrameMessages {
  readonly #codecs: ImageCodecs;
  /** The unit of the first frame, to which later frames are converted. */
  metresPerUnit: number | undefined;

  constructor(
    codecs: ImageCodecs = {},
    /** Counts what cannot be kept: a later frame's depth in a finer unit than the first frame's. */
    readonly losses?: Losses,
  ) {
    this.#codecs = codecs;
  }

  /** The messages of a frame. `depth` replaces the frame's own, for instance by filtered depth. */
  async of(frame: WholeFrame, stamp: Stamp, depth: DepthArray = frame.depth): Promise<TopicMessage[]> {
    this.metresPerUnit ??= frame.metresPerUnit;
    const unit = this.metresPerUnit;
    const lens = cameraInfoMessage(stamp, frame.intrinsics);
    const colored = frame.color && this.#color(stamp, frame.color);
    const measured = this.#depth(stamp, inUnits({ ...frame, depth }, unit, this.losses), unit);
    const messages: TopicMessage[] = [{ topic: topics.depthInfo, data: lens }];
    if (frame.pose) messages.push({ topic: topics.pose, data: poseMessage(stamp, frame.pose) });
    if (this.#codecs.points) {
      const cloud = cloudOf({ ...frame, depth }, false);
      messages.push({ topic: topics.points, data: foxgloveCloud(stamp, cloud) });
    }
    if (frame.metadata?.length)
      messages.push({ topic: topics.metadata, data: notesMessage(stamp, Object.fromEntries(frame.metadata)) });
    if (frame.infrared) messages.push({ topic: topics.infrared, data: greyMessage(stamp, frame.infrared) });
    for (const sensor of ["accelerometer", "gyroscope"] as const)
      for (const { timestamp: ms, xyz } of frame.motion?.[sensor] ?? [])
        messages.push({ topic: topics[sensor], data: imuMessage(stampOf(ms), sensor, xyz), ms });
    if (colored) messages.push({ topic: topics.colorInfo, data: lens }, await colored);
    messages.push(await measured);
    return messages;
  }

  async #depth(stamp: Stamp, depth: DepthArray, unit: number): Promise<TopicMessage> {
    const { shape, data } = depth;
    const topic = { ...topics.depth, metadata: { [UNIT_KEY]: String(unit) } };
    const { packDepth } = this.#codecs;
    if (packDepth)
      return {
        topic: { ...topic, ...topics.packedDepth },
        data: compressedMessage(stamp, V2_FORMAT, packDepth(depth)),
      };
    if (unit !== MILLIMETRES) return { topic, data: metresMessage(stamp, depth, unit) };
    const codec = this.#codecs.depth;
    if (!codec) return { topic, data: imageMessage(stamp, "16UC1", shape, bytesOf(data)) };
    return { topic: { ...topic, ...topics.compressedDepth }, data: await compressedDepth(stamp, depth, codec) };
  }

  async #color(stamp: Stamp, color: ColorArray): Promise<TopicMessage> {
    const encode = this.#codecs.color;
    if (!encode) {
      const { data, shape } = color;
      return { topic: topics.color, data: imageMessage(stamp, "rgba8", shape, data) };
    }
    return { topic: topics.compressedColor, data: compressedMessage(stamp, "png", await encode(color)) };
  }
}

const greyMessage = (stamp: Stamp, { width, height, data }: GreyImage): Uint8Array =>
  imageMessage(stamp, data instanceof Uint8Array ? "mono8" : "mono16", [height, width], bytesOf(data));

/** Encodes depth in whole millimetres as image_transport's compressedDepth. */
export async function compressedDepth(stamp: Stamp, depth: DepthArray, codec: DepthEncoder): Promise<Uint8Array> {
  const packed = await codec.encode(depth);
  const [height, width] = depth.shape;
  // The header: a format number and two parameters that whole millimetres do not need; for rvl also the size.
  const header = new Uint32Array(codec.name === "rvl" ? [0, 0, 0, width, height] : [0, 0, 0]);
  const payload = new Uint8Array(header.byteLength + packed.length);
  payload.set(new Uint8Array(header.buffer));
  payload.set(packed, header.byteLength);
  return compressedMessage(stamp, `16UC1; compressedDepth ${codec.name}`, payload);
}

/** All topics that a frame can be written to. */
export const topics = {
  depth: { topic: "/depth/image", schema: "sensor_msgs/msg/Image" },
  compressedDepth: { topic: "/depth/image/compressedDepth", schema: "sensor_msgs/msg/CompressedImage" },
  packedDepth: { topic: "/depth/image/v2", schema: "sensor_msgs/msg/CompressedImage" },
  depthInfo: { topic: "/depth/camera_info", schema: "sensor_msgs/msg/CameraInfo" },
  points: { topic: "/depth/points", schema: "foxglove_msgs/msg/PointCloud" },
  metadata: { topic: "/depth/metadata", schema: "realsense2_camera_msgs/msg/Metadata" },
  infrared: { topic: "/infrared/image", schema: "sensor_msgs/msg/Image" },
  accelerometer: { topic: "/accel/imu", schema: "sensor_msgs/msg/Imu" },
  gyroscope: { topic: "/gyro/imu", schema: "sensor_msgs/msg/Imu" },
  color: { topic: "/color/image", schema: "sensor_msgs/msg/Image" },
  compressedColor: { topic: "/color/image/compressed", schema: "sensor_msgs/msg/CompressedImage" },
  pose: { topic: "/tf", schema: "tf2_msgs/msg/TFMessage" },
  colorInfo: { topic: "/color/camera_info", schema: "sensor_msgs/msg/CameraInfo" },
} as const satisfies Record<string, Topic>;
