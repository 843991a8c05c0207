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

/** The size of a pose in a GPU buffer, in bytes. */
export const POSE_BYTES = 128;

/**
 * Writes a pose as it lies in a GPU buffer (shaders/track/settle.wgsl): 12 f32 of `toWorld`, 12 of `toBefore`, then the u32 `state` and
 * `held`, the f32 `partners`, the u32 `recorded`, the f32 `uncertaintyM` and the u32 `anew`.
 */
export function packPose(into: ArrayBuffer, pose: CameraPose): ArrayBuffer {
  const [floats, words] = [new Float32Array(into), new Uint32Array(into)];
  floats.set(pose.toWorld);
  floats.set(pose.toBefore, 12);
  words[24] = pose.state;
  words[25] = pose.held;
  floats[26] = pose.partners;
  words[27] = pose.recorded ? 1 : 0;
  floats[28] = pose.uncertaintyM;
  words[29] = pose.anew ? 1 : 0;
  return into;
}

/** Reads what `packPose` or the kernels wrote. */
export function unpackPose(from: ArrayBuffer): CameraPose {
  const [floats, words] = [new Float32Array(from), new Uint32Array(from)];
  const state = Object.values(POSE_STATE).find((value) => value === words[24]) ?? POSE_STATE.lost;
  return {
    toWorld: Float64Array.from(floats.subarray(0, 12)),
    toBefore: Float64Array.from(floats.subarray(12, 24)),
    state,
    held: words[25],
    partners: floats[26],
    recorded: words[27] === 1,
    uncertaintyM: floats[28],
    anew: words[29] === 1,
  };
}
