import { compose, invert, type Rigid, rigid } from "../core/pose.ts";
import { FilteredFrames } from "../pipeline/filtered.ts";
import type { CameraPose, Pipeline } from "../pipeline/index.ts";
import type { FrameResults, Output } from "../run/replay/output.ts";
import type { FirstLook, RunListener } from "../run/request.ts";
import { GpuError } from "../shaders/gpuError.ts";
import { isRecording, type Source, SourceError } from "../sources/index.ts";
import { POSE_STATE } from "../stages/core/pose.ts";
import type { Before, Found, Midway, ScanRequest } from "./keep.ts";
import { Placer } from "./place/placer.ts";
import { Stood } from "./place/stood.ts";
import { shiftM } from "./place/way.ts";
import { GpuVolume } from "./volume/gpuVolume.ts";
import { Volume } from "./volume/volume.ts";
import { optionsFor } from "./volume/volumeFor.ts";

/** A scan that goes on runs this many of its last frames once more: what filters and `track` remember of earlier frames is not kept. */
const AGAIN = 30;
/** A scan keeps what it knows after this time in ms. */
const KEPT_MS = 2000;
/** A scan is kept again at the earliest after this many times the time that the last keeping took. */
const KEPT_SHARE = 50;

/** A scan of which no frame is done. */
const BEGUN: Midway = {
  found: undefined,
  placed: [],
  held: 0,
  tracked: undefined,
  placer: new Placer().state,
  stood: new Stood().state,
  model: undefined,
};

/** Takes the filtered frames of a run into a volume: on the GPU of the pipeline, if it has one and the model has room there. */
export class Growth implements Output {
  readonly wantsPoints = false;
  readonly wantsPicture = false;
  readonly inOrder = true;
  /** The volume of all frames, when they have ended. */
  volume: Volume | undefined;
  /** Each frame with its pose; `undefined` where the pose is unknown, `null` where a recording's frame could not be read. */
  placed: Midway["placed"] = [];
  placer = new Placer();
  stood = new Stood();
  /** In how many frames a direction was held. */
  held = 0;
  /** Which of the frames that the scan asks for is the first that this run gives to the growth. */
  readonly from: number;
  readonly #known: Found["used"] | undefined;
  /** Whether frames that are done run once more. */
  #isAgain = false;
  #isRecording = false;
  /** Whether it was told that colour came too late. */
  #isColourless = false;
  /** Maps the world of track in this run to that of the run before. */
  #bridge: Rigid | undefined;
  /** The last pose of track. */
  #tracked: Rigid | undefined;
  #isKept = false;
  #keepMs = performance.now() + KEPT_MS;
  #filtered: FilteredFrames | undefined;
  #pipeline: Pipeline | undefined;
  #growing: Volume | GpuVolume | undefined;

  constructor(
    readonly request: ScanRequest,
    readonly look: FirstLook,
    readonly listener: Pick<RunListener, "note" | "warn">,
    /** The places of all frames, where an earlier run found them. */
    readonly known?: Found,
    /** What the same scan had done before somebody stopped it. */
    readonly before?: Before,
  ) {
    this.#known = known?.used;
    this.from = Math.max(0, (before?.midway.placed.length ?? 0) - AGAIN);
  }

  async begin(pipeline: Pipeline, source: Source): Promise<void> {
    const { request, known, before } = this;
    const { views, keep } = request;
    this.#filtered = FilteredFrames.of(pipeline);
    this.#pipeline = pipeline;
    this.#growing?.destroy();
    this.#growing = this.volume = this.#bridge = this.#tracked = undefined;
    this.placed = [];
    this.placer = new Placer();
    this.placer.isPosed = request.isPosed ?? false;
    this.stood = new Stood();
    this.held = 0;
    this.#isRecording = isRecording(source);
    this.#isKept = keep !== undefined && this.#isRecording;
    if (!known) views?.clear();
    await keep?.begin();
    if (before) await this.#goOn(before);
    const written = this.placed.map((one) => one && { timestamp: one.timestamp, toWorld: one.used });
    for (const pose of known?.poses ?? written) if (pose) await keep?.pose(pose);
  }

