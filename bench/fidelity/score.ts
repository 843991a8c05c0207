import type { Intrinsics } from "../../core/frame.ts";
import type { Rigid } from "../../core/pose.ts";
import type { Filtered } from "./chains.ts";
import { type Depth, picked, ratio } from "./image.ts";
import { type MotionFigures, MotionScore } from "./motion.ts";
import { type Still, type StillFrame, stillFrame, stillOf } from "./still.ts";
import { type StillFigures, StillScore } from "./stillScore.ts";
import { edgesOf, noiseByBand, type TruthFigures, TruthScore } from "./truth.ts";

/** Frames that are measured together. */
export interface Recorded {
  readonly intrinsics: Intrinsics;
  readonly metresPerUnit: number;
  readonly raw: readonly Uint16Array[];
  /** Depth in the same unit as raw, or undefined where it is unknown. */
  readonly truth: readonly Uint16Array[] | undefined;
  /** Whether the camera stands still. */
  readonly fixed: boolean;
  /** The true poses of a camera that moves, from each frame's camera to one place, where they are known. */
  readonly poses?: readonly Rigid[];
}

/** A filter's figures, in mm and shares. */
export interface Figures {
  readonly invented: number | null;
  readonly lost: number | null;
  readonly truth: TruthFigures | null;
  readonly still: StillFigures | null;
  /** Only for a moving camera. */
  readonly motion: MotionFigures | null;
}

/** Per-frame data that the figures of all filters share. */
interface FrameFacts {
  readonly raw: Depth;
  readonly truth: Depth | undefined;
  readonly edge: Uint8Array;
  readonly still: StillFrame | undefined;
}

/** Data of the whole set that the figures of all filters share. */
export class Facts {
  readonly still: Still | undefined;
  readonly sigma: Float64Array;

  /** Where the camera moves, a surface's change from frame to frame is judged by `poses`. */
  constructor(
    readonly recorded: Recorded,
    readonly poses?: readonly Rigid[],
  ) {
    const { raw, truth, intrinsics, fixed } = recorded;
    const some = picked(raw.length).filter((_, k) => k % 4 === 0);
    const pairs = truth ? some.map((t) => ({ raw: this.depth(raw[t]), truth: this.depth(truth[t]) })) : [];
    this.sigma = noiseByBand(pairs);
    if (fixed) this.still = stillOf(raw, intrinsics.width, recorded.metresPerUnit * 1000);
  }

  depth(units: Uint16Array): Depth {
    const { intrinsics, metresPerUnit } = this.recorded;
    const mmPerUnit = metresPerUnit * 1000;
    return { width: intrinsics.width, height: intrinsics.height, mm: Float32Array.from(units, (u) => u * mmPerUnit) };
  }

  frame(t: number): FrameFacts {
    const raw = this.depth(this.recorded.raw[t]);
    const truth = this.recorded.truth && this.depth(this.recorded.truth[t]);
    return {
      raw,
      truth,
      edge: truth ? edgesOf(truth) : new Uint8Array(),
      still: this.still && stillFrame(raw, this.still),
    };
  }
}

/** Accumulates one filter's figures, frame by frame. */
export class Score {
  readonly #truth: TruthScore | undefined;
  readonly #still: StillScore | undefined;
  readonly #pixels = { holes: 0, invented: 0, valid: 0, lost: 0 };
  readonly #motion: MotionScore | undefined;

  constructor(readonly facts: Facts) {
    if (facts.recorded.truth) this.#truth = new TruthScore(facts.sigma);
    if (facts.still) this.#still = new StillScore(facts.still);
    const { intrinsics, poses } = facts.recorded;
    if (facts.poses) this.#motion = new MotionScore(intrinsics, poses, facts.poses);
  }

  add(frame: FrameFacts, out: Filtered): void {
    const { raw, truth, edge, still } = frame;
    for (let i = 0; i < raw.mm.length; i++) {
      const there = out.mm[i] > 0;
      if (raw.mm[i] > 0) {
        this.#pixels.valid++;
        if (!there) this.#pixels.lost++;
      } else {
        this.#pixels.holes++;
        if (there) this.#pixels.invented++;
      }
    }
    if (truth) this.#truth?.add(raw, out, truth, edge);
    if (still) this.#still?.add(still, out);
    this.#motion?.add(out, out.camera);
  }

  figures(): Figures {
    const { holes, invented, valid, lost } = this.#pixels;
    return {
      invented: ratio(invented, holes),
      lost: ratio(lost, valid),
      truth: this.#truth?.figures() ?? null,
      still: this.#still?.figures() ?? null,
      motion: this.#motion?.figures() ?? null,
    };
  }
}
