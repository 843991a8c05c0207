import type { Extra, FrameExtras } from "../../../core/extras.ts";
import type { PlainFrame } from "../../../core/plainFrame.ts";
import type { DepthTopic, OfferedTopic } from "../../../core/severalTopics.ts";
import type { HelpfulOption } from "../../../core/source.ts";
import type { FrameWay } from "../../../core/way.ts";
import type { Given } from "../../files/dropped.ts";
import type { Fact, Pose, ReadOptions } from "../../format/format.ts";
import type { EpisodeFacts } from "../episodes.ts";

/**
 * The recording that a thread is asked to open. The contents of a folder stay with the asking thread; the reading thread asks for its files
 * by name.
 */
export type Handed =
  | Exclude<Given, { kind: "folder" | "address" }>
  | { readonly kind: "address"; readonly whole: string }
  | { readonly kind: "folder"; readonly name: string; readonly names: readonly string[] };

export type ReaderOptions = Omit<ReadOptions, "maxMegabytes" | "worker" | "signal">;

export type Question =
  | { readonly kind: "open"; readonly from: Handed; readonly options: ReaderOptions }
  | { readonly kind: "episodes"; readonly path: string }
  | { readonly kind: "frame" | "pose"; readonly index: number }
  | { readonly kind: "extras"; readonly index: number; readonly wanted: readonly Extra[] }
  | { readonly kind: "close" };

/** A file of a folder that the reading thread asked for. */
export interface Supply {
  readonly kind: "file";
  readonly want: number;
  readonly blob?: Blob;
  readonly failure?: Failure;
}

/** The messages that the reading thread receives. */
export type Request = (Question & { readonly id: number }) | Supply;

/** The part of an opened recording that can be sent between threads. */
export interface OpenedFacts {
  readonly name: string;
  readonly format: Fact;
  readonly fps: number;
  /** How many frames may be read side by side. */
  readonly ahead?: number | undefined;
  readonly times: Float64Array;
  readonly facts: readonly Fact[];
  readonly topics?: readonly DepthTopic[];
  readonly topic?: string;
  /** The kinds of data that the recording holds beside depth and colour. */
  readonly holds?: readonly Extra[];
}

/** An error. Classes do not survive sending: `forUser` marks a `SourceError`, `topics` a `SeveralTopicsError`. */
export interface Failure {
  readonly message: string;
  readonly forUser: boolean;
  /** See `SourceError.option`. */
  readonly option?: HelpfulOption;
  readonly topics?: readonly OfferedTopic[];
  /** The system's error code. */
  readonly code?: string;
}

export interface ReaderAnswer {
  readonly kind: "answer";
  readonly id: number;
  readonly opened?: OpenedFacts;
  readonly frame?: PlainFrame;
  readonly way?: FrameWay | undefined;
  readonly pose?: Pose | undefined;
  readonly extras?: FrameExtras | undefined;
  /** The episodes of a data set, where a folder is one with several. */
  readonly episodes?: readonly EpisodeFacts[];
  readonly failure?: Failure;
  /** Warnings since the last answer. */
  readonly warnings: readonly string[];
}

/** Says that reading makes progress. The first of these also says that the thread has started. */
export interface Progress {
  readonly kind: "progress";
  /** The size in bytes of the file that is being opened. */
  readonly size?: number;
}

/** The thread asks for a file of its folder. */
export interface Want {
  readonly kind: "want";
  readonly want: number;
  readonly file: string;
}

/** The messages that the reading thread sends. */
export type Message = ReaderAnswer | Progress | Want;
