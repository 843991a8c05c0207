import type { DepthFrame } from "../core/frame.ts";
import { frameOf } from "../core/plainFrame.ts";
import { type Scene, SceneBuilder } from "./scene.ts";

/** A frame sees something move if more than this share of the steady pixels has changed; more, while the noise is not known yet. */
const MOVES = 0.0035;
const MOVES_AT_FIRST = 0.0075;
const FIRST = 3;
/** At most BRIEF frames in a row are left out by themselves, if less than the share CALM of the picture had changed before them. */
const BRIEF = 3;
const CALM = MOVES / 4;

/**
 * The mean of frames while all before the camera stands. A few frames into which something comes suddenly are left out. Once anything moves
 * slowly or for longer the first frame alone counts: a mean would mix places.
 */
export class StillScene {
  #builder: SceneBuilder;
  /** The first frames, with which each later one is compared: a mean of all would follow a slow motion. */
  readonly #before: SceneBuilder;
  /** How many frames in a row saw something move, and the share that had changed before these. */
  #moving = 0;
  #share = 0;
  #isFirstAlone = false;
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
    const share = frames > 0 ? this.#before.changedIn(frame) : 0;
    const moves = share > (frames < FIRST ? MOVES_AT_FIRST : MOVES);
    this.#moving = moves ? this.#moving + 1 : 0;
    if (!moves) this.#share = share;
    if (moves && !this.#isFirstAlone && (this.#moving > BRIEF || this.#share > CALM)) {
      this.#isFirstAlone = true;
      this.left += this.#builder.frames - 1;
      this.#builder = new SceneBuilder(noise);
      this.#builder.add(frameOf(taken.first[0]));
    }
    if (frames < FIRST && !moves) this.#before.add(frame);
    if (moves || this.#isFirstAlone || !this.#builder.add(frame)) this.left++;
  }

  /** The mean; `undefined` before the first frame. */
  build(): Scene | undefined {
    return this.#builder.build();
  }
}
