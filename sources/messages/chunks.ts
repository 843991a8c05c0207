import type { ParseBudget } from "../../core/parseBudget.ts";
import { release } from "../../core/release.ts";
import { SourceError } from "../../core/source.ts";
import { type Bytes, InflateError } from "../decode/codec.ts";
import { loadUnpacker, mostUnpacked } from "../decode/unpack.ts";
import type { ByteFile } from "../files/files.ts";
import { AT_ONCE, together } from "./places.ts";
import { STAMPS_READ } from "./stamps.ts";

/** A chunk of messages in a file (MCAP, ROS 1 bag), packed or not. */
export interface Chunk {
  /** The position and the number of the chunk's bytes in the file, packed. */
  readonly start: number;
  readonly length: number;
  /** "" for an unpacked chunk, else a compression that `loadUnpacker` knows. */
  readonly compression: string;
  /** The number of bytes after unpacking. */
  readonly size: number;
  /** The position, before `start`, of the CRC-32 of the unpacked bytes. Absent, or a CRC of 0, means that there is none to check. */
  readonly crcAt?: number;
}

/** The chunks used last stay unpacked: neighbouring frames mostly lie in one chunk, and their colour perhaps in the chunk before. */
const KEPT_CHUNKS = 3;
const KEPT_BYTES = 48 * 2 ** 20;

/** A chunk that is being unpacked or has been. */
interface Unpacked {
  readonly bytes: Promise<Bytes>;
  readonly size: number;
  /** The number of callers that work on the bytes. The memory is given back when nobody uses the chunk and it is no longer kept. */
  users: number;
  kept: boolean;
}

/** Reads and unpacks chunks, each once for consecutive messages. */
export class Chunks {
  readonly #kept = new Map<number, Unpacked>();

  constructor(
    readonly file: ByteFile,
    readonly list: readonly Chunk[],
    readonly crc32: (bytes: Uint8Array) => number,
  ) {}

  /**
   * Calls `use` with a chunk's bytes, which are valid until `use` is done. Unpacking spends `budget`; a caller that reads one frame, and so
   * needs one chunk, passes none. Throws a `SourceError`.
   */
  async use<T>(number: number, use: (bytes: Bytes) => T | Promise<T>, budget?: ParseBudget): Promise<T> {
    const chunk = this.#chunk(number, budget);
    chunk.users++;
    try {
      return await use(await chunk.bytes);
    } finally {
      chunk.users--;
      giveBack(chunk);
    }
  }

  #chunk(number: number, budget: ParseBudget | undefined): Unpacked {
    const chunk = this.#kept.get(number) ?? this.#begin(number, budget);
    // A `Map` keeps its order of insertion: the chunk used last moves to the end, the first is forgotten first.
    this.#kept.delete(number);
    this.#kept.set(number, chunk);
    this.#forget();
    return chunk;
  }

  #begin(number: number, budget: ParseBudget | undefined): Unpacked {
    const { length, size } = this.list[number];
    budget?.spend(length + size);
    const bytes = this.#unpack(this.list[number]);
    bytes.catch(() => this.#kept.delete(number));
    return { bytes, size, users: 0, kept: true };
  }

  #forget(): void {
    let bytes = [...this.#kept.values()].reduce((sum, { size }) => sum + size, 0);
    for (const [number, chunk] of this.#kept) {
      if (this.#kept.size <= 1 || (this.#kept.size <= KEPT_CHUNKS && bytes <= KEPT_BYTES)) return;
      this.#kept.delete(number);
      bytes -= chunk.size;
      chunk.kept = false;
      giveBack(chunk);
    }
  }

  async #unpack({ start, length, compression, size, crcAt = start }: Chunk): Promise<Bytes> {
    const where = `${this.file.name}, chunk at byte ${start}`;
    const most = mostUnpacked(length);
    if (size > most || length > most)
      throw new SourceError(
        `${where}: the chunk has ${length} bytes and unpacks to ${size}, and at most ${most} are read; record in smaller chunks`,
      );
    const unpack = compression === "" ? undefined : await loadUnpacker(compression);
    if (compression !== "" && !unpack)
      throw new SourceError(
        `${where}: its compression "${compression}" is not supported; convert the file to lz4 or zstd`,
      );
    const read = await this.file.read(crcAt, start - crcAt + length);
    const packed = read.subarray(start - crcAt);
    const crc =
      start - crcAt >= 4 && read.length >= 4 ? new DataView(read.buffer, read.byteOffset).getUint32(0, true) : 0;
    if (packed.length < length)
      throw new SourceError(`${where}: the file ends inside this chunk; copy or download it again`);
    try {
      const bytes = unpack ? unpack(packed, size) : packed;
      if (unpack) release(read);
      if (crc !== 0 && this.crc32(bytes) !== crc) throw new InflateError("its checksum is wrong");
      return bytes;
    } catch (error) {
      if (error instanceof InflateError) throw new SourceError(`${where}: ${error.message}; copy or download it again`);
      throw error;
    }
  }
}

/** How many bytes of a file are read for the first bytes of one message, on this machine and elsewhere. */
const BESIDE = 512;
const BESIDE_FAR = 2 ** 16;

/** Bounds reading the first bytes of all messages of some topics: chunks that are packed have to be unpacked as a whole. */
export class HeadBudget {
  #left = STAMPS_READ;

  constructor(
    readonly file: ByteFile,
    readonly list: readonly Chunk[],
  ) {}

  /** Calls `work` with each message's index; `numbers` has each message's chunk. Returns false, without calls, if that took too much. */
  async each(numbers: Int32Array, work: (index: number) => Promise<void>): Promise<boolean> {
    const packed = (chunk: number) => (this.list[chunk]?.compression ?? "") !== "";
    const chunks = [...new Set(numbers)].filter(packed);
    const beside = this.file.readSync ? BESIDE : BESIDE_FAR;
    this.#left -= chunks.reduce((sum, chunk) => sum + this.list[chunk].size, 0);
    this.#left -= beside * numbers.reduce((sum, chunk) => sum + Number(!packed(chunk)), 0);
    if (this.#left < 0) return false;
    await together(numbers.keys(), work, chunks.length > 0 ? 1 : AT_ONCE);
    return true;
  }
}

function giveBack({ bytes, users, kept }: Unpacked): void {
  // A chunk that could not be unpacked holds no memory.
  if (users === 0 && !kept) bytes.then(release, () => {});
}
