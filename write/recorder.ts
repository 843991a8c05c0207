import { callable, checkArgument, checkOptions, flag, having, type Rule, whole } from "../core/check.ts";
import { checkFrame } from "../core/checkFrame.ts";
import type { DepthArray } from "../core/frame.ts";
import { release } from "../core/release.ts";
import { SourceError } from "../core/source.ts";
import type { WholeFrame } from "../core/withExtras.ts";
import { FrameMessages, type ImageCodecs, type Topic, UNIT_KEY } from "./frameMessages.ts";
import { type Losses, lossesRule } from "./losses.ts";
import { McapChunks } from "./mcapChunks.ts";
import { definitions, float64Message, nanosecondsOf, type SchemaName, stampOf, stringMessage } from "./ros2.ts";
import type { CompressChunk, Sink } from "./sink.ts";

export type { CompressChunk, Sink } from "./sink.ts";

export const LIBRARY = "depthloom";

/** How `McapRecorder` packs images and chunks. */
export interface RecorderOptions extends ImageCodecs {
  /** Compresses a chunk. */
  readonly compressChunk?: CompressChunk;
  /** Bytes of messages per chunk: the most that a killed recorder loses. One frame is enough to fill a chunk. */
  readonly chunkSize?: number;
  /** Counts what cannot be kept. */
  readonly losses?: Losses | undefined;
}

const rules = {
  ...{
    compressChunk: callable,
    chunkSize: whole(1),
    losses: lossesRule,
    packDepth: callable,
    points: flag,
    color: callable,
  },
  depth: { expects: "an encoder of depth", holds: (value) => callable.holds(Object(value).encode) },
} satisfies Record<keyof RecorderOptions, Rule>;

/** Half a second of small images, or one large frame. */
const CHUNK_SIZE = 1 << 19;

const SETTINGS: Topic = { topic: "/depthloom/settings", schema: "std_msgs/msg/String" };
const latencyOf = (name: string): Topic => ({ topic: `/depthloom/latency/${name}`, schema: "std_msgs/msg/Float64" });

/**
 * Writes frames to MCAP as ROS 2 messages, chunk by chunk. Whatever stops the recorder, the file plays up to its last complete chunk.
 *
 *     /depth/image, /depth/camera_info      every frame; a depth message's sequence is the frame's index
 *     /color/image/compressed, …            where there is colour, registered to depth and so with depth's intrinsics
 *     /depth/metadata, /infrared/image      the notes of the camera's driver, and the infrared image, where a frame has them
 *     /accel/imu, /gyro/imu                 what inertial sensors measured, of recordings that are converted
 *     /tf                                   where the camera is, where that is known
 *     /depthloom/settings                   the stages and their parameters, JSON in a string
 *     /depthloom/latency/<stage>            ms, of timed frames
 *
 * Calls may overlap; they are carried out one after the other.
 */
export class McapRecorder {
  /** The number of frames written. */
  frames = 0;
  /** The number of these whose chunks are in the file, so that no crash loses them. */
  kept = 0;
  readonly #writer: McapChunks;
  readonly #messages: FrameMessages;
  readonly #schemas = new Map<SchemaName, number>();
  readonly #channels = new Map<string, number>();
  #before: Promise<unknown>;
  #lastMs = 0;
  #ended: Promise<void> | undefined;

  constructor(
    /** Takes the bytes of the file. */
    readonly sink: Sink,
    options: RecorderOptions = {},
  ) {
    checkArgument("McapRecorder", "the sink", having("what has write and position", "write", "position"), sink);
    checkOptions("McapRecorder", options, rules);
    const { compressChunk, chunkSize = CHUNK_SIZE, losses, ...codecs } = options;
    this.#writer = new McapChunks(sink, chunkSize, compressChunk);
    this.#messages = new FrameMessages(codecs, losses);
    this.#before = this.#writer.start("ros2", LIBRARY);
    this.#before.catch(() => {});
  }

