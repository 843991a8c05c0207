import type { DepthFrame } from "../../frame.ts";
import type { DepthTopic, Fact } from "../facts.ts";
import type { OpenOptions, Pose } from "../format.ts";

/** What the page asks its worker. */
export type Request =
  | {
      readonly id: number;
      readonly kind: "open";
      readonly blob: Blob;
      readonly name: string;
      readonly options: OpenOptions;
    }
  | { readonly id: number; readonly kind: "frame" | "pose"; readonly index: number };

/** A recording's plain part. */
export interface Opened {
  readonly format: Fact;
  readonly fps: number;
  readonly times: Float64Array;
  readonly facts: readonly Fact[];
  readonly topics?: readonly DepthTopic[];
  readonly topic?: string;
}

/** A frame whose images are plain arrays, which can be handed over without a copy. */
export type PlainFrame = Omit<DepthFrame, "depth" | "color" | "waitUntil"> & {
  readonly depth: Uint16Array;
  readonly color?: Uint8Array;
};

/** What is wrong. Classes do not survive the journey: `forUser` marks a `SourceError`, `topics` a `SeveralTopics`. */
export interface Failure {
  readonly message: string;
  readonly forUser: boolean;
  readonly topics?: readonly DepthTopic[];
}

export interface Answer {
  readonly id: number;
  readonly opened?: Opened;
  readonly frame?: PlainFrame;
  readonly pose?: Pose | undefined;
  readonly failure?: Failure;
  /** Warnings that came up since the last answer. */
  readonly warnings: readonly string[];
}
