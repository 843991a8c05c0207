import type { PerspectiveCamera } from "three/webgpu";
import type { ProcessedFrame } from "../../../../pipeline/index.ts";
import type { Blur } from "./blur.ts";
import type { Segments } from "./guides.ts";

/** How to draw the newest frame. */
export interface Look {
  /** dofSplat's picture, or compact's points. */
  readonly view: "picture" | "points";
  /** The side of a point, as a multiple of what the sensor's pixel covers at its distance. */
  readonly pointSize: number;
  /** Lines in the scene, hidden behind nearer surfaces. */
  readonly guides: readonly Segments[];
  /** A veil over everything behind the plane of focus: its distance in metres, and its strength from 0 to 1. */
  readonly veil: { readonly distanceM: number; readonly strength: number };
  /** Tints everything by the lens's blur. */
  readonly blur: Blur | undefined;
}

/** Shows pictures: Three.js on the pipeline's device, or a plain canvas. */
export interface Surface {
  readonly canvas: HTMLCanvasElement;
  /** Whether code is loaded that draws the last look. Once it is there, the frame has to be shown again. Default: false. */
  readonly isLoading?: boolean;
  /** Takes the frame's handles and uses them until the next call. Call this synchronously when the frame is handed out. */
  show(frame: ProcessedFrame): void;
  /** Sets the canvas's size in CSS pixels. Returns the canvas's own pixels per CSS pixel. */
  resize(width: number, height: number): number;
  /** Draws the last frame of `show`. `camera` is the camera from which the picture was drawn. */
  draw(camera: PerspectiveCamera, look: Look): void;
  /** The distance along the camera's axis, m, at a place of the canvas from (0, 0) top left to (1, 1); 0 without a surface. */
  pick(x: number, y: number, camera: PerspectiveCamera, look: Look): Promise<number>;
  destroy(): void;
}

/** A canvas has at most this many pixels, however dense the screen is. */
const MAX_PIXELS = 2560 * 1440;

/**
 * The canvas's own pixels per CSS pixel, for a canvas of `width` × `height` CSS pixels: the screen's density, or less to stay below the
 * limit.
 */
export const densityOf = (width: number, height: number, screen: number): number =>
  Math.min(screen, Math.sqrt(MAX_PIXELS / (width * height)));
