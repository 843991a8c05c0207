import type { Decoder } from "../decode/index.ts";
import type { DepthFrame, Intrinsics } from "../frame.ts";
import { SourceError } from "../source.ts";
import type { DepthTopic, Fact } from "./facts.ts";
import type { ByteFile, Files } from "./files/files.ts";

/** What the user says of a recording; each wins over its `recording.json`, which wins over the format's habits. */
export interface OpenOptions {
  /** The name of a format ("tum", "7scenes", "png"): only that one is tried. Without it the contents decide. */
  readonly format?: string | undefined;
  readonly metresPerUnit?: number | undefined;
  /** In pixels of the depth image. */
  readonly intrinsics?: Pinhole | undefined;
  /** Frames per second, for recordings without times of their own. */
  readonly fps?: number | undefined;
  /** Which depth stream, of a file that has several: the name of a topic or a track. */
  readonly topic?: string | undefined;
  /** false leaves colour images unread. */
  readonly color?: boolean | undefined;
  /** Images of more megapixels (of 2^20 pixels) are refused before they are unpacked: 16 if not given, 256 at most. */
  readonly maxMegapixels?: number | undefined;
}

/** A camera without the size of its image. */
export type Pinhole = Pick<Intrinsics, "fx" | "fy" | "cx" | "cy" | "distortion" | "distortionModel">;

/** A camera's place: the 4×4 matrix from the camera's frame to the world's, row-major, in metres. */
export type Pose = readonly number[];

/** A recording as its format's reader gives it. */
export interface Frames {
  readonly length: number;
  readonly fps: number;
  /** One line each, of what was assumed. Reading may add to it. */
  readonly warnings: readonly string[];
  /** What it is taken to be, but for its format and length. */
  readonly facts: readonly Fact[];
  /** Every depth stream of the file, where it can have several, and which one this is. */
  readonly topics?: readonly DepthTopic[];
  readonly topic?: string;
  /** `index` is within the recording. Reads nothing but that frame. */
  read(index: number): Promise<DepthFrame>;
  /** A frame's time in ms, as `read` will give it; reads nothing. */
  timestampOf(index: number): number;
  /** The camera's place at a frame, if the recording says. */
  pose(index: number): Promise<Pose | undefined>;
  /** Frees what reading needs. The file itself is closed by whoever opened it. */
  close?(): void;
}

/** A file has several depth streams, and nobody has said which. */
export class SeveralTopics extends SourceError {
  constructor(
    readonly file: string,
    readonly topics: readonly DepthTopic[],
  ) {
    const lines = topics.map(({ name, kind, size, frames }) => {
      const pixels = size ? `, ${size.width}×${size.height}` : "";
      return `${name} (${kind}${pixels}, ${frames} frame${frames === 1 ? "" : "s"})`;
    });
    super(`${file}: it has ${topics.length} depth topics; say which (--topic, or topic in a page or program):`, lines);
  }
}

/** What a format looks into: many files, or one that no archive's reader knows. */
export type Input =
  | { readonly kind: "files"; readonly files: Files }
  | { readonly kind: "file"; readonly file: ByteFile; readonly head: Uint8Array };

/**
 * A format of recordings. To add one: a file beside this and a line in `formats.ts` (folders and archives of images) or in
 * `fileFormats.ts` (a single file, read in a page's worker). The latter looks at `head` first and imports its reader then.
 */
export interface Format {
  readonly name: string;
  /** What it looks for: the end of "this is not a …: there is no …". */
  readonly sign: string;
  /** Matches names of files that only recordings have, to tell a folder of several from one. */
  readonly mark?: RegExp;
  /** `undefined` if the input is of another format. Reads no frame. */
  open(input: Input, options: OpenOptions, decoder: Decoder): Promise<Frames | undefined>;
}
