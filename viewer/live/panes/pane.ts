import type { Marks, Spot } from "./marks.ts";
import type { Pixel } from "./projection.ts";

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
  /** Where it shows what a pixel of the source saw at a depth (0 where nothing was measured), if that is in sight. */
  spotOf(pixel: Pixel, zM: number): Spot | undefined;
}
