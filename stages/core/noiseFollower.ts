import { type DepthFrame, image } from "../../core/frame.ts";
import { type Areas, areasOf } from "./areas.ts";
import { type FoundNoise, noiseWithin, type SensorNoise, WHITE } from "./noise.ts";

/** Noise is measured in the first `LOOKED_AT` of every `PERIOD` frames, and of every `UNKNOWN_PERIOD` while no grain is known. */
const PERIOD = 32;
const UNKNOWN_PERIOD = 8;
export const LOOKED_AT = 3;
/** The filters follow noise that differs from theirs by more than this factor. */
const OFF = 1.25;
/** The number of frames over which the filters change to other noise, so that the change is not visible. */
const GLIDE = 16;

/**
 * Keeps the filters' noise parameters at the noise of the frames that they filter. Noise is measured from time to time; a change counts
 * when two successive measurements agree on it. The result depends on the frames and their order alone, unless noise is measured
 * `elsewhere`. Call `see` with each frame before the filters get it.
 */
export class NoiseFollower {
  #used: SensorNoise | undefined;
  #from: SensorNoise | undefined;
  #aim: SensorNoise | undefined;
  #left = 0;
  #doubted: FoundNoise | undefined;
  #seen = 0;
  /** What `elsewhere` found and no frame has taken yet. */
  #found: FoundNoise | undefined;
  #isAsked = false;
  /** The frames that are looked at, in memory of the follower's own: the source may use its memory for later frames. */
  readonly #kept: DepthFrame[] = [];
  #areas: Areas | undefined;

  /** Filters without known noise take the first measurement at once. */
  constructor(
    /** Passes noise to the filters, with `Stage.applyNoise`. */
    readonly apply: (noise: SensorNoise) => void,
    /** The noise that the filters have been given, if any. */
    told?: SensorNoise,
    /**
     * Measures noise on another thread, so that no frame waits for it; the filters then follow some frames later. `isKnown` is false while
     * no grain is known. Copies the frames' arrays or transfers them there before it returns; those that are put back are used again.
     * Default: the thread that calls `see` measures, in two steps of some ms.
     */
    readonly elsewhere?: (frames: readonly DepthFrame[], isKnown: boolean) => Promise<FoundNoise | undefined>,
  ) {
    this.#used = told;
  }

  /** Takes the next frame. Returns the new noise when the filters begin to change to it. */
  see(frame: DepthFrame): FoundNoise | undefined {
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

  #measured(frame: DepthFrame): FoundNoise | undefined {
    if (frame.jump || this.#kept[0]?.depth.size !== frame.depth.size) this.#seen = 0;
    const isKnown = this.#used !== undefined && this.#used.certain !== 0;
    const place = this.#seen++ % (isKnown ? PERIOD : UNKNOWN_PERIOD);
    if (place < LOOKED_AT) this.#keep(frame, place);
    return this.elsewhere ? this.#measuredElsewhere(place, isKnown) : this.#measuredHere(place, isKnown);
  }

  /** Half of the work is done with the last frame that is looked at, half with the one after. */
  #measuredHere(place: number, isKnown: boolean): FoundNoise | undefined {
    if (place === LOOKED_AT - 1) this.#areas = areasOf(this.#kept);
    return place === LOOKED_AT ? noiseToFollow(this.#kept, isKnown, this.#areas) : undefined;
  }

  #measuredElsewhere(place: number, isKnown: boolean): FoundNoise | undefined {
    const found = this.#found;
    this.#found = undefined;
    if (place === LOOKED_AT - 1 && !this.#isAsked) {
      this.#isAsked = true;
      void this.elsewhere?.([...this.#kept], isKnown).then((noise) => {
        this.#found = noise;
        this.#isAsked = false;
      });
    }
    return found;
  }

  #keep(frame: DepthFrame, place: number): void {
    const { metresPerUnit, intrinsics, timestamp, index } = frame;
    const { data, shape } = frame.depth;
    const before = this.#kept[place]?.depth;
    const isAlike = before?.data.length === data.length && before.shape[1] === shape[1];
    const depth = isAlike ? before : image(new Uint16Array(data.length), [...shape]);
    depth.data.set(data);
    this.#kept[place] = { metresPerUnit, intrinsics, timestamp, index, depth };
  }

  /** Whether the filters should follow this noise from now on. */
  #believed(noise: FoundNoise): boolean {
    const used = this.#aim ?? this.#used;
    if (used?.certain && isLike(used, noise)) {
      this.#doubted = undefined;
      return false;
    }
    const agrees = !used?.certain || (this.#doubted !== undefined && isLike(this.#doubted, noise));
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

/** The noise of three frames, if it is worth following; while a grain is known, only the noise of a camera that stands is. */
export function noiseToFollow(frames: readonly DepthFrame[], isKnown: boolean, areas: Areas | undefined) {
  // Without a grain the estimate is slow, and left out here.
  return areas?.still || (!isKnown && areas?.grain !== undefined) ? noiseWithin(frames, areas) : undefined;
}

/** Whether two noises differ by less than the factor `OFF`, at the near and the far distance of `measured` and in their grain. */
function isLike({ a, b, grain = WHITE }: SensorNoise, measured: FoundNoise): boolean {
  const near = (one: number, other: number) => one < OFF * other && other < OFF * one;
  const at = (metres: number) => near(a + b * metres * metres, measured.a + measured.b * metres * metres);
  return at(measured.nearM) && at(measured.farM) && near(grain, measured.grain ?? WHITE);
}

function between(from: SensorNoise, to: SensorNoise, share: number): SensorNoise {
  const mixed = (one: number, other: number) => one + share * (other - one);
  return {
    a: mixed(from.a, to.a),
    b: mixed(from.b, to.b),
    nearM: mixed(from.nearM ?? from.farM, to.nearM ?? to.farM),
    farM: mixed(from.farM, to.farM),
    certain: mixed(from.certain ?? 0, to.certain ?? 0),
    moving: mixed(from.moving ?? 0, to.moving ?? 0),
    grain: mixed(from.grain ?? WHITE, to.grain ?? WHITE),
    stands: mixed(from.stands ?? 0, to.stands ?? 0),
    stepPerM2Mm: mixed(from.stepPerM2Mm ?? 0, to.stepPerM2Mm ?? 0),
  };
}
