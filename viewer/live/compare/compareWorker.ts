import { image } from "../../../core/array.ts";
import { messageOf } from "../../../core/caught.ts";
import { release } from "../../../core/release.ts";
import type { Intrinsics } from "../../../sources/index.ts";
import { Aligner } from "./alignDepth.ts";
import { type Comparison, Sides } from "./compareSides.ts";

/** An image as plain memory. */
export interface PlainImage {
  readonly data: Uint16Array;
  readonly width: number;
  readonly height: number;
}

export interface CompareRequest {
  readonly raw: PlainImage;
  readonly filtered: PlainImage;
  /** The cameras of the two images. */
  readonly sensorCamera: Intrinsics;
  readonly filteredCamera: Intrinsics;
  readonly mmPerUnit: number;
  /** Whether the frame shows the same scene as the frame before, soon after it. */
  readonly follows: boolean;
  /** Whether the frame shows another scene. */
  readonly begins: boolean;
}

export type CompareAnswer = Comparison | { readonly error: string };

const imageOf = ({ data, width, height }: PlainImage) => image(data, [height, width]);
let sides = new Sides();
const aligner = new Aligner();
/** The images of the last call, which `sides` still compares with the next. */
let previous: readonly PlainImage[] = [];

self.addEventListener("message", ({ data: request }: MessageEvent<CompareRequest>) => {
  const { raw, filtered, follows } = request;
  let answer: CompareAnswer;
  try {
    if (request.begins) sides = new Sides();
    const { depth, shows } = aligner.align(imageOf(filtered), request.sensorCamera, request.filteredCamera);
    answer = sides.compare({ raw: imageOf(raw), filtered: depth, shows }, follows, request.mmPerUnit);
  } catch (error) {
    answer = { error: messageOf(error) };
  }
  self.postMessage(answer);
  for (const { data } of previous) release(data);
  previous = [raw, filtered];
});
