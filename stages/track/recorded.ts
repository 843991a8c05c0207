import type { Moment } from "../core/moment.ts";
import { type CameraPose, compose, IDENTITY, invert, POSE_STATE, rigid, straighten } from "../core/pose.ts";

/** Poses that need no alignment: those of the recording, and that of the first frame. The twin and the kernels share this part. */
export class Recorded {
  readonly camera: CameraPose = {
    ...{ toWorld: rigid(), toBefore: rigid(), state: POSE_STATE.still },
    ...{ held: 0, partners: 0, recorded: false },
  };
  /** The recording's poses of this frame and the one before, in turn. */
  readonly #given = [0, 1].map(() => ({ world: rigid(), isThere: false }));
  readonly #back = rigid();

  /**
   * The pose of a frame that the recording says or that begins; `undefined` if it has to be found. `turn` and `continues` are those of
   * the stage's `Turns`; `take` says whether the recording's pose is wanted.
   */
  begin({ pose }: Moment, turn: 0 | 1, continues: boolean, take: boolean): CameraPose | undefined {
    const { camera } = this;
    const [now, before] = [this.#given[turn], this.#given[1 - turn]];
    now.isThere = take && pose !== undefined;
    if (!now.isThere && continues) return undefined;
    camera.recorded = now.isThere;
    camera.toBefore.set(IDENTITY);
    now.world.set(IDENTITY);
    for (let i = 0; pose && now.isThere && i < 12; i++) now.world[i] = pose[i];
    camera.toWorld.set(straighten(now.world));
    camera.state = POSE_STATE.still;
    if (!continues) return camera;
    // The world of a recording is another one than that of a pose that was found.
    camera.state = before.isThere ? POSE_STATE.moved : POSE_STATE.lost;
    if (before.isThere) compose(camera.toBefore, invert(this.#back, before.world), now.world);
    return camera;
  }
}
