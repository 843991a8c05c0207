import type { PerspectiveCamera } from "three/webgpu";
import type { ProcessedFrame } from "../../../../pipeline/index.ts";
import type { Blur } from "./blur.ts";
import type { Segments } from "./guides.ts";
import type { Scheme } from "./scheme.ts";

/** How the newest frame is looked at. */
export interface Look {
  readonly scheme: Scheme;
  /** The picture of dofSplat, or the points of compact as they are. */
  readonly view: "picture" | "points";
  /** Side of a plain point, over that of what the sensor's pixel sees there. */
  readonly pointSize: number;
  /** Lines in the scene, hidden by what is before them. */
  readonly guides: readonly Segments[];
  /** A veil over all that is behind the plane of focus: distance in metres, and how strong from 0 to 1. */
  readonly veil: { readonly distanceM: number; readonly strength: number };
  /** Everything is coloured by how far the lens spreads it. */
  readonly blur: Blur | undefined;
}

/** Where pictures appear: Three.js on the pipeline's device, or a plain canvas. */
export interface Surface {
  readonly canvas: HTMLCanvasElement;
  /** Takes the frame's handles; to be called synchronously when it is handed out. They are used until the next call. */
  show(frame: ProcessedFrame): void;
  /** The canvas's size in CSS pixels. Returns how many of its own pixels it has for each. */
  resize(width: number, height: number): number;
  /** Draws what `show` was given. `camera` is where the picture was made from. */
  draw(camera: PerspectiveCamera, look: Look): void;
  /** Distance along the camera's axis, in metres, at a place of the canvas from (0, 0) top left to (1, 1); 0 where nothing is. */
  pick(x: number, y: number, camera: PerspectiveCamera, look: Look): Promise<number>;
  destroy(): void;
}

/** A canvas has no more pixels than this, however dense the screen is. */
const MAX_PIXELS = 2560 * 1440;

/** How many pixels a canvas of `width` × `height` CSS pixels has for each of them: the screen's own, or as many as may be. */
export const densityOf = (width: number, height: number, screen: number): number =>
  Math.min(screen, Math.sqrt(MAX_PIXELS / (width * height)));
