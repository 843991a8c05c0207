import type { Sink } from "../../../write/recorder.ts";

/** At most this many bytes are kept in memory. */
const LARGEST = 1 << 30;

/** Writes from the start to the end: to a file, or to memory. */
export class PageSink implements Sink {
  #position = 0n;
  readonly #parts: Blob[] = [];

  constructor(readonly file: FileSystemWritableFileStream | undefined) {}

  async write(buffer: Uint8Array<ArrayBuffer>): Promise<void> {
    if (this.file) await this.file.write(buffer);
    // A blob is a copy, which the browser may keep on disk.
    else this.#parts.push(new Blob([buffer]));
    this.#position += BigInt(buffer.length);
  }

  async rewrite(buffer: Uint8Array<ArrayBuffer>): Promise<void> {
    if (this.file) await this.file.write({ type: "write", position: 0, data: buffer });
    else this.#parts[0] = new Blob([buffer]);
  }

  position(): bigint {
    return this.#position;
  }

  /** Whether memory is full. */
  get full(): boolean {
    return !this.file && this.#position > LARGEST;
  }

  /** Closes the file; returns what is in memory, if there is no file. */
  async end(): Promise<Blob | undefined> {
    await this.file?.close();
    return this.file ? undefined : new Blob(this.#parts, { type: "application/octet-stream" });
  }
}
