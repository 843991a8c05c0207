import type { Marks, Spot } from "./probe/marks.ts";
import type { Pixel, Point } from "./probe/projection.ts";

/** Takes what people point at in the pictures. All pixels are those of the source's depth image. */
export interface Pointing {
  /** Somebody points at a pixel. Where `by` is "keys", a screen reader says the readout. */
  over(picture: PixelPicture, pixel: Pixel, by: "pointer" | "keys"): void;
  /** Nobody points at the picture any more. */
  away(picture: PixelPicture): void;
  /** Somebody clicked or tapped a pixel, or pressed Enter on it. */
  take(picture: PixelPicture, pixel: Pixel): void;
  /** Whether a tool waits for an area. */
  readonly wantsArea: boolean;
  /** Somebody dragged from one pixel to another, while a tool waited for an area. */
  takeArea(corner: Pixel, opposite: Pixel): void;
}

/** A picture of the frame in which people can point at pixels of the source. */
export interface PixelPicture {
  readonly marks: Marks;
  /**
   * Where the picture shows what a pixel of the source saw; `undefined` if that place is out of sight. `point` is the measured point, if
   * the pixel has a depth.
   */
  spotOf(pixel: Pixel, point: Point | undefined): Spot | undefined;
}
