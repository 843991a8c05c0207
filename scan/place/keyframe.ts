import type { DepthFrame } from "../../core/frame.ts";
import type { Rigid } from "../../core/pose.ts";
import type { Fusable } from "../volume/volume.ts";
import type { Edge } from "./graph.ts";
import type { PackedLook } from "./look.ts";

/** A frame to place. */
export type Seen = Fusable & Pick<DepthFrame, "timestamp">;

/** Where a frame hangs in the graph, so that its pose follows when the graph moves. */
export interface Mark {
  readonly keyframe: number;
  /** How many frames before it hang on the same keyframe. */
  readonly step: number;
  /** Maps the frame's camera to that of the keyframe. */
  readonly motion: Rigid;
}

/** A frame of which the graph keeps what it saw. */
export interface Keyframe {
  readonly look: PackedLook;
  /** The frame's pose as the tracker said it. */
  readonly tracked: Rigid;
  /** Whether the tracker followed the camera from the keyframe before to this one. */
  readonly isNext: boolean;
  /** The motion by which a keyframe that the tracker did not follow was recognised. */
  readonly found?: Edge | undefined;
  /** How far the camera went until here, as `way` tells it. */
  readonly gone: number;
  /** How many frames hang on this keyframe, itself included. */
  steps: number;
  /** Whether depth or brightness shows the motion from the keyframe before to this one. */
  isShown: boolean;
}
