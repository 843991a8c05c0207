import { compose, invert, type Rigid, rigid } from "../../core/pose.ts";
import { type CameraPose, POSE_STATE } from "../../stages/core/pose.ts";
import type { Mark, Seen } from "./keyframe.ts";
import { Keyframes } from "./keyframes.ts";

/** A camera's pose as a pipeline reports it. */
export type Said = Pick<CameraPose, "toWorld" | "state" | "recorded">;

/** Where a frame was: a pose that stays, or where it hangs in the graph. */
export type Place = Rigid | Mark;

/**
 * Says where cameras were, in the axes of the first one. The poses that the tracker finds hang in a graph of keyframes, which moves where
 * the camera comes back to what it saw before. Once the tracker has lost the camera, the way from its world to that of
 * earlier frames is unknown: frames have no place until one of them is recognised. A recording's poses stay as they are; where it has
 * some, frames without have no place, since the tracker's world is another one.
 */
export class Placer {
  readonly keyframes = new Keyframes();
  /** Maps the world of the first frame's pose to its camera; `undefined` before the first frame. */
  #fix: Rigid | undefined;
  #isLost = false;
  /** Whether poses are the recording's; a frame's own tells, unless it is known before. */
  isPosed = false;

  /** All that this placer knows, as plain values, from which another one can be made. */
  get state() {
    return { fix: this.#fix, isLost: this.#isLost, isPosed: this.isPosed, keyframes: this.keyframes.state };
  }

  set state({ fix, isLost, isPosed, keyframes }) {
    [this.#fix, this.#isLost, this.isPosed] = [fix, isLost, isPosed];
    this.keyframes.state = keyframes;
  }

  /** Whether the camera is lost. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** The tracker lost the camera in a frame that is not given to `place`. */
  lose(): void {
    this.#isLost = this.#fix !== undefined;
  }

  /** Where the camera of a frame was; `undefined` where this is not known. */
  place(frame: Seen, { toWorld, state, recorded }: Said): Place | undefined {
    const isBlind = !recorded && state === POSE_STATE.lost;
    // A first frame without any depth shows no place that a later one could be tied to.
    const isEmpty = () => !recorded && !frame.depth.data.some((value) => value > 0);
    if ((!this.#fix && (isBlind || isEmpty())) || (this.isPosed && !recorded)) return undefined;
    if (recorded && this.#fix && !this.isPosed) {
      // The recording's poses begin late: a frame that is recognised ties their world to the tracker's.
      const found = this.keyframes.find(frame);
      if (!found) return undefined;
      this.#fix = compose(rigid(), this.poseOf(found), invert(rigid(), toWorld));
    }
    this.isPosed = recorded;
    this.#fix ??= invert(rigid(), toWorld);
    if (recorded) {
      this.#isLost = false;
      return compose(rigid(), this.#fix, toWorld);
    }
    this.#isLost ||= isBlind;
    const { keyframes } = this;
    if (!this.#isLost) return keyframes.follow(frame, toWorld, this.#fix);
    const found = keyframes.find(frame, toWorld);
    this.#isLost = found === undefined;
    return found;
  }

  /** A place's pose, by all that is known now: maps the camera to the first one. */
  poseOf(place: Place): Rigid {
    return "keyframe" in place ? this.keyframes.poseOf(place) : place;
  }
}
