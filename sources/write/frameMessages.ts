import type { ColorArray, DepthArray, DepthFrame } from "../frame.ts";
import {
  bytesOf,
  cameraInfoMessage,
  compressedMessage,
  imageMessage,
  inMetres,
  type SchemaName,
  type Stamp,
} from "./ros2.ts";
import { inUnits } from "./units.ts";

/** How an image is compressed, where that is not the container's work: `undefined` writes it as it is. */
export interface ImageCodecs {
  /** The name ROS has for it, and the code. */
  readonly depth?: { readonly name: "png" | "rvl"; encode(depth: DepthArray): Promise<Uint8Array> } | undefined;
  /** A PNG of the colour image; without it colour is written as it is. */
  readonly color?: ((color: ColorArray) => Promise<Uint8Array>) | undefined;
}

/** A topic of ours. */
export interface Topic {
  readonly topic: string;
  readonly schema: SchemaName;
  /** What the schema has no place for. */
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface TopicMessage {
  readonly topic: Topic;
  readonly data: Uint8Array;
}

const MILLIMETRES = 0.001;

/** The key of the channel's metadata that says the unit in which depth comes back exactly. */
export const UNIT_KEY = "metresPerUnit";

/**
 * A frame as messages: its lens, colour and colour's lens, and depth, which comes last, so that whoever has that has all.
 * Names are those that ROS gives to images and their lens, side by side.
 *
 * Depth of millimetres is 16UC1, as REP 118 has it. Other units are written as metres, so that nobody takes them for
 * millimetres, with the unit beside them: who knows it gets the same numbers back.
 */
export class FrameMessages {
  readonly #codecs: ImageCodecs;
  #unit: number | undefined;

  constructor(codecs: ImageCodecs = {}) {
    this.#codecs = codecs;
  }

  /** Of the first frame; later ones are turned into it. */
  get metresPerUnit(): number | undefined {
    return this.#unit;
  }

  /** `depth` stands in for the frame's own: the filtered one. */
  async of(frame: DepthFrame, stamp: Stamp, depth: DepthArray = frame.depth): Promise<TopicMessage[]> {
    this.#unit ??= frame.metresPerUnit;
    const unit = this.#unit;
    const lens = cameraInfoMessage(stamp, frame.intrinsics);
    const colored = frame.color && this.#color(stamp, frame.color);
    const measured = this.#depth(stamp, inUnits({ ...frame, depth }, unit), unit);
    const messages: TopicMessage[] = [{ topic: topics.depthInfo, data: lens }];
    if (colored) messages.push({ topic: topics.colorInfo, data: lens }, await colored);
    messages.push(await measured);
    return messages;
  }

  async #depth(stamp: Stamp, depth: DepthArray, unit: number): Promise<TopicMessage> {
    const { shape, data } = depth;
    const topic = { ...topics.depth, metadata: { [UNIT_KEY]: String(unit) } };
    if (unit !== MILLIMETRES) {
      return { topic, data: imageMessage(stamp, "32FC1", shape, bytesOf(inMetres(depth, unit))) };
    }
    const codec = this.#codecs.depth;
    if (!codec) return { topic, data: imageMessage(stamp, "16UC1", shape, bytesOf(data)) };
    const packed = await codec.encode(depth);
    // The header of compressedDepth: a number and two parameters that depth in whole millimetres has no use for; rvl adds the size.
    const header = new Uint32Array(codec.name === "rvl" ? [0, 0, 0, shape[1], shape[0]] : [0, 0, 0]);
    const payload = new Uint8Array(header.byteLength + packed.length);
    payload.set(new Uint8Array(header.buffer));
    payload.set(packed, header.byteLength);
    const compressed = { ...topic, ...topics.compressedDepth };
    return { topic: compressed, data: compressedMessage(stamp, `16UC1; compressedDepth ${codec.name}`, payload) };
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

/** Every topic that a frame can be in. */
export const topics = {
  depth: { topic: "/depth/image", schema: "sensor_msgs/msg/Image" },
  compressedDepth: { topic: "/depth/image/compressedDepth", schema: "sensor_msgs/msg/CompressedImage" },
  depthInfo: { topic: "/depth/camera_info", schema: "sensor_msgs/msg/CameraInfo" },
  color: { topic: "/color/image", schema: "sensor_msgs/msg/Image" },
  compressedColor: { topic: "/color/image/compressed", schema: "sensor_msgs/msg/CompressedImage" },
  colorInfo: { topic: "/color/camera_info", schema: "sensor_msgs/msg/CameraInfo" },
} as const satisfies Record<string, Topic>;
