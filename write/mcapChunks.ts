import { crc32Final, crc32Init, crc32Update } from "@foxglove/crc";
import { McapRecordBuilder, type McapTypes, Opcode } from "@mcap/core";
import type { CompressChunk, Sink } from "./sink.ts";

type Records = McapTypes.TypedMcapRecords;

const NONE = new Uint8Array();
/** The bytes of a message's record without its length and its data, and of a footer before its checksum. */
const MESSAGE_HEAD = 22;
const FOOTER_HEAD = 25;

/**
 * Writes the bytes that @mcap/core's `McapWriter` writes, but holds no copy of a message: a chunk keeps the messages themselves until it is
 * packed, and what was packed is written as it is. (With `McapWriter` a large message is in memory three times, and what is packed four
 * times.) One call has to end before the next one.
 */
export class McapChunks {
  readonly #records = new McapRecordBuilder();
  readonly #schemas: Records["Schema"][] = [];
  readonly #channels: Records["Channel"][] = [];
  readonly #declared = new Set<object>();
  readonly #indexes: Records["ChunkIndex"][] = [];
  readonly #counts = new Map<number, bigint>();
  /** The chunk's bytes, their number, and the times and places of each channel's messages among them. */
  #parts: Uint8Array[] = [];
  #length = 0;
  readonly #places = new Map<number, [time: bigint, at: bigint][]>();
  #crc = crc32Init();

  constructor(
    readonly sink: Sink,
    readonly chunkSize: number,
    readonly compress: CompressChunk | undefined,
  ) {}

  async start(profile: string, library: string): Promise<void> {
    this.#records.writeMagic();
    await this.#write(this.#made((records) => records.writeHeader({ profile, library })));
  }

  /** Gives the schema's number. */
  schema(schema: Omit<Records["Schema"], "type" | "id">): number {
    return this.#schemas.push({ type: "Schema", id: this.#schemas.length + 1, ...schema });
  }

  /** Gives the channel's number. */
  channel(channel: Omit<Records["Channel"], "type" | "id">): number {
    return this.#channels.push({ type: "Channel", id: this.#channels.length, ...channel }) - 1;
  }

