import type { DepthFrame } from "../../sources/core/frame.ts";
import type { Rigid } from "../../stages/core/pose.ts";
import { Album } from "./album.ts";
import { type Chunk, Chunks } from "./mesh/chunks.ts";
import { Placer, type Said } from "./place/placer.ts";
import { Journal } from "./volume/journal.ts";
import type { SigmaOfDepth } from "./volume/planes.ts";
import type { Fusable, Volume } from "./volume/volume.ts";
import { type Fineness, volumeFor } from "./volume/volumeFor.ts";

/** Undoing takes back the frames of so many ms of the source, and so many times in a row. */
const [STRETCH_MS, STRETCHES] = [3000, 4];
/** The model is made anew where it has what a frame shows farther from its place than this share of a voxel. */
const OFF = 0.25;
/** The share of the memory that each of two models takes, that which is shown and that which is made; and what can be undone of each. */
const [MODEL, UNDO] = [0.3, 0.12];
/** The share of the frames from which a model is made anew. */
const ALBUM = 0.16;
/** Beside each frame that comes, so many kept ones are added to the new model: it catches up. */
const CATCHING_UP = 2;

/** A volume from which stretches of frames can be taken back. */
class Model {
  /** The numbers of its stretches. */
  readonly #stretches: number[] = [];

  constructor(
    readonly volume: Volume,
    mostBytes: number,
  ) {
    volume.journal ??= new Journal(volume.bricks, STRETCHES, mostBytes);
  }

  add(frame: Fusable, toWorld: Rigid, stretch: number, times = 1): void {
    if (stretch !== this.#stretches.at(-1)) {
      this.#stretches.push(stretch);
      this.volume.journal?.begin();
    }
    this.volume.add(frame, toWorld, times);
  }

  /** Takes the last stretch back, and returns its number. */
  undo(): number | undefined {
    this.volume.undo();
    return this.#stretches.pop();
  }
}

/**
 * A scan that goes on while people look at it: frames come one by one, and the mesh grows in parts. Where loops moved the camera, the
 * model is made anew from the frames that were kept, a few at a time, and takes the place of the old one when it is whole. All that
 * grows with its length takes `fineness.mostMegabytes` of memory at most, beside some 30 MB of keyframes.
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
  readonly placer = new Placer();
  readonly #album: Album;
  /** When the present stretch of frames began, ms of the source, and its number. */
  #stretchMs = Number.NaN;
  #stretch = 0;
  /** How many edges the graph had when the model was last compared with it. */
  #edges = 0;

  constructor(
    readonly fineness: Fineness,
    readonly sigma: SigmaOfDepth | undefined,
  ) {
    this.#album = new Album(this.#bytes(ALBUM));
  }

  /** The model; `undefined` before the first frame whose place is known. */
  get volume(): Volume | undefined {
    return this.#model?.volume;
  }

  /** How many stretches of frames can be taken back. */
  get undoable(): number {
    return this.volume?.journal?.length ?? 0;
  }

  /** How many parts of the mesh have to be made anew, since the model changed after they were made. */
  get waiting(): number {
    return (this.#chunks?.waiting ?? 0) + (this.#anew ? 1 : 0);
  }

  /** Adds a frame. Returns the camera's place, or `undefined` where nobody knows it: then the frame is left out. */
  add(frame: Fusable & Pick<DepthFrame, "timestamp">, said: Said): Rigid | undefined {
    const { placer } = this;
    const place = placer.place(frame, said);
    if (!place) return undefined;
    const used = placer.poseOf(place);
    if (!(Math.abs(frame.timestamp - this.#stretchMs) < STRETCH_MS)) {
      this.#stretchMs = frame.timestamp;
      this.#stretch++;
    }
    this.#model ??= this.#show(this.#newModel(frame));
    this.#model.add(frame, used, this.#stretch);
    if (!said.recorded) this.#album.add(frame, { place, used, stretch: this.#stretch });
    this.#chunks?.update();
    if (!this.#anew) this.#compare();
    for (let i = 0; i < CATCHING_UP; i++) this.#catchUp();
    return used;
  }

  /** Lets the threads go that help with the scan. Its model can still be read. */
  destroy(): void {
    for (const volume of [this.volume, this.#anew?.model.volume, this.#spare]) volume?.destroy();
  }

  /** Takes the last seconds back. */
  undo(): void {
    this.#album.drop(this.#model?.undo());
    this.#stretchMs = Number.NaN;
    this.#chunks?.update(true);
    if (this.#anew) this.#begin();
  }

  /**
   * Makes parts of the mesh that have changed, at least one and no more than fit into `budgetMs`; `onlyDue`: those alone that look
   * different, so that the next frame need not wait.
   */
  mesh(budgetMs: number, onlyDue = false): Chunk[] {
    const endMs = performance.now() + budgetMs;
    const made: Chunk[] = [];
    do {
      const chunks = this.#chunks?.next(onlyDue) ?? [];
      if (chunks.length > 0) made.push(...chunks);
      else if (this.#anew) this.#catchUp();
      else break;
    } while (performance.now() < endMs);
    return made;
  }

  #newModel(frame: Fusable): Model {
    const mostMegabytes = MODEL * this.fineness.mostMegabytes;
    const volume = this.#spare ?? volumeFor(frame, { ...this.fineness, mostMegabytes }, this.sigma);
    this.#spare = undefined;
    volume.clear();
    return new Model(volume, this.#bytes(UNDO));
  }

  #bytes(share: number): number {
    return share * this.fineness.mostMegabytes * 2 ** 20;
  }

  #show(model: Model): Model {
    this.#spare = this.volume;
    this.#chunks = new Chunks(model.volume, this.#chunks);
    return model;
  }

  /** Begins a new model if the camera was too far from where the present one has it. */
  #compare(): void {
    const { length } = this.placer.keyframes.graph.edges;
    if (length === this.#edges) return;
    this.#edges = length;
    if (this.#album.offM(this.placer) > OFF * this.fineness.voxelM) this.#begin();
  }

  #begin(): void {
    const first = this.#album.after(-1);
    this.#spare ??= this.#anew?.model.volume;
    this.#anew = first && { model: this.#newModel(first.frame), at: -1 };
  }

  /** Adds the next kept frame to the new model, or shows it if it has all of them. */
  #catchUp(): void {
    if (!this.#anew) return;
    const { model, at } = this.#anew;
    const kept = this.#album.after(at);
    if (!kept) {
      this.#anew = undefined;
      this.#model = this.#show(model);
      this.#chunks?.update();
      this.#compare();
      return;
    }
    const used = this.placer.poseOf(kept.place);
    model.add(kept.frame, used, kept.stretch, kept.times);
    this.#album.use(kept, used);
    this.#anew.at = kept.at;
  }
}
