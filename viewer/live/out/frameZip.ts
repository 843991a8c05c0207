import { Zip, ZipPassThrough } from "fflate";
import { PageSink } from "./pageSink.ts";

/** The limits of a .zip without extensions, which every program reads: bytes, and files. */
const MAX_BYTES = 2 ** 32 - 2 ** 24;
const MAX_FILES = 65_000;
/** The bytes that the archive itself adds for each file are fewer. */
const ENTRY_BYTES = 256;

/** A .zip of files, not compressed, since images do not get smaller. It is written as the files come. */
export class FrameZip {
  files = 0;
  bytes = 0;
  readonly #sink: PageSink;
  readonly #pieces: Uint8Array[] = [];
  readonly #zip = new Zip((error, piece) => {
    if (error) throw error;
    this.#pieces.push(piece);
  });

  /** `file`: where to write; `undefined` keeps the archive in memory. */
  constructor(file: FileSystemWritableFileStream | undefined) {
    this.#sink = new PageSink(file);
  }

  /** Why the archive has no room for a further file of this size; `undefined` while it has. */
  full(size: number): string | undefined {
    if (this.#sink.full) return "memory is full";
    const fits = this.files < MAX_FILES && this.bytes + size + ENTRY_BYTES * (this.files + 1) < MAX_BYTES;
    return fits ? undefined : `a .zip holds 4 GiB and ${MAX_FILES} files`;
  }

  async add(name: string, content: Blob): Promise<void> {
    const entry = new ZipPassThrough(name);
    this.#zip.add(entry);
    entry.push(new Uint8Array(await content.arrayBuffer()), true);
    this.files++;
    this.bytes += content.size;
    await this.#write();
  }

  /** Ends the archive; returns it, if it is in memory. */
  async end(): Promise<Blob | undefined> {
    this.#zip.end();
    await this.#write();
    return this.#sink.end();
  }

  async #write(): Promise<void> {
    for (const piece of this.#pieces.splice(0)) await this.#sink.write(piece as Uint8Array<ArrayBuffer>);
  }
}
