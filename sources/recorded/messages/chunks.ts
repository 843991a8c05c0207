import { type Bytes, InflateError } from "../../decode/codec.ts";
import { loadUnpacker, MAX_UNPACKED } from "../../decode/unpack.ts";
import { SourceError } from "../../source.ts";
import type { ByteFile } from "../files/files.ts";
import { release } from "../files/release.ts";

/** A chunk of messages in a file. */
export interface Chunk {
  /** Where its (packed) bytes begin, and how many there are. */
  readonly start: number;
  readonly length: number;
  /** "" for none, else a name that `loadUnpacker` knows. */
  readonly compression: string;
  /** Bytes unpacked. */
  readonly size: number;
  /** Where in the file, before `start`, the CRC-32 of the unpacked bytes is; 0 there, or no such place, is none. */
  readonly crcAt?: number;
}

/** What was unpacked last is kept: frames that follow each other lie in one chunk, colour perhaps in the one before. */
const KEPT_CHUNKS = 3;
const KEPT_BYTES = 48 * 2 ** 20;

/** A chunk that was read. */
interface Unpacked {
  readonly bytes: Promise<Bytes>;
  readonly size: number;
  /** Who works on it: with the last one, or with its being forgotten, whichever comes later, its memory is given back. */
  users: number;
  kept: boolean;
}

/** Reads chunks, each once while its neighbours are asked for. */
export class Chunks {
  readonly #kept = new Map<number, Unpacked>();

  constructor(
    readonly file: ByteFile,
    readonly list: readonly Chunk[],
    readonly crc32: (bytes: Uint8Array) => number,
  ) {}

  /** A chunk's bytes, unpacked, to be kept in part or as a whole. Throws a `SourceError`. */
  read(number: number): Promise<Bytes> {
    const chunk = this.#chunk(number);
    chunk.users = Number.POSITIVE_INFINITY;
    return chunk.bytes;
  }

  /** Has `use` work on a chunk's bytes, which last as long as that takes. Throws a `SourceError`. */
  async use<T>(number: number, use: (bytes: Bytes) => T | Promise<T>): Promise<T> {
    const chunk = this.#chunk(number);
    chunk.users++;
    try {
      return await use(await chunk.bytes);
    } finally {
      chunk.users--;
      giveBack(chunk);
    }
  }

  #chunk(number: number): Unpacked {
    const chunk = this.#kept.get(number) ?? this.#begin(number);
    // The last one asked for goes last.
    this.#kept.delete(number);
    this.#kept.set(number, chunk);
    this.#forget();
    return chunk;
  }

  #begin(number: number): Unpacked {
    const bytes = this.#unpack(this.list[number]);
    bytes.catch(() => this.#kept.delete(number));
    return { bytes, size: this.list[number].size, users: 0, kept: true };
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
    if (size > MAX_UNPACKED || length > MAX_UNPACKED) {
      throw new SourceError(
        `${where}: ${Math.max(size, length)} bytes in one chunk are more than the 256 MiB that are read`,
      );
    }
    const unpack = compression === "" ? undefined : await loadUnpacker(compression);
    if (compression !== "" && !unpack) {
      throw new SourceError(`${where}: it is packed by "${compression}", which is not read; convert it to lz4 or zstd`);
    }
    const read = await this.file.read(crcAt, start - crcAt + length);
    const packed = read.subarray(start - crcAt);
    const crc =
      start - crcAt >= 4 && read.length >= 4 ? new DataView(read.buffer, read.byteOffset).getUint32(0, true) : 0;
    if (packed.length < length) throw new SourceError(`${where}: the file ends in it; copy or download it again`);
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

function giveBack({ bytes, users, kept }: Unpacked): void {
  // What could not be read holds nothing.
  if (users === 0 && !kept) bytes.then(release, () => {});
}
