import { type ColorArray, type DepthFrame, image } from "../../core/frame.ts";
import type { TakenScene } from "../field.ts";
import { type Scene, SceneBuilder } from "../scene.ts";
import { type Motion, MotionWatch, type Watched } from "./motion.ts";
import { MeanPicture, type Pictured } from "./picture.ts";
import { Backdrop, type Stood } from "./stand.ts";

/** What a `RigCamera` has taken, as plain data for another thread. */
export interface TakenRig {
  readonly scene: TakenScene;
  readonly stood: Stood;
  readonly watched: Watched;
  readonly pictured: Pictured;
  readonly color: { readonly data: ColorArray["data"]; readonly shape: number[] } | undefined;
  readonly left: number;
}

/** Takes the frames of one camera of a rig, which stands; things before it may move. */
export class RigCamera {
  readonly #builder: SceneBuilder;
  readonly #backdrop: Backdrop;
  readonly #watch: MotionWatch;
  readonly #picture: MeanPicture;
  #color: ColorArray | undefined;
  #left: number;

  /** @internal `taken`: what an earlier rig has taken; this rig goes on with it. */
  constructor(taken?: TakenRig) {
    this.#builder = new SceneBuilder(undefined, taken?.scene);
    this.#backdrop = new Backdrop(taken?.stood);
    this.#watch = new MotionWatch(taken?.watched);
    this.#picture = new MeanPicture(taken?.pictured);
    this.#color = taken?.color && image(taken.color.data, taken.color.shape);
    this.#left = taken?.left ?? 0;
  }

  /**
   * What it has taken, to be copied to another thread.
   * @internal
   */
  get taken(): TakenRig {
    const color = this.#color && { data: this.#color.data, shape: [...this.#color.shape] };
    const parts = { stood: this.#backdrop.taken, watched: this.#watch.taken, pictured: this.#picture.taken };
    return { scene: this.#builder.taken, ...parts, color, left: this.#left };
  }

  /** Takes the next frame; the source may use its memory for later ones. */
  add(frame: DepthFrame): void {
    const isKept = this.#builder.add(frame);
    const { color } = frame;
    if (isKept) {
      this.#backdrop.add(frame);
      this.#watch.add(frame);
      if (color) this.#picture.add(color);
    } else this.#left++;
    if (color && !this.#color) this.#color = image(color.data.slice(), [...color.shape]);
  }

  /** The number of frames in the mean. */
  get frames() {
    return this.#builder.frames;
  }
  /** Its first picture in colour. */
  get color() {
    return this.#color;
  }
  /** The grey mean of its pictures, 0 to 255, row-major. */
  get grey() {
    return this.#picture.grey;
  }
  /** How many frames see something else than the first, because the camera moved. */
  get left() {
    return this.#left;
  }

  /** What moved before the camera; `undefined` before the first frame. */
  motion(): Motion | undefined {
    return this.#watch.build(this.#builder.noise);
  }
  /** The mean of what stands; `undefined` before the first frame. */
  build(): Scene | undefined {
    const scene = this.#builder.build();
    return scene && this.#backdrop.behind(scene);
  }
}
