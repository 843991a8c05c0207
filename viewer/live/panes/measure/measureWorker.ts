import { frameOf, type PlainFrame } from "../../../../core/plainFrame.ts";
import { LiveMeasure, type Question } from "../../../../measure/live.ts";

/** Asks for the readings of a frame, or without one of the frames until now. */
export interface Asked {
  readonly frame: PlainFrame | undefined;
  /** Whether the frames come from another source than before. */
  readonly anew: boolean;
  readonly question: Question;
}

let live = new LiveMeasure();
let camera: PlainFrame["intrinsics"] | undefined;

self.addEventListener("message", ({ data: { frame, anew, question } }: MessageEvent<Asked>) => {
  if (anew) live = new LiveMeasure();
  // `LiveMeasure` keeps tables for a camera's object, so equal cameras of later messages, which are copies, are replaced by the first.
  if (frame && JSON.stringify(camera) !== JSON.stringify(frame.intrinsics)) camera = frame.intrinsics;
  const taken = frame && frameOf({ ...frame, intrinsics: camera ?? frame.intrinsics });
  self.postMessage(live.take(taken, question, performance.now()));
});
