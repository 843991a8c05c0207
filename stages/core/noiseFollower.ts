import { type DepthFrame, image } from "../../sources/core/frame.ts";
import { areasOf } from "./areas.ts";
import { estimateNoise, type Noise, type SensorNoise, WHITE } from "./noise.ts";

/** Noise is measured in three successive frames of so many. */
const PERIOD = 32;
const LOOKED_AT = 3;
/** Noise that is more or less than this times what the filters use is followed. */
const OFF = 1.25;
/** Filters go over to other noise in so many frames, so that nobody sees them do it. */
const GLIDE = 16;

/**
 * Keeps filters at the noise of the frames that they filter. It measures now and then, and believes a change that two measurements in a row
 * agree on. All follows from the frames and their order. It must see each frame before the filters do.
 */
export class NoiseFollower {
  #used: SensorNoise | undefined;
  #from: SensorNoise | undefined;
  #aim: SensorNoise | undefined;
  #left = 0;
  #doubted: Noise | undefined;
  #seen = 0;
  #kept: DepthFrame[] = [];

  /** Filters that have been told nothing go by the first measurement at once. */
  constructor(
    /** Tells the filters, with `Stage.applyNoise`. */
    readonly apply: (noise: SensorNoise) => void,
    /** What they have been told, if anything. */
    told?: SensorNoise,
  ) {
    this.#used = told;
  }

  /** Takes the next frame. Returns other noise where the filters begin to go over to that. */
  see(frame: DepthFrame): Noise | undefined {
    const noise = this.#measured(frame);
    const next = noise && this.#believed(noise) ? noise : undefined;
    if (next) {
      this.#from = this.#used ?? { ...next };
      this.#aim = next;
      this.#left = this.#used ? GLIDE : 1;
    }
    this.#goOn();
    return next;
  }

  #measured(frame: DepthFrame): Noise | undefined {
    const [last] = this.#kept.slice(-1);
    const follows = !frame.jump && (!last || last.depth.data.length === frame.depth.data.length);
    if (!follows) [this.#kept, this.#seen] = [[], 0];
    const place = this.#seen++ % PERIOD;
    if (place >= LOOKED_AT) return undefined;
    if (place < LOOKED_AT - 1) {
      // The source may use its memory for later frames.
      const { depth } = frame;
      this.#kept.push({ ...frame, depth: image(new Uint16Array(depth.data), [...depth.shape]) });
      return undefined;
    }
    const frames = [...this.#kept, frame];
    this.#kept = [];
    // Little work, unlike what a camera that moves asks for.
    return areasOf(frames)?.still ? estimateNoise(frames) : undefined;
  }

  /** Whether the filters should go by this noise from now on. */
  #believed(noise: Noise): boolean {
    const used = this.#aim ?? this.#used;
    if (used?.still && isLike(used, noise)) {
      this.#doubted = undefined;
      return false;
    }
    const agrees = !used || (this.#doubted !== undefined && isLike(this.#doubted, noise));
    this.#doubted = agrees ? undefined : noise;
    return agrees;
  }

  #goOn(): void {
    if (this.#left === 0 || !this.#from || !this.#aim) return;
    const share = 1 - --this.#left / GLIDE;
    this.#used = between(this.#from, this.#aim, share);
    this.apply(this.#used);
  }
}

/** Whether noise is much the same as `measured`, near and far as that was measured. */
function isLike({ a, b, grain = WHITE }: SensorNoise, measured: Noise): boolean {
  const near = (one: number, other: number) => one < OFF * other && other < OFF * one;
  const at = (metres: number) => near(a + b * metres * metres, measured.sigmaMm(metres));
  return at(measured.nearM) && at(measured.farM) && near(grain, measured.grain ?? WHITE);
}

function between(from: SensorNoise, to: SensorNoise, share: number): SensorNoise {
  const mixed = (one: number, other: number) => one + share * (other - one);
  return {
    a: mixed(from.a, to.a),
    b: mixed(from.b, to.b),
    nearM: mixed(from.nearM ?? from.farM, to.nearM ?? to.farM),
    farM: mixed(from.farM, to.farM),
    still: mixed(from.still ?? 0, to.still ?? 0),
    grain: mixed(from.grain ?? WHITE, to.grain ?? WHITE),
    stepPerM2Mm: mixed(from.stepPerM2Mm ?? 0, to.stepPerM2Mm ?? 0),
  };
}
