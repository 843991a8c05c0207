import { checkArgument } from "./check.ts";
import type { Intrinsics } from "./frame.ts";
import { SourceError } from "./source.ts";

/** One of several depth streams in one file: a topic or a track. */
export interface DepthTopic {
  /** The topic's or track's name. */
  readonly name: string;
  /** The type and encoding of the topic's messages: "sensor_msgs/Image 16UC1". */
  readonly kind: string;
  /** The number of the topic's frames. */
  readonly frames: number;
  /** The size in pixels of its first image, where it is known. */
  readonly size?: Pick<Intrinsics, "width" | "height">;
  /** Metres per unit of its depth. */
  readonly metresPerUnit: number;
  /** The depth camera's intrinsics, where the file gives them. */
  readonly intrinsics?: Intrinsics;
  /** The name of the topic that gives the intrinsics. */
  readonly intrinsicsFrom?: string;
}

/** A depth topic to choose from. A file's topic has all that is known of it; a live stream's has its name alone. */
export type OfferedTopic = Pick<DepthTopic, "name"> & Partial<DepthTopic>;

/** Thrown where a file or a live stream has several depth topics and the options name none; `topics` lists them. */
export class SeveralTopicsError extends SourceError {
  override readonly code = "DEPTHLOOM_SEVERAL_TOPICS";

  constructor(
    /** The file's name, or the stream's address. */
    readonly file: string,
    /** The topics to choose from, at least two. */
    readonly topics: readonly OfferedTopic[],
  ) {
    checkArgument("SeveralTopicsError", "the topics", { expects: "a list", holds: Array.isArray }, topics);
    const lines = topics.map(({ name, kind, size, frames }) => {
      const pixels = size ? `, ${size.width}×${size.height}` : "";
      return kind === undefined ? name : `${name} (${kind}${pixels}, ${frames} frame${frames === 1 ? "" : "s"})`;
    });
    super(`${file}: it has ${topics.length} depth topics; choose one:`, lines, "topic");
  }
}
