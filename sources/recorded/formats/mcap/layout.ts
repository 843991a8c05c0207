import { McapIndexedReader } from "@mcap/core";
import { SourceError } from "../../../../core/source.ts";
import type { ByteFile } from "../../../files/files.ts";
import type { Chunk } from "../../../messages/chunks.ts";
import type { PlaceList } from "../../../messages/places.ts";
import { type Channel, PREFIX, type Schema } from "./records.ts";

/** The positions of everything in an MCAP file. */
export interface McapLayout {
  readonly schemas: Map<number, Schema>;
  readonly channels: Map<number, Channel>;
  readonly chunks: Chunk[];
  /** For each chunk, where the index list of each channel's messages begins; `undefined` where the chunk has no such lists. */
  readonly lists: (ReadonlyMap<number, number> | undefined)[];
  /** The positions of messages outside chunks, by channel. */
  readonly loose: Map<number, PlaceList>;
  /** The number of messages per channel, without those in chunks that have no lists. */
  readonly counts: Map<number, number>;
  readonly warnings: string[];
}

/** The most bytes of a summary, enough for ten days at 30 Hz with a chunk per second. */
const MAX_SUMMARY = 128 * 2 ** 20;

/** Reads the layout from the file's summary; `undefined` where the file has no usable summary. */
export async function summaryOf(file: ByteFile): Promise<McapLayout | undefined> {
  const readable = {
    size: async () => BigInt(file.size),
    async read(offset: bigint, size: bigint) {
      const [at, length] = [Number(offset), Number(size)];
      if (length > MAX_SUMMARY || at + length > file.size) throw new RangeError("it leads out of the file");
      return file.read(at, length);
    },
  };
  let reader: McapIndexedReader;
  try {
    reader = await McapIndexedReader.Initialize({ readable });
  } catch (error) {
    // A failing disk is reported; a summary that makes no sense counts as missing.
    if (error instanceof SourceError) throw error;
    return undefined;
  }
  const { statistics, chunkIndexes, schemasById, channelsById } = reader;
  // Without statistics, or with messages outside chunks, every record has to be visited anyway.
  if (!statistics || (chunkIndexes.length === 0 && statistics.messageCount > 0n)) return undefined;
  const sorted = [...chunkIndexes].sort((a, b) => Number(a.chunkStartOffset - b.chunkStartOffset));
  const chunks = sorted.map((index): Chunk => {
    const content = Number(index.chunkStartOffset) + PREFIX;
    const length = Number(index.compressedSize);
    const start = content + 40 + new TextEncoder().encode(index.compression).length;
    return { start, length, compression: index.compression, size: Number(index.uncompressedSize), crcAt: content + 24 };
  });
  if (chunks.some(({ start, length }) => start + length > file.size)) return undefined;
  // No writer makes chunks that share bytes; their messages would be read and shown many times.
  if (chunks.some(({ start }, i) => i > 0 && start < chunks[i - 1].start + chunks[i - 1].length)) return undefined;
  return {
    schemas: new Map(schemasById),
    channels: new Map(channelsById),
    chunks,
    lists: sorted.map(({ messageIndexOffsets, messageIndexLength }) =>
      messageIndexLength === 0n
        ? undefined
        : new Map([...messageIndexOffsets].map(([channel, offset]) => [channel, Number(offset)])),
    ),
    loose: new Map(),
    counts: new Map([...statistics.channelMessageCounts].map(([channel, count]) => [channel, Number(count)])),
    warnings: [],
  };
}
