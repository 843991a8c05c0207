import { type CameraPose, compose, invert, POSE_STATE, type Rigid, rigid } from "../../../stages/core/pose.ts";
import type { Fusable } from "../volume/volume.ts";
import { Places } from "./places.ts";

/** What a pipeline says of a camera's place. */
export type Said = Pick<CameraPose, "toWorld" | "state" | "recorded">;

/**
 * Says where cameras were, in the axes of the first one. Where the tracker loses the camera, nobody knows from then on how its world lies
 * to that of the frames before: frames have no place until one of them is recognised.
 */
export class Placer {
  readonly #places = new Places();
  /** Maps the tracker's world to the first camera's; `undefined` before the first frame. */
  #fix: Rigid | undefined;
  #isLost = false;

  /** Whether the camera is lost. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** The tracker lost the camera in a frame that is not given to `place`. */
  lose(): void {
    this.#isLost = this.#fix !== undefined;
  }

  /** Where the camera of a frame was; `undefined` where nobody knows. */
  place(frame: Fusable, { toWorld, state, recorded }: Said): Rigid | undefined {
    if (recorded) {
      this.#isLost = false;
      this.#fix ??= invert(rigid(), toWorld);
      return compose(rigid(), this.#fix, toWorld);
    }
    if (state === POSE_STATE.lost) this.lose();
    if (this.#isLost) {
      const found = this.#places.find(frame);
      if (!found) return undefined;
      this.#isLost = false;
      this.#fix = compose(rigid(), found, invert(rigid(), toWorld));
    }
    if (!this.#fix && state === POSE_STATE.lost) return undefined;
    this.#fix ??= invert(rigid(), toWorld);
    const placed = compose(rigid(), this.#fix, toWorld);
    this.#places.add(frame, placed);
    return placed;
  }
}
