import type { Candidate } from "./walk.ts";

/** A recording to work on. */
export interface FoundRecording extends Omit<Candidate, "path"> {
  /**
   * The recording's path relative to the root of all inputs, with "/" between folders: it names the result's folder, and decides the shard.
   * The root is the deepest folder around all inputs; that of one folder is the folder itself. No key lies in another key: see `apart`.
   */
  readonly key: string;
  /** The absolute path or the address. */
  readonly input: string;
  /** Why the recording cannot be had, where that showed while it was looked for. */
  readonly fault?: string;
}

/** The recordings that the inputs name, in the order of their keys, and the number of files passed over. */
export interface Finding {
  readonly found: readonly FoundRecording[];
  readonly passed: number;
  /** A line for each input in which folders were left out because links lead in circles. */
  readonly leftOut?: readonly string[];
}