  /**
   * Writes a frame; resolves when its chunk has taken it. `depth` replaces the frame's own. A frame that cannot be encoded rejects, and is
   * left out of the file.
   */
  frame(frame: WholeFrame, depth?: DepthArray): Promise<void> {
    // Encoding starts at once, while the frame before is being written.
    const encoded = (async () => {
      checkFrame(depth ? { ...frame, depth } : frame);
      return this.#messages.of(frame, stampOf(frame.timestamp), depth);
    })();
    encoded.catch(() => {});
    const done = this.#next(async () => {
      const messages = await encoded.catch(() => undefined);
      if (!messages) return;
      let kept = false;
      for (const { topic, data, ms = frame.timestamp } of messages) {
        kept = await this.#add(topic, data, ms, frame.index);
        // A message that has filled its chunk is in the file, packed, and nobody else has its memory.
        if (kept && this.#writer.compress) release(data);
      }
      this.#lastMs = frame.timestamp;
      this.frames++;
      if (kept) this.kept = this.frames;
    }).then(async () => void (await encoded));
    done.catch(() => {});
    return done;
  }

  /** Writes the stages' settings, with the time of the last frame. */
  settings(value: unknown): Promise<void> {
    return this.#next(async () => void (await this.#add(SETTINGS, stringMessage(JSON.stringify(value)), this.#lastMs)));
  }

  /** Writes how many ms each stage took for a frame. */
  latency(timestamp: number, stages: readonly { readonly name: string; readonly ms: number }[]): Promise<void> {
    return this.#next(async () => {
      for (const { name, ms } of stages) await this.#add(latencyOf(name), float64Message(ms), timestamp);
    });
  }

  /** Writes the index, and takes nothing afterwards. A file without it can be read only by scanning it from its start. */
  end(): Promise<void> {
    this.#ended ??= this.#next(async () => {
      await this.#writer.end();
      this.kept = this.frames;
    });
    return this.#ended;
  }

  /** Writes a message unchanged, for one that was written to another file before. */
  copy(topic: Topic, data: Uint8Array, nanoseconds: bigint, sequence: number): Promise<void> {
    const unit = topic.metadata?.[UNIT_KEY];
    // The frames that follow keep to it.
    if (unit !== undefined) this.#messages.metresPerUnit = Number(unit);
    // Readers use their memory again.
    const own = data.slice();
    return this.#next(async () => void (await this.#message(topic, own, nanoseconds, sequence)));
  }

  #next(work: () => Promise<void>): Promise<void> {
    if (this.#ended) return Promise.reject(new SourceError("this recording has ended: it takes nothing more"));
    const done = this.#before.then(work);
    this.#before = done;
    done.catch(() => {});
    return done;
  }

  #add(topic: Topic, data: Uint8Array, ms: number, sequence = 0): Promise<boolean> {
    return this.#message(topic, data, nanosecondsOf(stampOf(ms)), sequence);
  }

  /** Writes a message. Resolves to true when its chunk was full and is in the file. */
  async #message(topic: Topic, data: Uint8Array, time: bigint, sequence: number): Promise<boolean> {
    const before = this.sink.position();
    const channelId = this.#channels.get(topic.topic) ?? this.#register(topic);
    // The sequence number is a u32.
    await this.#writer.message({ channelId, sequence: sequence >>> 0, logTime: time, publishTime: time, data });
    const isFull = this.sink.position() > before;
    if (isFull) this.kept = this.frames;
    return isFull;
  }

  #register({ topic, schema, metadata = {} }: Topic): number {
    let schemaId = this.#schemas.get(schema);
    if (schemaId === undefined) {
      const data = new TextEncoder().encode(definitions[schema]);
      schemaId = this.#writer.schema({ name: schema, encoding: "ros2msg", data });
      this.#schemas.set(schema, schemaId);
    }
    const more = new Map(Object.entries(metadata));
    const channelId = this.#writer.channel({ schemaId, topic, messageEncoding: "cdr", metadata: more });
    this.#channels.set(topic, channelId);
    return channelId;
  }
}
