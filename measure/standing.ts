import type { DepthFrame } from "../core/frame.ts";
import { type Region, type Scene, SceneBuilder } from "./scene.ts";

/** The mean is of the last frames, this many at most. */
const WINDOW = 30;
/** Something moves if more than this share of the steady pixels see another depth than before. */
const MOVES = 0.0025;
/** The share in place of MOVES in the first frames, whose noise is not averaged yet, and the number of these frames. */
const MOVES_AT_FIRST = 0.02;
const FIRST = 5;

/** The mean of the last frames of a camera as they come, for as long as it stands and nothing before it moves; then it begins anew. */
export class Standing {
  #builder = new SceneBuilder();
  #last: DepthFrame[] = [];
  /** How many frames in a row saw something else than the ones before. */
  #moving = 0;

  /** Takes the next frame and keeps its memory. */
  add(frame: DepthFrame): void {
    const { index, timestamp } = frame;
    const known = this.#last.findIndex((one) => one.index === index && one.timestamp === timestamp);
    if (known >= 0) {
      // A recording that plays again shows nothing new, so its frames must not make the ± smaller.
      this.#last.push(...this.#last.splice(known, 1));
      return;
    }
    const { frames, noise } = this.#builder;
    const { shift } = this.#builder;
    const changed = frames > 0 ? this.#builder.changedIn(frame) : 0;
    const moves = changed > (frames < FIRST ? MOVES_AT_FIRST : MOVES) || Math.abs(this.#builder.shift - shift) > 1;
    if (moves) {
      this.#builder = new SceneBuilder(frames < 3 ? undefined : noise);
      this.#last = [];
    }
    this.#moving = moves ? this.#moving + 1 : 0;
    this.#builder.add(frame);
    this.#last.push(frame);
    const oldest = this.#last.length > WINDOW ? this.#last.shift() : undefined;
    if (oldest) this.#builder.remove(oldest);
  }

  /** The number of frames in the mean. */
  get frames(): number {
    return this.#builder.frames;
  }

  /** How many frames in a row saw something move. */
  get moving(): number {
    return this.#moving;
  }

  /** The mean of the frames so far; `undefined` before the first frame. */
  build(): Scene | undefined {
    return this.#builder.build();
  }

  /** The scene of the last frame alone, with the noise of all frames. */
  single(): Scene | undefined {
    const [frame] = this.#last.slice(-1);
    const alone = new SceneBuilder(this.#builder.noise);
    if (frame) alone.add(frame);
    return alone.build();
  }

  /** See `SceneBuilder.variesBy`. */
  variesBy(rect: Region): number {
    return this.#builder.variesBy(rect);
  }
}
