import type { Bytes } from "../decode/codec.ts";
import type { ByteFile } from "./files.ts";

/** A file in temporary storage. */
export interface Kept {
  /** Reads the whole file; may be called repeatedly. */
  all(): Promise<Bytes>;
  /** Opens the file for reading at any position, under the name that messages begin with. The file lasts as long as its `Spool`. */
  open(name: string): Promise<ByteFile>;
}

/** Temporary storage outside memory for the files of an archive that can be read only once. */
export interface Spool {
  /** Stores what `fill` writes to its sink, piece by piece; the result reads it back. */
  keep(fill: (sink: (piece: Bytes) => Promise<void>) => Promise<void>): Promise<Kept>;
  close(): Promise<void>;
}
