import type { DepthFrame } from "../core/frame.ts";
import type { Stage } from "../stages/core/stage.ts";
import { followNoise, matcherOf, noiseThrough } from "./noise.ts";
import { type NoiseAside, noiseAside } from "./noiseAside.ts";
import type { NoiseMode } from "./options.ts";
import type { ProcessOptions } from "./process.ts";
import type { StageRescaler } from "./stageRescaler.ts";

/** The parts of a pipeline that depend on the stream. */
export interface Settable {
  readonly stages: readonly Stage[];
  readonly noise: NoiseMode;
  /** Its `begin` takes the frame whose range decides the unit. */
  readonly unit: Pick<StageRescaler, "begin">;
}

/** Suits the filters to one stream: the unit in which they work, and the parameters that follow the sensor's noise. */
export class StreamSettings {
  #hasBegun = false;
  #follow: ((frame: DepthFrame) => void) | undefined;
  #aside: NoiseAside | undefined;
  #isOver = false;

  /** For a stream that `waits`, noise is measured between frames, so that it gives the same depth each time. */
  constructor(
    readonly pipeline: Settable,
    readonly options: Pick<ProcessOptions, "unitFrom" | "before">,
    readonly waits: boolean,
  ) {
    pipeline.unit.begin(options.unitFrom);
  }

  /** Suits the filters to the recording of the stream's first frame, whichever of its frames that is. Later calls do nothing. */
  async begin(frame: DepthFrame): Promise<void> {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const { stages, noise: mode, unit } = this.pipeline;
    const follows = mode !== "none" && stages.some(({ followsNoise }) => followsNoise);
    const firsts =
      (follows || (frame.index > 0 && !this.options.unitFrom) ? await frame.firstFrames?.() : undefined) ?? [];
    if (firsts[0] && !this.options.unitFrom) unit.begin(firsts[0]);
    // The stream may have ended while its first frames were read.
    if (!follows || this.#isOver) return;
    const matcher = matcherOf(stages);
    const noise = noiseThrough(firsts, matcher);
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

  /** Has the filters follow the noise, and calls `before`; call it with each frame before the filters get it. */
  see(frame: DepthFrame): void {
    this.#follow?.(frame);
    this.options.before?.(frame);
  }

  /** Ends what measures for the stream. */
  end(): void {
    this.#isOver = true;
    this.#aside?.end();
  }
}
