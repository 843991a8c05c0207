import type { Rigid } from "../../core/pose.ts";
import type { Edge } from "./graph.ts";
import type { PackedLook } from "./look.ts";

/** A frame of which the graph keeps what it saw. */
export interface Keyframe {
  readonly look: PackedLook;
  /** Its pose as the tracker said it. */
  readonly tracked: Rigid;
  /** Whether the tracker followed the camera from the keyframe before to this one. */
  readonly isNext: boolean;
  /** The motion by which a keyframe was recognised that the tracker did not follow. */
  readonly found?: Edge | undefined;
  /** How far the camera went until here, as `way` tells it. */
  readonly gone: number;
  /** How many frames hang on this keyframe, itself included. */
  steps: number;
  /** Whether depth or brightness shows the motion from the keyframe before to this one. */
  isShown: boolean;
}
