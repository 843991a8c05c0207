import { signalRule } from "../../core/abort.ts";
import { callable, flag, oneOf, type Rule } from "../../core/check.ts";
import type { Writable, WriteOptions } from "../frames.ts";
import { lossesRule } from "../losses.ts";

/** How a data set of LeRobot is written. */
export interface LerobotOptions extends Omit<WriteOptions, "start" | "count" | "done"> {
  /** How depth is kept: as images without loss, or as a film of 12 bits. */
  readonly depth: "tiff" | "hevc" | "png";
  /** The robot's task, in words. */
  readonly task: string;
}

/** Frames of a recording that become an episode. */
export interface EpisodePart {
  /** The recording that the frames are read from. */
  readonly recording: Writable;
  /** The number of the first frame. */
  readonly start: number;
  /** How many frames become the episode. */
  readonly count: number;
}

/** The accepted values of each option. */
export const lerobotRules = {
  depth: oneOf("tiff", "hevc", "png"),
  task: { expects: "a text", holds: (value) => typeof value === "string" },
  losses: lossesRule,
  truth: flag,
  signal: signalRule,
  onFrame: callable,
} satisfies Record<keyof LerobotOptions, Rule>;
/** Accepts what `writeLerobot` writes. */
export const partsRule: Rule = {
  expects: "a list of { recording, start, count }",
  holds: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((part) => part?.recording && part.count > 0),
};
