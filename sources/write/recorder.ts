import { McapWriter, type McapWriterOptions } from "@mcap/core";
import type { DepthArray, DepthFrame } from "../frame.ts";
import { FrameMessages, type ImageCodecs, type Topic } from "./frameMessages.ts";
import { definitions, float64Message, nanosecondsOf, type SchemaName, stampOf, stringMessage } from "./ros2.ts";

export const LIBRARY = "depthloom";

/** Where the bytes go. What `write` was given is whole in the file when it resolves. */
export type Sink = McapWriterOptions["writable"];

export interface RecorderOptions extends ImageCodecs {
  readonly compressChunk?: McapWriterOptions["compressChunk"];
  /** Bytes of messages in a chunk: what a recorder that is killed loses at most. One frame is enough to fill it. */
  readonly chunkSize?: number;
}

/** Half a second of small images, or one large frame. */
const CHUNK_SIZE = 1 << 19;

const SETTINGS: Topic = { topic: "/depthloom/settings", schema: "std_msgs/msg/String" };
const latencyOf = (name: string): Topic => ({ topic: `/depthloom/latency/${name}`, schema: "std_msgs/msg/Float64" });

/**
 * Writes frames to MCAP, as ROS 2's messages, chunk by chunk: whatever stops it, the file plays to its last whole chunk.
 *
 *     /depth/image, /depth/camera_info      every frame; a depth message's sequence is the frame's index
 *     /color/image/compressed, …            where there is colour, registered to depth and so with depth's lens
 *     /depthloom/settings                   the stages and their parameters, JSON in a string
 *     /depthloom/latency/<stage>            ms, of timed frames
 *
 * Calls may overlap; they are done one after the other.
 */
export class McapRecorder {
  /** Frames that were written. */
  frames = 0;
  /** Those of them whose chunks are in the file: they last, whatever comes. */
  kept = 0;
  readonly #writer: McapWriter;
  readonly #messages: FrameMessages;
  readonly #schemas = new Map<SchemaName, number>();
  readonly #channels = new Map<string, number>();
  #before: Promise<unknown>;
  #lastMs = 0;

  constructor(
    readonly sink: Sink,
    { compressChunk, chunkSize = CHUNK_SIZE, ...codecs }: RecorderOptions = {},
  ) {
    this.#writer = new McapWriter({ writable: sink, chunkSize, ...(compressChunk && { compressChunk }) });
    this.#messages = new FrameMessages(codecs);
    this.#before = this.#writer.start({ profile: "ros2", library: LIBRARY });
    this.#before.catch(() => {});
  }

  /** Resolves when the frame is handed over to its chunk. `depth` stands in for the frame's own. */
  frame(frame: DepthFrame, depth?: DepthArray): Promise<void> {
    const stamp = stampOf(frame.timestamp);
    // Images are encoded while the one before is being written.
    const encoded = this.#messages.of(frame, stamp, depth);
    encoded.catch(() => {});
    return this.#next(async () => {
      let kept = false;
      for (const { topic, data } of await encoded) kept = await this.#add(topic, data, frame.timestamp, frame.index);
      this.#lastMs = frame.timestamp;
      this.frames++;
      if (kept) this.kept = this.frames;
    });
  }

  /** At the time of the last frame. */
  settings(value: unknown): Promise<void> {
    return this.#next(async () => void (await this.#add(SETTINGS, stringMessage(JSON.stringify(value)), this.#lastMs)));
  }

  /** What each stage of a frame took. */
  latency(timestamp: number, stages: readonly { readonly name: string; readonly ms: number }[]): Promise<void> {
    return this.#next(async () => {
      for (const { name, ms } of stages) await this.#add(latencyOf(name), float64Message(ms), timestamp);
    });
  }

  /** Writes the index: without it the file can be read from its start only. */
  end(): Promise<void> {
    return this.#next(async () => {
      await this.#writer.end();
      this.kept = this.frames;
    });
  }

  /** A message as it is, for one that was written before. */
  copy(topic: Topic, data: Uint8Array, nanoseconds: bigint, sequence: number): Promise<void> {
    return this.#next(async () => void (await this.#message(topic, data, nanoseconds, sequence)));
  }

  #next(work: () => Promise<void>): Promise<void> {
    const done = this.#before.then(work);
    this.#before = done;
    done.catch(() => {});
    return done;
  }

  #add(topic: Topic, data: Uint8Array, ms: number, sequence = 0): Promise<boolean> {
    return this.#message(topic, data, nanosecondsOf(stampOf(ms)), sequence);
  }

  /** Whether its chunk was full with it, and is in the file. */
  async #message(topic: Topic, data: Uint8Array, time: bigint, sequence: number): Promise<boolean> {
    const before = this.sink.position();
    const channelId = this.#channels.get(topic.topic) ?? (await this.#register(topic));
    // The sequence is a u32.
    await this.#writer.addMessage({ channelId, sequence: sequence >>> 0, logTime: time, publishTime: time, data });
    const isFull = this.sink.position() > before;
    if (isFull) this.kept = this.frames;
    return isFull;
  }

  async #register({ topic, schema, metadata = {} }: Topic): Promise<number> {
    let schemaId = this.#schemas.get(schema);
    if (schemaId === undefined) {
      const data = new TextEncoder().encode(definitions[schema]);
      schemaId = await this.#writer.registerSchema({ name: schema, encoding: "ros2msg", data });
      this.#schemas.set(schema, schemaId);
    }
    const more = new Map(Object.entries(metadata));
    const channelId = await this.#writer.registerChannel({ schemaId, topic, messageEncoding: "cdr", metadata: more });
    this.#channels.set(topic, channelId);
    return channelId;
  }
}
