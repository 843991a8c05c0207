import { McapIndexedReader } from "@mcap/core";
import { SourceError } from "../../source.ts";
import type { ByteFile } from "../files/files.ts";
import type { Chunk } from "../messages/chunks.ts";
import { type Channel, PREFIX, type Schema } from "./records.ts";

/** Where everything lies in an MCAP file. */
export interface Layout {
  readonly schemas: Map<number, Schema>;
  readonly channels: Map<number, Channel>;
  readonly chunks: Chunk[];
  /** Of each chunk: where the list of each channel's messages begins; `undefined` where the chunk has no such lists. */
  readonly lists: (ReadonlyMap<number, number> | undefined)[];
  /** Messages that lie in no chunk, by their channels: times in ns and where their records begin. */
  readonly loose: Map<number, { time: bigint; at: number }[]>;
  /** How many messages each channel has, but for those in chunks without lists. */
  readonly counts: Map<number, number>;
  readonly warnings: string[];
}

/** More is no summary, of however large a file: ten days at 30 Hz, a chunk a second. */
const MAX_SUMMARY = 128 * 2 ** 20;

/** The layout as the file's summary has it; `undefined` where there is none, or none that can be used. */
export async function summaryOf(file: ByteFile): Promise<Layout | undefined> {
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
    // The disk may fail as well; but a summary that makes no sense is one that is not there.
    if (error instanceof SourceError) throw error;
    return undefined;
  }
  const { statistics, chunkIndexes, schemasById, channelsById } = reader;
  // Without them, or with messages outside of chunks, each record has to be passed by anyway.
  if (!statistics || (chunkIndexes.length === 0 && statistics.messageCount > 0n)) return undefined;
  const sorted = [...chunkIndexes].sort((a, b) => Number(a.chunkStartOffset - b.chunkStartOffset));
  const chunks = sorted.map((index): Chunk => {
    const content = Number(index.chunkStartOffset) + PREFIX;
    const length = Number(index.compressedSize);
    const start = content + 40 + new TextEncoder().encode(index.compression).length;
    return { start, length, compression: index.compression, size: Number(index.uncompressedSize), crcAt: content + 24 };
  });
  if (chunks.some(({ start, length }) => start + length > file.size)) return undefined;
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