  /** Adds a message, whose data must not change until its chunk is written. Writes the chunk if it is full. */
  async message(message: Omit<Records["Message"], "type">): Promise<void> {
    const { channelId, logTime, data } = message;
    const channel = this.#channels[channelId];
    const schema = this.#schemas[channel.schemaId - 1];
    if (!this.#declared.has(schema)) this.#add(this.#made((records) => records.writeSchema(schema)));
    if (!this.#declared.has(channel)) this.#add(this.#made((records) => records.writeChannel(channel)));
    this.#declared.add(schema).add(channel);
    this.#counts.set(channelId, (this.#counts.get(channelId) ?? 0n) + 1n);
    const places = this.#places.get(channelId) ?? [];
    places.push([logTime, BigInt(this.#length)]);
    this.#places.set(channelId, places);
    const head = this.#made((records) => records.writeMessage({ ...message, data: NONE }));
    new DataView(head.buffer).setBigUint64(1, BigInt(MESSAGE_HEAD + data.byteLength), true);
    this.#add(head, data);
    if (this.#length > this.chunkSize) await this.#endChunk();
  }

  /** Writes the last chunk and the index. */
  async end(): Promise<void> {
    await this.#endChunk();
    const dataSectionCrc = crc32Final(this.#crc);
    await this.#write(this.#made((records) => records.writeDataEnd({ dataSectionCrc })));
    this.#crc = crc32Init();
    const summaryStart = this.sink.position();
    const counts = {
      ...{ schemaCount: this.#schemas.length, channelCount: this.#channels.length, chunkCount: this.#indexes.length },
      ...{ messageCount: [...this.#counts.values()].reduce((sum, count) => sum + count, 0n) },
      ...{ channelMessageCounts: this.#counts, attachmentCount: 0, metadataCount: 0 },
    };
    const times = timesOf(
      this.#indexes.flatMap(({ messageStartTime, messageEndTime }) => [messageStartTime, messageEndTime]),
    );
    const groups: [Opcode, (records: McapRecordBuilder) => unknown][] = [
      [Opcode.SCHEMA, (records) => this.#schemas.map((one) => records.writeSchema(one))],
      [Opcode.CHANNEL, (records) => this.#channels.map((one) => records.writeChannel(one))],
      [Opcode.STATISTICS, (records) => records.writeStatistics({ ...counts, ...times })],
      [Opcode.CHUNK_INDEX, (records) => this.#indexes.map((one) => records.writeChunkIndex(one))],
    ];
    const offsets: Parameters<McapRecordBuilder["writeSummaryOffset"]>[0][] = [];
    for (const [groupOpcode, write] of groups) {
      const [groupStart, bytes] = [this.sink.position(), this.#made(write)];
      if (bytes.length > 0) offsets.push({ groupOpcode, groupStart, groupLength: BigInt(bytes.length) });
      await this.#write(bytes);
    }
    const summaryOffsetStart = this.sink.position();
    await this.#write(this.#made((records) => offsets.map((one) => records.writeSummaryOffset(one))));
    this.#records.writeFooter({ summaryStart, summaryOffsetStart, summaryCrc: 0 });
    const last = this.#made((records) => records.writeMagic());
    const summaryCrc = crc32Final(crc32Update(this.#crc, last.subarray(0, FOOTER_HEAD)));
    new DataView(last.buffer).setUint32(FOOTER_HEAD, summaryCrc, true);
    await this.#write(last);
  }

  #made(write: (records: McapRecordBuilder) => unknown): Uint8Array {
    write(this.#records);
    const bytes = this.#records.buffer;
    this.#records.reset();
    return bytes;
  }

  #add(...parts: Uint8Array[]): void {
    this.#parts.push(...parts);
    this.#length += bytesOf(parts);
  }

  async #endChunk(): Promise<void> {
    if (this.#places.size === 0) return;
    const uncompressedSize = BigInt(this.#length);
    const uncompressedCrc = crc32Final(this.#parts.reduce(crc32Update, crc32Init()));
    const { compression, compressedData } = this.compress?.(this.#parts) ?? { compression: "" };
    const packed = compressedData ? [compressedData] : this.#parts;
    const compressedSize = BigInt(bytesOf(packed));
    const times = timesOf([...this.#places.values()].flatMap((places) => places.map(([time]) => time)));
    const chunk = { ...times, uncompressedSize, uncompressedCrc, compression, records: NONE };
    const head = this.#made((records) => records.writeChunk(chunk));
    const view = new DataView(head.buffer);
    view.setBigUint64(1, view.getBigUint64(1, true) + compressedSize, true);
    view.setBigUint64(head.length - 8, compressedSize, true);
    const chunkStartOffset = this.sink.position();
    for (const part of [head, ...packed]) await this.#write(part);
    const indexStart = this.sink.position();
    const messageIndexOffsets = new Map<number, bigint>();
    for (const [channelId, records] of this.#places) {
      messageIndexOffsets.set(channelId, indexStart + BigInt(this.#records.length));
      this.#records.writeMessageIndex({ channelId, records });
    }
    const index = this.#made(() => {});
    const sizes = { compressedSize, uncompressedSize, messageIndexLength: BigInt(index.length) };
    const places = { chunkStartOffset, chunkLength: indexStart - chunkStartOffset, messageIndexOffsets };
    this.#indexes.push({ type: "ChunkIndex", compression, ...times, ...sizes, ...places });
    [this.#parts, this.#length] = [[], 0];
    this.#places.clear();
    await this.#write(index);
  }

  async #write(bytes: Uint8Array): Promise<void> {
    this.#crc = crc32Update(this.#crc, bytes);
    await this.sink.write(bytes);
  }
}

const bytesOf = (parts: readonly Uint8Array[]): number => parts.reduce((sum, { byteLength }) => sum + byteLength, 0);

/** The least and the greatest time; 0 without any. */
function timesOf([first = 0n, ...times]: readonly bigint[]) {
  let [messageStartTime, messageEndTime] = [first, first];
  for (const time of times) {
    if (time < messageStartTime) messageStartTime = time;
    if (time > messageEndTime) messageEndTime = time;
  }
  return { messageStartTime, messageEndTime };
}
