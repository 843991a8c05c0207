import { type Bytes, InflateError } from "../../decode/codec.ts";
import { loadUnpacker, MAX_UNPACKED } from "../../decode/unpack.ts";
import { SourceError } from "../../source.ts";
import type { ByteFile } from "../files/files.ts";

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

/** Reads chunks, each once while its neighbours are asked for. */
export class Chunks {
  readonly #kept = new Map<number, Promise<Bytes>>();
  readonly #sizes = new Map<number, number>();

  constructor(
    readonly file: ByteFile,
    readonly list: readonly Chunk[],
    readonly crc32: (bytes: Uint8Array) => number,
  ) {}

  /** A chunk's bytes, unpacked. Throws a `SourceError`. */
  read(number: number): Promise<Bytes> {
    const kept = this.#kept.get(number);
    if (kept) {
      // The last one asked for goes last.
      this.#kept.delete(number);
      this.#kept.set(number, kept);
      return kept;
    }
    const reading = this.#unpack(this.list[number]);
    this.#kept.set(number, reading);
    this.#sizes.set(number, this.list[number].size);
    reading.catch(() => this.#kept.delete(number));
    this.#forget();
    return reading;
  }

  #forget(): void {
    let bytes = [...this.#kept.keys()].reduce((sum, number) => sum + (this.#sizes.get(number) ?? 0), 0);
    for (const number of this.#kept.keys()) {
      if (this.#kept.size <= 1 || (this.#kept.size <= KEPT_CHUNKS && bytes <= KEPT_BYTES)) return;
      this.#kept.delete(number);
      bytes -= this.#sizes.get(number) ?? 0;
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
      if (crc !== 0 && this.crc32(bytes) !== crc) throw new InflateError("its checksum is wrong");
      return bytes;
    } catch (error) {
      if (error instanceof InflateError) throw new SourceError(`${where}: ${error.message}; copy or download it again`);
      throw error;
    }
  }
}
