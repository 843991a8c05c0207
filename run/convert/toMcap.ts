import { createReadStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { McapStreamReader, type McapTypes } from "@mcap/core";
import type { WholeFrame } from "../../core/withExtras.ts";
import { loadUnpacker } from "../../sources/decode/unpack.ts";
import { topics } from "../../write/frameMessages.ts";
import { eachFrame, type Writable, type WriteOptions } from "../../write/frames.ts";
import { type DepthCodec, type McapFile, recordMcap } from "../../write/mcap.ts";
import type { McapRecorder } from "../../write/recorder.ts";
import type { SchemaName } from "../../write/ros2.ts";
import type { Unreadable } from "../unreadable.ts";

/** An MCAP file that goes on after the complete frames of an unfinished one. */
export interface ResumedMcap extends McapFile {
  /** How many frames there were, and the index of the last one; -1 without any. */
  readonly had: number;
  readonly last: number;
}

/** Opens an MCAP file. The complete frames of an unfinished one are copied into a new file, which replaces it once it has them all. */
export async function resumeMcap(path: string, options: Parameters<typeof recordMcap>[1]): Promise<ResumedMcap> {
  const begun = await stat(path).catch(() => undefined);
  const fresh = `${path}.next`;
  await rm(fresh, { force: true });
  const file = await recordMcap(begun ? fresh : path, options);
  if (!begun) return { ...file, had: 0, last: -1 };
  try {
    const copied = await copyFrames(path, file.recorder);
    await rename(fresh, path);
    return { ...file, ...copied };
  } catch (error) {
    await file.close().catch(() => {});
    throw error;
  }
}

/** Writes a recording as MCAP; in an unfinished file, after the frames that it has. Returns the number of frames then in the file. */
export async function writeMcap(
  recording: Writable,
  path: string,
  { codec, points }: { readonly codec: DepthCodec; readonly points?: boolean | undefined },
  { unreadable, ...options }: WriteOptions & { readonly unreadable?: Unreadable },
): Promise<number> {
  const { recorder, close, had } = await resumeMcap(path, { codec, points, losses: options.losses });
  let done = had;
  try {
    const write = async (frame: WholeFrame) => {
      await recorder.frame(frame);
      done++;
    };
    const rest = unreadable?.after(options, done) ?? { ...options, done };
    return await eachFrame(recording, rest, write, ["metadata", "infrared", "motion"]);
  } catch (error) {
    if (options.signal?.aborted && error === options.signal.reason) return done;
    throw error;
  } finally {
    await close();
  }
}

const DEPTH = new Set<string>([topics.depth.topic, topics.compressedDepth.topic, topics.packedDepth.topic]);

/** Copies complete frames: depth is a frame's last message. */
async function copyFrames(path: string, recorder: McapRecorder): Promise<Pick<ResumedMcap, "had" | "last">> {
  const zstd = await loadUnpacker("zstd");
  const reader = new McapStreamReader({
    decompressHandlers: { ...(zstd && { zstd: (data: Uint8Array, size: bigint) => zstd(data, Number(size)) }) },
  });
  const schemas = new Map<number, string>();
  const channels = new Map<number, McapTypes.Channel>();
  let waiting: McapTypes.TypedMcapRecords["Message"][] = [];
  let [had, last] = [0, -1];
  for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) {
    reader.append(piece);
    for (let record = reader.nextRecord(); record; record = reader.nextRecord()) {
      if (record.type === "Schema") schemas.set(record.id, record.name);
      if (record.type === "Channel") channels.set(record.id, record);
      if (record.type !== "Message") continue;
      waiting.push(record);
      if (!DEPTH.has(channels.get(record.channelId)?.topic ?? "")) continue;
      for (const { channelId, data, logTime, sequence } of waiting) {
        const channel = channels.get(channelId);
        if (!channel) continue;
        const schema = schemas.get(channel.schemaId) as SchemaName;
        const topic = { topic: channel.topic, schema, metadata: Object.fromEntries(channel.metadata) };
        await recorder.copy(topic, data, logTime, sequence);
      }
      waiting = [];
      had++;
      last = record.sequence;
    }
  }
  return { had, last };
}
