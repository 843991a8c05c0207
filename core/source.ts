/// <reference lib="esnext.disposable" preserve="true" />
import type { Observable } from "rxjs";
import type { Abortable } from "./abort.ts";
import { withoutAccess } from "./address.ts";
import { having, plain, short } from "./check.ts";
import type { ExtrasReader } from "./extras.ts";
import type { DepthFrame } from "./frame.ts";

/** A source of depth frames: a recording, a live stream or the synthetic scene. */
export interface Source {
  /** The name that a person would use: a file's name, "synthetic room". */
  readonly name: string;
  /** A short name of the format: "tum", "7scenes", "png", "synthetic". */
  readonly format: string;
  /** Nominal frames per second. */
  readonly fps: number;
  /**
   * Frames in order, as fast as the consumer takes them; `DepthFrame.waitUntil` holds the source back. Unsubscribing stops the source. Each
   * subscription begins a recording anew; those to a live source get the same frames.
   */
  readonly frames$: Observable<DepthFrame>;
  /** Ends the source and frees what it holds: files, workers, connections. */
  close(): Promise<void>;
}

/** A source with a beginning, an end and random access: a recording, or the synthetic scene. */
export interface Recording extends Source {
  /** Number of frames. */
  readonly length: number;
  /**
   * One line for each assumption made or fault found while opening (no intrinsics given …). Reading may append lines. The caller shows
   * them.
   */
  readonly warnings: readonly string[];
  /**
   * Decodes frame `index`, from 0. It reads no other frame, and the memory held does not grow with the recording's length. Rejects with a
   * `SourceError` that names the file and the place in it where the frame cannot be read.
   */
  read(index: number, options?: Abortable): Promise<DepthFrame>;
  /** How many frames may be read side by side, because several threads read them; 1 if not given. */
  readonly ahead?: number | undefined;
  /** The time stamp in ms that `read` will give frame `index`; absent where a source knows it only after reading. */
  timestampOf?(index: number): number;
  /** Reads what the recording holds beside depth and colour: metadata, infrared images, what inertial sensors measured. */
  readonly extras?: ExtrasReader | undefined;
}

/** A source that `await using` closes, as all of Depthloom's are. */
export interface Disposable {
  /** Does as `close`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Lets `await using` close a source. */
export const disposable = <S extends Source>(source: S): S & Disposable =>
  Object.assign(source, { [Symbol.asyncDispose]: () => source.close() });

/** Whether a source has random access (`read`). */
export const isRecording = (source: Source): source is Recording => hasProperty(source, "read");

/** Whether a value that a program passed is an object with this property. */
export const hasProperty = (value: unknown, name: string): boolean =>
  typeof value === "object" && value !== null && name in value;

/** Accepts what has frames: a recording, a live stream, or a program's own source. */
export const sourceRule = having("a source of frames", "frames$");

const LONGEST_MESSAGE = 1200;

/** An option of `openRecording`, `openLive` or `scan` that can help against an error. */
export type HelpfulOption =
  | "topic"
  | "intrinsics"
  | "metresPerUnit"
  | "maxSeconds"
  | "maxMegabytes"
  | "maxMegapixels"
  | "voxelM";

/** A failure that the user can act on: its message says which file, where in it, and what to do. It is shown without a stack trace. */
export class SourceError extends Error {
  /** Names the class where `instanceof` cannot: across workers and copies of the library. */
  override readonly name = "SourceError";
  /** As in every `DepthloomError`. */
  readonly code: string = "DEPTHLOOM_SOURCE";
  /**
   * The option that helps, where there is one. The message does not name it: the command line has a flag for it, a page a control, and a
   * program the option itself.
   */
  declare readonly option?: HelpfulOption;

  /** `list` gives lines that are shown below the message. */
  constructor(message: string, list: readonly string[] = [], option?: HelpfulOption) {
    // Paths, names and values come from files: a long message loses its middle.
    super(
      short(
        [String(message), ...list.map((line) => `  ${line}`)].map((line) => withoutAccess(plain(line))).join("\n"),
        LONGEST_MESSAGE,
      ),
    );
    if (option !== undefined) this.option = option;
  }
}
