import type { Intrinsics } from "../frame.ts";

/**
 * Who says a thing of a recording; "files" are its own lists, names and times, "assumed" is nobody. A file with messages in it
 * says things in its topics, another one in its header, or in a file that it carries along or that lies beside it.
 */
export type Origin =
  | "option"
  | "recording.json"
  | "files"
  | "assumed"
  | "synthetic"
  | `${string} default`
  | `topic ${string}`
  | "header"
  | `file ${string}`;

/** One thing that a recording is taken to be, for people to read. */
export interface Fact {
  readonly what: "format" | "topic" | "frames" | "unit" | "invalid" | "fps" | "intrinsics" | "colour";
  readonly value: string;
  readonly from: Origin;
}

/** One of several depth streams in one file: a topic, a track. */
export interface DepthTopic {
  readonly name: string;
  /** Kind and encoding of its messages: "sensor_msgs/Image 16UC1". */
  readonly kind: string;
  readonly frames: number;
  /** Of its first image, if that can be told. */
  readonly size?: { readonly width: number; readonly height: number };
  readonly metresPerUnit: number;
  /** Of its lens, where the file gives it. */
  readonly intrinsics?: Intrinsics;
  /** Which topic says so. */
  readonly intrinsicsFrom?: string;
}

/** A value, and who said it. */
export interface Said<T> {
  readonly value: T;
  readonly from: Origin;
  /** One line for the user, where what was said is a guess. */
  readonly warning?: string;
}

/** "0.2 mm". Six digits: 1/5000 m is no decimal fraction in binary. */
export const unitText = (metresPerUnit: number): string => `${Number((metresPerUnit * 1000).toPrecision(6))} mm`;

export const cameraText = (lens: { fx: number; fy: number; cx: number; cy: number }): string => {
  const [fx, fy, cx, cy] = [lens.fx, lens.fy, lens.cx, lens.cy].map((px) => Number(px.toPrecision(7)));
  return `fx ${fx}, fy ${fy}, cx ${cx}, cy ${cy}`;
};

/** How many frames have colour: "all", "3 of 40", "none". */
export const shareText = (some: number, all: number): string =>
  some === 0 ? "none" : some === all ? "all frames" : `${some} of ${all} frames`;
