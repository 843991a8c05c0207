import type { Intrinsics } from "../../sources/core/frame.ts";
import type { Rigid } from "../../stages/core/pose.ts";
import { type DepthStep, hanging, stepsOf } from "./between.ts";
import type { Filtered } from "./chains.ts";
import { type Depth, picked, ratio } from "./image.ts";
import { type MotionFigures, MotionScore } from "./motion.ts";
import { largestPlane, planeRms } from "./plane.ts";
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
  readonly between: { readonly raw: number | null; readonly out: number | null };
  /** RMS distance to the largest plane, mm. */
  readonly plane: { readonly raw: number; readonly out: number; readonly reference: number | null } | null;
  /** Only for a moving camera. */
  readonly motion: MotionFigures | null;
}

/** Per-frame data that the figures of all filters share. */
export interface FrameFacts {
  readonly raw: Depth;
  readonly truth: Depth | undefined;
  readonly edge: Uint8Array;
  readonly still: StillFrame | undefined;
  readonly steps: readonly DepthStep[];
}

/** Data of the whole set that the figures of all filters share. */
export class Facts {
  readonly still: Still | undefined;
  readonly sigma: Float64Array;
  readonly plane: Uint8Array | undefined;
  readonly planeReference: number | undefined;
  readonly #picked: ReadonlySet<number>;

  /** `poses`: by which a surface's change from frame to frame is judged, where the camera moves. */
  constructor(
    readonly recorded: Recorded,
    readonly poses?: readonly Rigid[],
  ) {
    const { raw, truth, intrinsics, fixed } = recorded;
    const every = picked(raw.length);
    this.#picked = new Set(every);
    const some = every.filter((_, k) => k % 4 === 0);
    const pairs = truth ? some.map((t) => ({ raw: this.depth(raw[t]), truth: this.depth(truth[t]) })) : [];
    this.sigma = noiseByBand(pairs);
    if (!fixed) return;
    this.still = stillOf(raw, intrinsics.width, recorded.metresPerUnit * 1000);
    const { reference, mask } = this.still;
    const seen = reference.mm.map((z, i) => (mask[i] ? z : 0));
    this.plane = largestPlane(seen, intrinsics);
    this.planeReference = this.plane && planeRms(seen, this.plane, intrinsics);
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
      steps: this.#picked.has(t) ? stepsOf(raw) : [],
    };
  }
}

/** Accumulates one filter's figures, frame by frame. */
export class Score {
  readonly #truth: TruthScore | undefined;
  readonly #still: StillScore | undefined;
  readonly #between = { raw: [0, 0], out: [0, 0] };
  readonly #pixels = { holes: 0, invented: 0, valid: 0, lost: 0 };
  readonly #motion: MotionScore | undefined;
  readonly #planes: [raw: number, out: number][] = [];

  constructor(readonly facts: Facts) {
    if (facts.recorded.truth) this.#truth = new TruthScore(facts.sigma);
    if (facts.still) this.#still = new StillScore(facts.still);
    const { intrinsics, poses } = facts.recorded;
    if (facts.poses) this.#motion = new MotionScore(intrinsics, poses, facts.poses);
  }

  add(frame: FrameFacts, out: Filtered): void {
    const { raw, truth, edge, still, steps } = frame;
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
    this.#motion?.add(raw, out, out.camera);
    for (const [sum, image] of [
      [this.#between.raw, raw],
      [this.#between.out, out],
    ] as const) {
      const [hang, valid] = hanging(steps, image);
      sum[0] += hang;
      sum[1] += valid;
    }
    this.#plane(raw, out);
  }

  #plane(raw: Depth, out: Depth): void {
    const { plane, still, recorded } = this.facts;
    if (!plane || !still) return;
    const mask = plane.map((on, i) => {
      const [z, at] = [raw.mm[i], still.reference.mm[i]];
      return on && z > 0 && out.mm[i] > 0 && Math.abs(z - at) < 0.03 * at ? 1 : 0;
    });
    this.#planes.push([planeRms(raw.mm, mask, recorded.intrinsics), planeRms(out.mm, mask, recorded.intrinsics)]);
  }

  figures(): Figures {
    const { holes, invented, valid, lost } = this.#pixels;
    const planes = this.#planes;
    const mean = (k: 0 | 1) => planes.reduce((sum, pair) => sum + pair[k], 0) / planes.length;
    return {
      invented: ratio(invented, holes),
      lost: ratio(lost, valid),
      truth: this.#truth?.figures() ?? null,
      still: this.#still?.figures() ?? null,
      motion: this.#motion?.figures() ?? null,
      between: {
        raw: ratio(this.#between.raw[0], this.#between.raw[1]),
        out: ratio(this.#between.out[0], this.#between.out[1]),
      },
      plane: planes.length > 0 ? { raw: mean(0), out: mean(1), reference: this.facts.planeReference ?? null } : null,
    };
  }
}
