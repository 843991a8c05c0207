import type { PerspectiveCamera } from "three/webgpu";
import type { ProcessedFrame } from "../../../pipeline/index.ts";
import type { Blur } from "./blur.ts";
import type { Segments } from "./guides.ts";

/** How the newest frame is looked at. */
export interface Look {
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

/** Behind everything; the same in the style sheet. */
export const BACKGROUND = [0.043, 0.051, 0.063] as const;
