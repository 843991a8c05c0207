import { compose, IDENTITY, invert, type Rigid, rigid, straighten } from "../../core/pose.ts";
import { type CameraPose, POSE_STATE, type PoseState } from "../core/pose.ts";
import type { FrameContext } from "../core/resources.ts";

/** Poses of a recording that differ by less than this, in metres and in each number of the turn, are the same. */
const STANDING = 5e-5;

/**
 * The recording's own poses. These give the camera's pose in the world; the motion since the frame before still comes from the alignment
 * where that succeeds, since motion capture jitters more from frame to frame. The twin and the kernels share this part.
 */
export class Recorded {
  /** Whether the frame has a pose that is wanted; then `toWorld` is that pose. */
  isThere = false;
  /** Whether the camera stood or moved since the frame before, by `toBefore`; "lost" if that frame had no pose. */
  state: PoseState = POSE_STATE.lost;
  readonly toWorld = rigid();
  readonly toBefore = rigid();
  /** The poses of this frame and the one before, in turn. */
  readonly #given = [0, 1].map(() => ({ world: rigid(), isThere: false }));
  readonly #back = rigid();

  /**
   * Takes the pose that the recording has for a frame, if `isWanted`. `turn` is the slot of this frame; the other slot holds the frame
   * before. `continues` tells whether this frame follows the frame before. The stage's `PingPong` gives both.
   */
  take({ pose }: FrameContext, turn: 0 | 1, continues: boolean, isWanted: boolean): void {
    const [now, before] = [this.#given[turn], this.#given[1 - turn]];
    now.isThere = isWanted && pose !== undefined;
    this.isThere = now.isThere;
    this.state = POSE_STATE.lost;
    if (!pose || !now.isThere) return;
    for (let i = 0; i < 12; i++) now.world[i] = pose[i];
    this.toWorld.set(straighten(now.world));
    if (!continues || !before.isThere) return;
    compose(this.toBefore, invert(this.#back, before.world), now.world);
    const stands = this.toBefore.every((value, i) => Math.abs(value - IDENTITY[i]) < STANDING);
    this.state = stands ? POSE_STATE.still : POSE_STATE.moved;
    if (stands) this.toBefore.set(IDENTITY);
  }

  /** Replaces the tracked pose by the recording's, if there is one. */
  replace(found: CameraPose): void {
    found.recorded = this.isThere;
    if (!this.isThere) return;
    found.toWorld.set(this.toWorld);
    found.anew = false;
    if (found.state !== POSE_STATE.lost || this.state === POSE_STATE.lost) return;
    found.toBefore.set(this.toBefore);
    found.state = this.state;
  }
}

/** The pose of a frame with which tracking begins: of a stream's first one, or "lost" after a jump or a gap. */
export function first(camera: CameraPose, world: Rigid, state: PoseState): void {
  camera.toWorld.set(world);
  camera.toBefore.set(IDENTITY);
  Object.assign(camera, { state, held: 0, partners: 0, uncertaintyM: 0, anew: state === POSE_STATE.lost });
}

/** A pose to write into. */
export const newPose = (): CameraPose => ({
  toWorld: rigid(),
  toBefore: rigid(),
  state: POSE_STATE.still,
  held: 0,
  partners: 0,
  recorded: false,
  uncertaintyM: 0,
  anew: false,
});
