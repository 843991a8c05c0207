import { image } from "../../../sources/core/array.ts";
import type { Intrinsics } from "../../../sources/index.ts";
import { release } from "../../../sources/recorded/files/release.ts";
import { Aligner } from "./align.ts";
import { type Comparison, Sides } from "./measure.ts";

/** One image, as plain memory. */
export interface Plain {
  readonly data: Uint16Array;
  readonly width: number;
  readonly height: number;
}

export interface Asked {
  readonly raw: Plain;
  readonly filtered: Plain;
  /** The cameras of the two images. */
  readonly sensor: Intrinsics;
  readonly left: Intrinsics;
  readonly mmPerUnit: number;
  /** It is of the same scene as the one asked for before, soon after it. */
  readonly follows: boolean;
  /** It is of another scene. */
  readonly begins: boolean;
}

export type Answer = Comparison | { readonly error: string };

const of = ({ data, width, height }: Plain) => image(data, [height, width]);
let sides = new Sides();
const aligner = new Aligner();
/** What `sides` still needs. */
let held: readonly Plain[] = [];

self.addEventListener("message", ({ data: asked }: MessageEvent<Asked>) => {
  const { raw, filtered, follows } = asked;
  let answer: Answer;
  try {
    if (asked.begins) sides = new Sides();
    const { depth, shows } = aligner.align(of(filtered), asked.sensor, asked.left);
    answer = sides.compare({ raw: of(raw), filtered: depth, shows }, follows, asked.mmPerUnit);
  } catch (error) {
    answer = { error: error instanceof Error ? error.message : String(error) };
  }
  self.postMessage(answer);
  for (const { data } of held) release(data);
  held = [raw, filtered];
});
