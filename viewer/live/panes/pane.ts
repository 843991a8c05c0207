import type { Marks, Spot } from "./probe/marks.ts";
import type { Pixel, Point } from "./probe/projection.ts";

/** What pointing at a pane does. Pixels are the source's. */
export interface Pointing {
  /** `by` keys it is said to a screen reader. */
  over(view: View, pixel: Pixel, by: "pointer" | "keys"): void;
  away(view: View): void;
  /** Clicked, tapped or entered. */
  take(view: View, pixel: Pixel): void;
}

/** A picture of the frame that can be pointed at. */
export interface View {
  readonly marks: Marks;
  /** Where it shows what a pixel of the source saw, if that is in sight; `point` is where that was, if it was measured. */
  spotOf(pixel: Pixel, point: Point | undefined): Spot | undefined;
}
