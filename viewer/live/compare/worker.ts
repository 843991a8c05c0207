import { image } from "../../../sources/array.ts";
import { release } from "../../../sources/recorded/files/release.ts";
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
  readonly mmPerUnit: number;
  /** It is of the same scene as the one asked for before, soon after it. */
  readonly follows: boolean;
  /** It is of another scene. */
  readonly begins: boolean;
}

export type Answer = Comparison | { readonly error: string };

const of = ({ data, width, height }: Plain) => image(data, [height, width]);
let sides = new Sides();
/** What `sides` still needs. */
let held: readonly Plain[] = [];

self.addEventListener("message", ({ data: { raw, filtered, mmPerUnit, follows, begins } }: MessageEvent<Asked>) => {
  let answer: Answer;
  try {
    if (begins) sides = new Sides();
    answer = sides.compare({ raw: of(raw), filtered: of(filtered) }, follows, mmPerUnit);
  } catch (error) {
    answer = { error: error instanceof Error ? error.message : String(error) };
  }
  self.postMessage(answer);
  for (const { data } of held) release(data);
  held = [raw, filtered];
});
