import { Subject, type Subscription } from "rxjs";
import { fittingFovDeg, quantileM } from "../../core/view.ts";
import type { Pipeline, PipelineOptions, ProcessedFrame } from "../../pipeline/index.ts";
import { type DepthFrame, type FrameShape, isRecording, playOf, type Source, shapeOf } from "../../sources/index.ts";
import { setWithin } from "../../stages/core/parameters.ts";
import { compact, defaultStages, dofSplat, paint, split } from "../../stages/index.ts";
import { pipelineAside } from "../pipelineAside.ts";
import { Orbit } from "./orbit.ts";

/** The stage settings that colour points, by the element's word for them. */
export const COLOURS = { camera: undefined, distance: "depth", normal: "normal", clay: "clay", lit: "lit" } as const;
export type Colour = keyof typeof COLOURS;

/** The most pixels of a picture: as many as a GPU draws in time, and as a processor does. */
const MOST_PIXELS = 2_000_000;
const MOST_PIXELS_CPU = 230_000;
/** Holes of the picture are filled this far from their rims, as in the viewer, px. */
const FILL_PX = 24;
/** A divider nearer to the view's camera than this is not drawn, m. */
const NEAR_M = 0.02;
/** While frames come, the next one follows sooner than this, ms. */
const SOON_MS = 120;

/** A place in the element, from (0, 0) top left to (1, 1). */
export type Place = readonly [x: number, y: number];

/** The messages to the element. */
export interface Listener {
  readonly onFrame: (frame: ProcessedFrame) => void;
  readonly onEnd: (error?: unknown) => void;
}

/** Takes a source's frames through the stages and keeps a picture of the newest one. */
export class Show {
  readonly orbit = new Orbit();
  readonly #split = split({ at: 0, fillPx: FILL_PX });
  readonly #paint = paint();
  readonly #picture = dofSplat({ fNumber: 0 });
  readonly #filters = defaultStages().filter(({ role }) => role === "filter");
  readonly #frames$ = new Subject<DepthFrame>();
  #pipeline: Pipeline | undefined;
  #playing: Subscription | undefined;
  #next = 0;
  #frameMs = Number.NEGATIVE_INFINITY;
  #drawing = false;
  #stale = false;
  #colour: Colour = "camera";
  #compare: number | undefined;
  #hasColor = true;
  /** Whether no further frame comes, because of an error. */
  hasFailed = false;
  #box = { width: 0, height: 0 };

  constructor(
    readonly source: Source,
    readonly listener: Listener,
  ) {}

