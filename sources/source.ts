import type { Observable } from "rxjs";
import { plain, short } from "./check.ts";
import type { DepthFrame } from "./frame.ts";

/** Where frames come from. Unsubscribing from `frames$` stops the source; `close` frees what it holds. */
export interface Source {
  /** What a person would call it: a file's name, "synthetic room". */
  readonly name: string;
  /** A short format name: "tum", "7scenes", "png", "synthetic". */
  readonly format: string;
  /** Nominal frames per second. */
  readonly fps: number;
  /** Frames as the consumer takes them: as fast as it can go, held back by `DepthFrame.waitUntil`. */
  readonly frames$: Observable<DepthFrame>;
  close(): Promise<void>;
}

/** A source with a beginning, an end and random access: a recording, or the synthetic scene. */
export interface Recording extends Source {
  /** Number of frames. */
  readonly length: number;
  /** One line each: assumptions made on opening (no intrinsics given …); reading may append. The caller shows them. */
  readonly warnings: readonly string[];
  /** Decodes frame `index`. Reads nothing but that frame; memory held does not grow with the recording. */
  read(index: number): Promise<DepthFrame>;
  /** A frame's time in ms, as `read` will give it, where it is known without reading. */
  timestampOf?(index: number): number;
}

/** Whether a source can also seek. */
export const isRecording = (source: Source): source is Recording => "read" in source;

const LONGEST_MESSAGE = 1200;

/** A failure that the user can act on: what file, where in it, what to do. Shown without a stack trace. */
export class SourceError extends Error {
  override readonly name = "SourceError";

  /** Each of `list` stands on a line of its own below the message. */
  constructor(message: string, list: readonly string[] = []) {
    // Paths, names and values come from files: what they say at length is cut in its middle.
    super(short([plain(message), ...list.map((line) => `  ${plain(line)}`)].join("\n"), LONGEST_MESSAGE));
  }
}
