import type { Marks, Spot } from "./probe/marks.ts";
import type { Pixel, Point } from "./probe/projection.ts";

/** How people give an area: by two opposite corners of a rectangle, or by an outline that they draw. */
export type AreaKind = "rectangle" | "outline";

/** The step across and down that an arrow key takes; none for Enter, and for the space bar where that takes a pixel, too. */
export function stepOf(
  { key, ctrlKey, metaKey, altKey }: KeyboardEvent,
  spaceTakes: boolean,
): readonly [number, number] | undefined {
  if (ctrlKey || metaKey || altKey) return undefined;
  return STEPS[key === " " && spaceTakes ? "Enter" : key];
}

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  Enter: [0, 0],
};

/** Takes what people point at in the pictures. All pixels are those of the source's depth image. */
export interface Pointing {
  /** Somebody points at a pixel. Where `by` is "keys", a screen reader says the readout. */
  over(picture: PixelPicture, pixel: Pixel, by: "pointer" | "keys"): void;
  /** Nobody points at the picture any more. */
  away(picture: PixelPicture): void;
  /** Somebody clicked or tapped a pixel, or pressed Enter on it; `undefined` beside the surfaces. */
  take(picture: PixelPicture, pixel: Pixel | undefined): void;
  /** The tool that the clicks are for, if one is up. */
  readonly tool: string | undefined;
  /** The kind of area that a tool waits for. */
  readonly wantsArea: AreaKind | undefined;
  /** Somebody gave an area by a drag, while a tool waited for one: a rectangle by two corners, an outline by three or more. */
  takeArea(corners: readonly Pixel[]): void;
}

/** A picture of the frame in which people can point at pixels of the source. */
export interface PixelPicture {
  readonly marks: Marks;
  /** The place that keys point at, where the picture keeps one of its own. */
  readonly cursor?: Spot | undefined;
  /**
   * Where the picture shows what a pixel of the source saw; `undefined` if that place is out of sight. `point` is the measured point, if
   * the pixel has a depth.
   */
  spotOf(pixel: Pixel, point: Point | undefined): Spot | undefined;
}
