import type { DepthFrame } from "../core/frame.ts";
import type { Rigid } from "../core/pose.ts";
import { GpuError } from "../shaders/gpuError.ts";
import { Album, type Kept } from "./album.ts";
import { type Chunk, Chunks } from "./mesh/chunks.ts";
import { CpuModel, type Model } from "./model.ts";
import { Placer, type Said } from "./place/placer.ts";
import type { SigmaOfDepth } from "./volume/pixelPlanes.ts";
import { type Fusable, Volume, type VolumeOptions } from "./volume/volume.ts";
import { type Fineness, isFarOff, optionsFor } from "./volume/volumeFor.ts";

/** Undo takes back the frames of this many milliseconds of the source's time. */
const STRETCH_MS = 3000;

/** Two models share the memory, the one that is shown and the one that is being made: the share of each, and each one's share for Undo. */
const MODEL = 0.3;
const UNDO = 0.12;
/** The share of the frames from which a model is made anew. */
const ALBUM = 0.16;
/** With each new frame this many kept frames are added to the new model, so that the model catches up. */
const CATCHING_UP = 2;

/**
 * A scan that goes on while people look at it: frames come one by one, and the mesh grows in parts. Where loops moved the camera, the
 * model is made anew from the frames that were kept, a few at a time, and takes the place of the old one when it is whole; so does a model
 * with colour where the first frames had none. All that grows with its length takes `fineness.mostMegabytes` of memory at most, beside
 * some 30 MB of keyframes.
 */
export class Session {
  #model: Model | undefined;
  #chunks: Chunks | undefined;
  /** The model that is being made, and the last frame that it has. */
  #anew: { readonly model: Model; at: number } | undefined;
  /**
   * The volume that a new one took the place of, for the next one: the memory that threads share is free only when each of them has
   * collected its garbage, which an idle thread does not do.
   */
  #spare: Volume | undefined;
  /** The options of its models. */
  #options: VolumeOptions | undefined;
  readonly placer = new Placer();
  readonly #album: Album;
  /** When the present stretch of frames began, ms of the source, and its number. */
  #stretchMs = Number.NaN;
  #stretch = 0;
  /** For each stretch that was not taken back, how many frames it has. */
  readonly #counts: number[] = [];
  /** The stretches of frames that were taken back since the last frame was added. */
  readonly #undone: { readonly stretch: number; readonly count: number; readonly kept: readonly Kept[] }[] = [];
  /** The graph's revision when the model was last compared with it. */
  #revision = 0;

  constructor(
    readonly fineness: Fineness,
    readonly sigma: SigmaOfDepth | undefined,
    /** Opens a model elsewhere. Where this rejects with a `GpuError`, the model grows on the CPU. */
    readonly open?: (options: VolumeOptions) => Promise<Model>,
  ) {
    this.#album = new Album(this.#bytes(ALBUM));
  }

  /** Copies the model's volume; `undefined` before the first frame with a known pose. */
  async read(): Promise<Volume | undefined> {
    return this.#model?.read();
  }

  /** Whether a part of some frame had no room. */
  get isFull(): boolean {
    return this.#model?.isFull ?? false;
  }

