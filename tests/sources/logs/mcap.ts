import { McapWriter } from "@mcap/core";
import { lz4, zstandard } from "./compress.ts";
import { stamped, type Written } from "./messages.ts";

/** A message at a time in ms. */
export interface Entry {
  readonly topic: string;
  readonly time: number;
  readonly message: Written;
}

export interface McapShape {
  readonly compression?: "" | "lz4" | "zstd";
  readonly chunkSize?: number;
  readonly chunked?: boolean;
  /** Whether message indexes stand behind each chunk. */
  readonly lists?: boolean;
  /** Whether the file ends with a summary. */
  readonly summary?: boolean;
  /** The metadata of every topic. */
  readonly metadata?: Map<string, string>;
}

const COMPRESS = { lz4, zstd: zstandard };

/** An MCAP file, written by @mcap/core. */
export async function mcapOf(
  entries: readonly Entry[],
  {
    compression = "",
    chunkSize = 2048,
    chunked = true,
    lists = true,
    summary = true,
    metadata = new Map(),
  }: McapShape = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let position = 0;
  const writable = {
    async write(piece: Uint8Array) {
      pieces.push(piece.slice());
      position += piece.length;
    },
    position: () => BigInt(position),
  };
  const writer = new McapWriter({
    writable,
    chunkSize,
    useChunks: chunked,
    useMessageIndex: lists,
    useChunkIndex: summary,
    useStatistics: summary,
    useSummaryOffsets: summary,
    repeatChannels: summary,
    repeatSchemas: summary,
    ...(compression !== "" && {
      compressChunk: (data: Uint8Array) => ({ compression, compressedData: COMPRESS[compression](data) }),
    }),
  });
  await writer.start({ profile: "", library: "tests" });
  const schemas = new Map<string, number>();
  const channels = new Map<string, number>();
  for (const { topic, time, message } of entries) {
    const { schema: name, language: encoding, definition: data } = message;
    const schemaId = schemas.get(name) ?? (await writer.registerSchema({ name, encoding, data }));
    schemas.set(name, schemaId);
    const channelId =
      channels.get(topic) ??
      (await writer.registerChannel({ topic, schemaId, messageEncoding: message.encoding, metadata }));
    channels.set(topic, channelId);
    const logTime = BigInt(Math.round(time * 1e6));
    await writer.addMessage({ channelId, sequence: 0, logTime, publishTime: logTime, data: stamped(message, time) });
  }
  await writer.end();
  return new Uint8Array(Buffer.concat(pieces));
}
