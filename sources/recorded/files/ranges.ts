import type { Bytes } from "../../decode/codec.ts";

/** A file somewhere else, of which parts can be read. */
export interface Ranges {
  /** The address for messages, without what gives access. */
  readonly name: string;
  readonly size: number;
  /** Changes when the file is written again. */
  readonly stamp: string;
  /** Reads the bytes from `start` up to, not including, `end`, both within the file. Rejects if the file is another one by now. */
  read(start: number, end: number): Promise<Bytes>;
}
