import type { Rigid } from "../../core/pose.ts";

/** The states of a pose. The states are numbers because kernels write them. */
export const POSE_STATE = {
  /** Nobody can tell how the camera moved since the frame before. */
  lost: 0,
  /** The camera stands where it stood in the frame before. */
  still: 1,
  /** The camera moved; `toBefore` says how. */
  moved: 2,
} as const;
/** One of `POSE_STATE`. */
export type PoseState = (typeof POSE_STATE)[keyof typeof POSE_STATE];

/** The names of the states, by their numbers. */
export const POSE_STATES = ["lost", "still", "moved"] as const satisfies (keyof typeof POSE_STATE)[];
/** The name of one of `POSE_STATE`. */
export type PoseStateName = (typeof POSE_STATES)[number];

/** The camera's pose, from the stage `track` or from the recording. */
export interface CameraPose {
  /** Maps this frame's camera to the world: that of the first frame's camera, or the recording's own. */
  readonly toWorld: Rigid;
  /** Maps this frame's camera to the camera of the frame before. */
  readonly toBefore: Rigid;
  /** How the pose was found, or that it was not. */
  state: PoseState;
  /** The number of the six directions of motion that were held, because the scene does not determine them. */
  held: number;
  /** The share of this frame's pixels that found a partner in the keyframe; 0 where no alignment took place. */
  partners: number;
  /** Whether the recording said the pose. */
  recorded: boolean;
  /**
   * The uncertainty of the tracked pose: the standard deviation of where it puts the scene, in metres, from the residuals of the alignment
   * (0 where no alignment took place). A camera within that of its keyframe is still, and one that moved is lost where the
   * uncertainty is more than 1 % of the scene's distance.
   */
  uncertaintyM: number;
  /** Whether the camera was lost and `toWorld` begins anew with this frame: nothing ties this and later places to those before. */
  anew: boolean;
}