  /** Opens a device and the stages. */
  async open(options: Pick<PipelineOptions, "backend" | "adapter">): Promise<void> {
    const stages = [...this.#filters, this.#split, this.#paint, compact(), this.#picture];
    // Measuring stops at the first result, since it takes the page's own thread.
    this.#pipeline = await pipelineAside({ stages, governor: true, noise: "measured", ...options });
    this.setCompare(this.#compare);
    this.setColour(this.#colour);
    this.resize(this.#box.width, this.#box.height);
    const { onFrame } = this.listener;
    const before = (frame: DepthFrame) => this.#see(frame);
    this.#frames$.pipe(this.#pipeline.process("latest", { before, inFlight: 1 })).subscribe({
      next: (frame) => {
        this.hasFailed = false;
        this.#frameMs = performance.now();
        onFrame(frame);
      },
      error: this.#fail,
    });
  }

  readonly #fail = (error: unknown): void => {
    this.hasFailed = true;
    this.#playing?.unsubscribe();
    this.listener.onEnd(error);
  };

  get pipeline(): Pipeline | undefined {
    return this.#pipeline;
  }

  get isPlaying(): boolean {
    return this.#playing !== undefined && !this.#playing.closed;
  }

  play(): void {
    if (this.isPlaying) return;
    const { source } = this;
    const frames$ = isRecording(source) ? playOf(source, { start: this.#next }) : source.frames$;
    this.#playing = frames$.subscribe({
      next: (frame) => {
        this.#next = frame.index;
        this.#frames$.next(frame);
      },
      error: this.#fail,
      complete: this.listener.onEnd,
    });
  }

  pause(): void {
    this.#playing?.unsubscribe();
    this.#playing = undefined;
    this.refresh();
  }

  /** Takes the size of the element, px of the screen. */
  resize(width: number, height: number): void {
    this.#box = { width, height };
    const { gpu } = this.#pipeline ?? {};
    const most = gpu && !gpu.software ? MOST_PIXELS : MOST_PIXELS_CPU;
    const scale = Math.min(1, Math.sqrt(most / Math.max(1, width * height)));
    const side = (px: number) => Math.max(1, Math.round(px * scale));
    this.#picture.set({ width: side(width), height: side(height) });
    this.refresh();
  }

  setColour(colour: Colour): void {
    this.#colour = colour;
    const by = COLOURS[colour] ?? (this.#hasColor ? undefined : "clay");
    this.#pipeline?.configure("paint", { enabled: by !== undefined });
    if (by) this.#paint.set({ by });
    this.refresh();
  }

  /** Shows raw depth on the left of this share of the depth image's width; nowhere if it is `undefined`. */
  setCompare(at: number | undefined): void {
    this.#compare = at;
    this.#split.set({ at: at ?? 0 });
    this.refresh();
  }

  /**
   * The line between raw and filtered depth, at the distance of the scene's middle, for frames of this shape; `undefined` where nothing is
   * compared or the line lies behind the view.
   */
  dividerOf({ intrinsics: lens }: Pick<FrameShape, "intrinsics">): readonly [top: Place, bottom: Place] | undefined {
    const [at, middleM] = [this.#compare, this.orbit.middleM];
    if (at === undefined || middleM === undefined) return undefined;
    const { pose: m, width, height, verticalFovDeg } = this.#picture.parameters;
    const own = verticalFovDeg === 0;
    const zoom = height / lens.height;
    const focal = height / 2 / Math.tan((verticalFovDeg * Math.PI) / 360);
    const [focalX, focalY] = own ? [lens.fx * zoom, lens.fy * zoom] : [focal, focal];
    const shift = (c: number, size: number) => (own ? (c - (size - 1) / 2) * zoom : 0);
    const [left, above] = [width / 2 + shift(lens.cx, lens.width), height / 2 + shift(lens.cy, lens.height)];
    const x = ((at * lens.width - 0.5 - lens.cx) / lens.fx) * middleM;
    const [top, bottom] = [0, lens.height].map((row): Place | undefined => {
      const y = ((row - 0.5 - lens.cy) / lens.fy) * middleM;
      const [right, down, forward] = [0, 1, 2].map((k) => m[k] * x + m[k + 4] * y + m[k + 8] * middleM + m[k + 12]);
      if (forward < NEAR_M) return undefined;
      return [(left + (focalX * right) / forward) / width, (above + (focalY * down) / forward) / height];
    });
    return top && bottom && [top, bottom];
  }

  /** Makes the picture again unless the next frame comes soon, with a picture of its own. */
  refresh(): void {
    const { distanceM, pose } = this.orbit;
    setWithin(this.#picture, { pose, focusM: distanceM });
    this.#stale = true;
    if (this.isPlaying && performance.now() - this.#frameMs < SOON_MS) return;
    this.#redraw().catch(this.listener.onEnd);
  }

  async #redraw(): Promise<void> {
    if (this.#drawing) return;
    this.#drawing = true;
    try {
      while (this.#stale && this.#pipeline) {
        this.#stale = false;
        const frame = await this.#pipeline.redraw();
        if (frame) this.listener.onFrame(frame);
      }
    } finally {
      this.#drawing = false;
    }
  }

  /** Sets the stages for the frame that is about to run. */
  #see(frame: DepthFrame): void {
    this.#stale = false;
    const hasColor = frame.color !== undefined;
    if (hasColor !== this.#hasColor) {
      this.#hasColor = hasColor;
      this.setColour(this.#colour);
    }
    const { width, height } = this.#picture.parameters;
    setWithin(this.#picture, { verticalFovDeg: fittingFovDeg(shapeOf(frame), { width, height }) });
    if (!this.orbit.see(frame)) return;
    const at = (share: number) => quantileM(frame.depth, frame.metresPerUnit, share) ?? 1;
    setWithin(this.#paint, { nearM: at(0.01), farM: at(0.99) });
    const { distanceM, pose } = this.orbit;
    setWithin(this.#picture, { pose, focusM: distanceM });
  }

  /** Stops playing and frees the pipeline. The source stays open. */
  async close(): Promise<void> {
    this.#playing?.unsubscribe();
    this.#frames$.complete();
    const pipeline = this.#pipeline;
    this.#pipeline = undefined;
    await pipeline?.destroy();
  }
}