  /** Takes up what a stopped scan left. */
  async #goOn({ midway, bricks }: Before): Promise<void> {
    const { placed, placer, stood, held, tracked, model } = structuredClone(midway);
    Object.assign(this.placer, { state: placer });
    Object.assign(this.stood, { state: stood });
    Object.assign(this, { placed, held });
    this.#tracked = tracked;
    this.#isAgain = placed.length > this.from;
    if (model) this.#growing = await this.#open(model.options, { held: model.held, bricks });
  }

  async write({ frame: processed, depth, pose: said }: FrameResults): Promise<void> {
    const position = this.#isRecording ? processed.index - (this.request.start ?? 0) : this.placed.length;
    if (position < this.placed.length) {
      this.#isAgain = position + 1 < this.placed.length;
      if (!this.#isAgain && said) this.#cross(said);
      return;
    }
    while (this.placed.length < position) this.placed.push(null);
    const pose = said && this.#crossed(said);
    const frame = this.#filtered && { ...this.#filtered.of(processed), depth };
    const { placer } = this;
    const known = this.#known;
    if (frame && pose) this.stood.add(frame, pose);
    if (pose && !pose.recorded && pose.held > 0) this.held++;
    const place = known ? known[position] : frame && pose && placer.place(frame, pose);
    this.#tracked = pose?.toWorld.slice();
    if (!frame || !place) {
      this.placed.push(undefined);
      return;
    }
    const used = placer.poseOf(place);
    if (!known) {
      await this.request.views?.add(frame, place, used);
      await this.request.keep?.pose({ timestamp: frame.timestamp, toWorld: used });
    }
    const { noise, hasColour } = this.look;
    const isColoured = frame.color !== undefined;
    this.#growing ??= await this.#open(optionsFor(frame, this.request, noise, hasColour || isColoured));
    if (this.#growing instanceof GpuVolume && this.#growing.device !== this.#pipeline?.gpu?.device)
      throw new GpuError("the GPU was lost, and the model with it: scan again, or with the backend cpu");
    const { pixels, hasColour: takesColour } = this.#growing.options;
    if (isColoured && !takesColour && !this.#isColourless)
      this.listener.warn("the mesh gets no colour: the first frames have none, and it begins later");
    this.#isColourless ||= isColoured && !takesColour;
    const { width, height } = frame.intrinsics;
    if (width * height > pixels)
      throw new SourceError(
        `a frame of ${width} × ${height} pixels follows on smaller ones of ${pixels} pixels: scan the frames of one size alone`,
      );
    this.#growing.add(frame, used);
    this.placed.push({ timestamp: frame.timestamp, place, used });
    if (performance.now() > this.#keepMs) await this.keep();
  }

  /** The last of the frames that run once more: from here on the camera's way is that of the run before. */
  #cross({ toWorld, state, recorded }: CameraPose): void {
    // Where `track` began with the first frame, its world is the same as in the run before.
    if (recorded || this.from === 0) return;
    if (state === POSE_STATE.lost) this.placer.lose();
    this.#bridge = this.#tracked && compose(rigid(), this.#tracked, invert(rigid(), toWorld));
  }

  #crossed(pose: CameraPose): CameraPose {
    const bridge = pose.recorded ? undefined : this.#bridge;
    return bridge ? { ...pose, toWorld: compose(rigid(), bridge, pose.toWorld) } : pose;
  }

  /**
   * Keeps all that is known, from which a scan that is stopped goes on. `found`: the frames have ended, and these are their places;
   * `isAnew`: they are to be added from there once more.
   */
  async keep(found = this.known, isAnew = false): Promise<void> {
    const growing = this.#growing ?? this.volume;
    if (!this.#isKept || !growing || this.#isAgain) return;
    if (isAnew && found) return this.request.keep?.midway({ ...BEGUN, found }, new Uint8Array());
    const beganMs = performance.now();
    const volume = growing instanceof GpuVolume ? await growing.read() : growing;
    const { placed, held, placer, stood } = this;
    const { a, b } = volume.options.sigma;
    const model = { options: { ...volume.options, sigma: { a, b } }, held: volume.held };
    const midway = { found, placed, held, tracked: this.#tracked, placer: placer.state, stood: stood.state, model };
    await this.request.keep?.midway(midway, volume.bytes);
    const nowMs = performance.now();
    this.#keepMs = nowMs + Math.max(KEPT_MS, KEPT_SHARE * (nowMs - beganMs));
  }

  async finish(): Promise<void> {
    const growing = this.#growing;
    if (!(growing instanceof GpuVolume)) this.volume = growing;
    else this.volume = await growing.read().finally(() => growing.destroy());
    this.#growing = undefined;
  }

  async #open(options: Volume["options"], had?: { readonly held: Volume["held"]; readonly bricks: Before["bricks"] }) {
    const filled = async (volume: Volume) => {
      if (!had) return volume;
      volume.take(had.held);
      await had.bricks(volume.bytes);
      return volume;
    };
    const device = this.#pipeline?.gpu?.device;
    if (device) {
      let opened: GpuVolume | undefined;
      try {
        opened = await GpuVolume.open(device, options);
        await filled(opened.twin);
        if (had) opened.restore();
        return opened;
      } catch (error) {
        opened?.destroy();
        if (!(error instanceof GpuError)) throw error;
        this.listener.note(`the model grows on the CPU, since the GPU has no room for it (${error.message})`);
      }
    }
    return filled(new Volume(options));
  }

  /**
   * What the frames showed so far, each seen from the place that later frames give it, too. `isOff`: the volume is made anew, from the
   * right places.
   */
  found(isOff: boolean): Found {
    const { placed, placer, held: heldFrames } = this;
    const right = placed.map((written) => written && placer.poseOf(written.place));
    const poses = placed.flatMap((written, i) => {
      const toWorld = right[i];
      return written && toWorld ? [{ timestamp: written.timestamp, toWorld }] : [];
    });
    const { loops, movedM, quality } = placer.keyframes;
    const isTracked = placed.some((written) => written && "keyframe" in written.place);
    return {
      used: placed.map((written, i) => (isOff ? right[i] : written?.used) ?? null),
      poses,
      unplaced: placed.filter((written) => written === undefined).length,
      loops,
      movedM,
      way: isTracked ? quality : undefined,
      heldFrames,
      changedFrames: this.stood.frames,
      astrayM: this.stood.astrayM,
    };
  }

  /** The largest distance, m, between where the volume has what a frame shows and where it belongs. */
  get offM(): number {
    const off = (written: (typeof this.placed)[number]) =>
      written ? shiftM(written.used, this.placer.poseOf(written.place)) : 0;
    return this.placed.reduce((most, written) => Math.max(most, off(written)), 0);
  }
}