  /** How many frames the model has. */
  get frames(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  /** How many stretches of frames can be taken back. */
  get undoable(): number {
    return this.#model?.undoable ?? 0;
  }

  /** How many stretches that were taken back can be put back. */
  get redoable(): number {
    return this.#undone.length;
  }

  /** How many parts of the mesh have to be made anew, since the model changed after they were made. */
  get waiting(): number {
    return (this.#chunks?.waiting ?? 0) + (this.#anew ? 1 : 0);
  }

  /**
   * Adds a frame. Returns the camera's place, or `undefined` where nobody knows it: then the frame is left out. A call of `add`, `undo`,
   * `mesh` or `read` has to end before the next one begins.
   */
  async add(frame: Fusable & Pick<DepthFrame, "timestamp">, said: Said): Promise<Rigid | undefined> {
    const { placer } = this;
    const place = placer.place(frame, said);
    if (!place) return undefined;
    const used = placer.poseOf(place);
    this.#undone.length = 0;
    if (!(Math.abs(frame.timestamp - this.#stretchMs) < STRETCH_MS)) {
      this.#stretchMs = frame.timestamp;
      this.#stretch++;
      this.#counts.push(0);
    }
    this.#counts[this.#counts.length - 1]++;
    const mostMegabytes = MODEL * this.fineness.mostMegabytes;
    this.#options ??= optionsFor(frame, { ...this.fineness, mostMegabytes }, this.sigma);
    this.#model ??= await this.#show(await this.#newModel(this.#options));
    this.#model.add(frame, used, this.#stretch);
    // The places of a recording are right already; but the kept frames may be needed when a stretch is taken back, or for colour.
    if (!said.recorded || !this.#model.takesBack || !this.#model.options.hasColour)
      this.#album.add(frame, { place, used, stretch: this.#stretch });
    await this.#model.refresh();
    this.#chunks?.update();
    if (frame.color && !this.#options.hasColour) {
      this.#options = { ...this.#options, hasColour: true };
      await this.#begin(this.#options);
    }
    if (!this.#anew) await this.#compare();
    for (let i = 0; i < CATCHING_UP; i++) await this.#catchUp();
    return used;
  }

  /** Lets the threads and the GPU's memory go. */
  destroy(): void {
    for (const owner of [this.#model, this.#anew?.model, this.#spare]) owner?.destroy();
  }

  /** Takes the last seconds back. */
  async undo(): Promise<void> {
    const model = this.#model;
    const stretch = this.undoable > 0 ? model?.undo() : undefined;
    if (!model || stretch === undefined) return;
    const undone = { stretch, count: this.#counts.pop() ?? 0, kept: this.#album.drop(stretch) };
    // With neither frames nor a redo in the model, nothing undone can come back.
    if (undone.kept.length > 0 || model.redoable > 0) this.#undone.push(undone);
    else this.#undone.length = 0;
    await this.#turned(model.takesBack);
  }

  /** Puts back what the last `undo` took; nothing once a frame was added since. */
  async redo(): Promise<void> {
    const undone = this.#undone.pop();
    if (!undone || !this.#model) return;
    this.#counts.push(undone.count);
    this.#album.restore(undone.kept);
    await this.#turned(this.#model.redo(undone.stretch));
  }

  /**
   * Called after frames were taken back or put back. `isDone`: the model's volume has changed accordingly; otherwise the model is made
   * anew.
   */
  async #turned(isDone: boolean): Promise<void> {
    if (!this.#options) return;
    this.#stretchMs = Number.NaN;
    this.#chunks?.update(true);
    if (this.#anew || !isDone) await this.#begin(this.#options, !isDone);
    while (this.#anew && !isDone) await this.#catchUp();
  }

  /**
   * Makes parts of the mesh that have changed, at least one and no more than fit into `budgetMs`; `onlyDue`: those alone that look
   * different, so that the next frame need not wait.
   */
  async mesh(budgetMs: number, onlyDue = false): Promise<Chunk[]> {
    const endMs = performance.now() + budgetMs;
    const made: Chunk[] = [];
    do {
      const chunks = (await this.#chunks?.next(onlyDue)) ?? [];
      if (chunks.length > 0) made.push(...chunks);
      else if (this.#anew) await this.#catchUp();
      else break;
    } while (performance.now() < endMs);
    return made;
  }

  async #newModel(options: VolumeOptions): Promise<Model> {
    if (this.open && !this.#spare) {
      try {
        return await this.open(options);
      } catch (error) {
        if (!(error instanceof GpuError)) throw error;
      }
    }
    const spare = this.#spare?.options.hasColour === options.hasColour ? this.#spare : undefined;
    if (!spare) this.#spare?.destroy();
    this.#spare = undefined;
    const volume = spare ?? new Volume(options);
    volume.clear();
    return new CpuModel(volume, this.#bytes(UNDO));
  }

  #bytes(share: number): number {
    return share * this.fineness.mostMegabytes * 2 ** 20;
  }

  async #show(model: Model): Promise<Model> {
    await model.show();
    this.#letGo(this.#model);
    const { parts } = model;
    this.#chunks = parts && new Chunks(parts.grown, parts.cubes, this.#chunks);
    return model;
  }

  #letGo(model: Model | undefined): void {
    if (model instanceof CpuModel && !this.#spare) this.#spare = model.volume;
    else model?.destroy();
  }

  /** Begins a new model if the camera was too far from where the present one has it. */
  async #compare(): Promise<void> {
    const { revision } = this.placer.keyframes;
    if (revision === this.#revision || !this.#options) return;
    this.#revision = revision;
    if (isFarOff(this.#album.offM(this.placer), this.fineness)) await this.#begin(this.#options);
  }

  /** Begins a new model, from no frames only if `evenEmpty`. */
  async #begin(options: VolumeOptions, evenEmpty = false): Promise<void> {
    this.#letGo(this.#anew?.model);
    this.#anew = undefined;
    if (evenEmpty || this.#album.after(-1)) this.#anew = { model: await this.#newModel(options), at: -1 };
  }

  /** Adds the next kept frame to the new model, or shows it if it has all of them. */
  async #catchUp(): Promise<void> {
    if (!this.#anew) return;
    const { model, at } = this.#anew;
    const kept = this.#album.after(at);
    if (!kept) {
      this.#anew = undefined;
      await model.refresh();
      this.#model = await this.#show(model);
      this.#chunks?.update();
      await this.#compare();
      return;
    }
    const used = this.placer.poseOf(kept.place);
    model.add(kept.frame, used, kept.stretch, kept.times);
    await model.refresh();
    this.#album.use(kept, used);
    this.#anew.at = kept.at;
  }
}
