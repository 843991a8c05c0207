import type { DepthFrame } from "../core/frame.ts";
import { frameOf } from "../core/plainFrame.ts";
import { type Scene, SceneBuilder } from "./scene.ts";

/** Something moves if more than this share of the steady pixels has changed; the share is larger while the noise is not known yet. */
const MOVES = 0.0035;
const MOVES_AT_FIRST = 0.0075;
const FIRST = 3;

/** The mean of frames while all before the camera stands. Once anything moves the first frame alone counts: a mean would mix places. */
export class StillScene {
  #builder: SceneBuilder;
  /** The first frames, with which each later one is compared: a mean of all would follow a slow motion. */
  readonly #before: SceneBuilder;
  /** How many frames do not count. */
  left = 0;

  /** `noise` is the sensor's, where it is known already. */
  constructor(noise?: Scene["noise"]) {
    this.#builder = new SceneBuilder(noise);
    this.#before = new SceneBuilder(noise);
  }

  /** Takes the next frame. */
  add(frame: DepthFrame): void {
    const { frames, taken, noise } = this.#before;
    const moves = frames > 0 && this.#before.changedIn(frame) > (frames < FIRST ? MOVES_AT_FIRST : MOVES);
    if (moves && this.left === 0) {
      this.left = this.#builder.frames - 1;
      this.#builder = new SceneBuilder(noise);
      this.#builder.add(frameOf(taken.first[0]));
    }
    if (frames < FIRST) this.#before.add(frame);
    if (moves || this.left > 0 || !this.#builder.add(frame)) this.left++;
  }

  /** The mean; `undefined` before the first frame. */
  build(): Scene | undefined {
    return this.#builder.build();
  }
}
