import type { DepthFrame } from "../core/frame.ts";
import { SourceError } from "../core/source.ts";
import type { Stage } from "../stages/core/stage.ts";
import { followNoise, noiseThrough } from "./noise.ts";
import { type NoiseAside, noiseAside } from "./noiseAside.ts";
import type { PipelineOptions } from "./options.ts";
import { matcherOf, pairWatch } from "./pair.ts";
import type { ProcessOptions } from "./process.ts";
import type { StageRescaler } from "./stageRescaler.ts";

/** The parts of a pipeline that depend on the stream. */
export interface Settable {
  readonly stages: readonly Stage[];
  readonly options: Pick<PipelineOptions, "noise" | "onWarning">;
  isEnabled(name: string): boolean;
  /** Its `begin` takes the frame whose range decides the unit. */
  readonly unit: Pick<StageRescaler, "begin">;
}

/** Suits the filters to one stream: the unit in which they work, and the parameters that follow the sensor's noise. Looks at its pairs. */
export class StreamSettings {
  #hasBegun = false;
  #follow: ((frame: DepthFrame) => void) | undefined;
  #aside: NoiseAside | undefined;
  #watch: ((frame: DepthFrame) => void) | undefined;
  #isOver = false;

  /** For a stream that `waits`, noise is measured between frames, so that it gives the same depth each time. */
  constructor(
    readonly pipeline: Settable,
    readonly options: Pick<ProcessOptions, "unitFrom" | "before">,
    readonly waits: boolean,
  ) {
    pipeline.unit.begin(options.unitFrom);
  }

  /**
   * Suits the filters to the recording of the stream's first frame, whichever of its frames that is. Later calls do nothing. Throws a
   * `SourceError` for pairs that must not be matched.
   */
  async begin(frame: DepthFrame): Promise<void> {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const { stages, options, unit } = this.pipeline;
    const { noise: mode = "follow", onWarning } = options;
    const matcher = this.#matcher;
    const follows = mode !== "none" && (matcher !== undefined || stages.some(({ followsNoise }) => followsNoise));
    const firsts =
      (follows || (frame.index > 0 && !this.options.unitFrom) ? await frame.firstFrames?.() : undefined) ?? [];
    if (firsts[0] && !this.options.unitFrom) unit.begin(firsts[0]);
    // The stream may have ended while its first frames were read.
    if (!follows || this.#isOver) return;
    const { noise, amiss } = noiseThrough(firsts, matcher);
    if (amiss?.refuses) throw new SourceError(amiss.line);
    if (amiss) onWarning?.(amiss.line);
    // What the camera measures says nothing about the matcher's depth.
    const ends = matcher !== undefined || (mode === "measured" && noise !== undefined);
    if (!ends && !this.waits) this.#aside = noiseAside();
    const follow = followNoise(stages, noise, undefined, this.#aside?.measure);
    if (ends) return;
    this.#follow = (next) => {
      if (!follow(next) || mode !== "measured") return;
      this.#follow = undefined;
      this.end();
    };
  }

  /** The stage that matches depth from the frames' pairs, if one does. */
  get #matcher(): Stage | undefined {
    return matcherOf(this.pipeline.stages.filter(({ name }) => this.pipeline.isEnabled(name)));
  }

  /** Has the filters follow the noise, looks at the pair, and calls `before`; call it with each frame before the filters get it. */
  see(frame: DepthFrame): void {
    const { onWarning } = this.pipeline.options;
    if (onWarning && this.#matcher) {
      this.#watch ??= pairWatch(onWarning);
      this.#watch(frame);
    }
    this.#follow?.(frame);
    this.options.before?.(frame);
  }

  /** Ends what measures for the stream. */
  end(): void {
    this.#isOver = true;
    this.#aside?.end();
  }
}
