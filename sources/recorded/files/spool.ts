import type { Bytes } from "../../decode/codec.ts";

/** Temporary storage outside memory for files of an archive that can be read only once. */
export interface Spool {
  /** Stores what `fill` gives the sink, piece by piece; the result reads it back, as often as wanted. */
  keep(fill: (sink: (piece: Bytes) => Promise<void>) => Promise<void>): Promise<() => Promise<Bytes>>;
  close(): Promise<void>;
}
