import { countValid, type DepthFrame, type FrameShape, isBlank, sameShape, shapeOf } from "../../../core/frame.ts";
import type { RecordedSource } from "../../../sources/index.ts";
import type { Noise } from "../../../stages/core/noise.ts";
import { AGAIN } from "../../../stages/core/resources.ts";
import type { CpuFrame, Twin } from "../../../stages/core/stage.ts";
import { despeckle } from "../../../stages/index.ts";
import type { FrameRange } from "../../unreadable.ts";
import { type Figures, NOISE_AT_M, rounded } from "./figures.ts";
import { gapsIn } from "./gaps.ts";

/** Flying pixels are counted on no more frames than this. */
const LOOKED_AT = 16;
/** Noise is reported at a distance if at least this share of the valid pixels lies within a quarter of that distance. */
const ENOUGH_NEAR = 0.02;
const NEAR = 0.25;

/** Measures a recording's frames, as they come, one after the other. */
export class Measuring {
  readonly #every: number;
  readonly #despeckle = despeckle();
  #looked: { readonly shape: FrameShape; readonly twin: Twin } | undefined;
  #first: DepthFrame | undefined;
  #before: DepthFrame | undefined;
  /** The pixels that had a measurement in a frame of the first frame's size, and the sums of such frames. */
  #ever = new Uint8Array();
  readonly #sized = { frames: 0, valid: 0 };
  readonly #all = { frames: 0, unreadable: 0, empty: 0, pixels: 0, valid: 0 };
  readonly #flying = { taken: 0, of: 0 };
  readonly #colour = { frames: 0, repeated: 0 };
  readonly #histogram = new Float64Array(65536);

  /** `noise` is that of the recording's first frames; despeckle needs it to tell surfaces from flying pixels. `warned` counts warnings. */
  constructor(
    readonly recording: Pick<RecordedSource, "format" | "fps" | "timestampOf">,
    readonly part: FrameRange,
    readonly noise: Noise | undefined,
    readonly warned = 0,
  ) {
    this.#every = Math.ceil(part.count / LOOKED_AT);
    this.#despeckle.applyNoise(noise);
  }

  /** A frame that could not be read. */
  lost(): void {
    this.#all.unreadable++;
  }

  /** Call it for each frame before a stage sees it. */
  see(frame: DepthFrame): void {
    const { depth, index, color } = frame;
    const valid = countValid(depth);
    const all = this.#all;
    all.frames++;
    all.pixels += depth.data.length;
    all.valid += valid;
    if (valid === 0) all.empty++;
    if ((index - this.part.start) % this.#every === 0) this.#look(frame, valid);
    this.#fill(frame, valid);
    if (color) {
      this.#colour.frames++;
      const before = this.#before?.color;
      if (before && Buffer.compare(before.data, color.data) === 0) this.#colour.repeated++;
    }
    this.#first ??= frame;
    this.#before = frame;
  }

  #look(frame: DepthFrame, valid: number): void {
    const { depth, color } = frame;
    for (const value of depth.data) this.#histogram[value]++;
    if (valid === 0) return;
    const shape = shapeOf(frame);
    if (!this.#looked || !sameShape(shape, this.#looked.shape))
      this.#looked = { shape, twin: this.#despeckle.twin(shape, this.#looked?.twin) };
    const run: CpuFrame = { depth, color, points: undefined, picture: undefined };
    this.#looked.twin.run(run, AGAIN);
    this.#flying.taken += valid - countValid(run.depth);
    this.#flying.of += valid;
  }

  #fill({ depth: { data } }: DepthFrame, valid: number): void {
    if (this.#sized.frames === 0) this.#ever = new Uint8Array(data.length);
    if (data.length !== this.#ever.length) return;
    for (let i = 0; i < data.length; i++) if (data[i] !== 0) this.#ever[i] = 1;
    this.#sized.frames++;
    this.#sized.valid += valid;
  }

  /** All figures. Call it after the last frame. */
  figures(): Figures {
    const { recording, part } = this;
    const { frames, unreadable, empty, pixels, valid } = this.#all;
    const [first, flying, colour] = [this.#first, this.#flying, this.#colour];
    const times = Array.from({ length: part.count }, (_, i) => recording.timestampOf(part.start + i));
    const { longestGapMs, durationMs, ...gaps } = gapsIn(times);
    const ever = this.#ever.reduce((sum, one) => sum + one, 0) * this.#sized.frames;
    const share = (some: number, of: number) => (of > 0 ? rounded(some / of) : null);
    const [noise1m, noise2m, noise3m, noise4m] = NOISE_AT_M.map((atM) => this.#noiseAt(atM));
    return {
      format: recording.format,
      width: first?.intrinsics.width ?? null,
      height: first?.intrinsics.height ?? null,
      frames,
      unreadable,
      empty,
      ...gaps,
      longestGapMs: rounded(longestGapMs),
      durationMs: rounded(durationMs),
      fps: rounded(recording.fps),
      valid: share(valid, pixels),
      fill: share(this.#sized.valid, ever),
      flying: share(flying.taken, flying.of),
      noise1m,
      noise2m,
      noise3m,
      noise4m,
      colour: share(colour.frames, frames) ?? 0,
      colourRepeats: share(colour.repeated, colour.frames),
      warned: this.warned,
    };
  }

  #noiseAt(atM: number): number | null {
    if (!this.noise || !this.#first) return null;
    const at = atM / this.#first.metresPerUnit;
    const within = (from: number, to: number) =>
      this.#histogram.subarray(Math.max(1, Math.ceil(from)), Math.floor(to) + 1).reduce((sum, n) => sum + n, 0);
    const near = within(at * (1 - NEAR), at * (1 + NEAR));
    return near > 0 && near >= ENOUGH_NEAR * within(1, 65535) ? rounded(this.noise.seenMm(atM)) : null;
  }
}

/** Chooses the frame that stands for a recording: the first after its middle with a valid pixel, else the last before. */
export class Chosen {
  frame: DepthFrame | undefined;
  #behind = false;

  constructor(readonly middle: number) {}

  see(frame: DepthFrame): void {
    if (this.#behind || isBlank(frame.depth)) return;
    this.frame = frame;
    this.#behind = frame.index >= this.middle;
  }
}
