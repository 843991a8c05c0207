import type { DepthFrame } from "../../sources/core/frame.ts";
import type { Rigid } from "../../stages/core/pose.ts";
import { type Chunk, Chunks } from "./mesh/chunks.ts";
import { Placer, type Said } from "./place/placer.ts";
import { Journal } from "./volume/journal.ts";
import type { SigmaOfDepth } from "./volume/planes.ts";
import type { Fusable, Volume } from "./volume/volume.ts";
import { type Fineness, volumeFor } from "./volume/volumeFor.ts";

/** Undoing takes back the frames of so many ms of the source, and so many times in a row. */
const [STRETCH_MS, STRETCHES] = [3000, 4];

/** A scan that goes on while people look at it: frames come one by one, and the mesh grows in parts. */
export class Session {
  #volume: Volume | undefined;
  #chunks: Chunks | undefined;
  readonly placer = new Placer();
  /** When the present stretch of frames began, ms of the source. */
  #stretchMs = Number.NaN;

  constructor(
    readonly fineness: Fineness,
    readonly sigma: SigmaOfDepth | undefined,
  ) {}

  /** The model; `undefined` before the first frame whose place is known. */
  get volume(): Volume | undefined {
    return this.#volume;
  }

  /** How many stretches of frames can be taken back. */
  get undoable(): number {
    return this.#volume?.journal?.length ?? 0;
  }

  /** How many parts of the mesh have to be made anew, since the model changed after they were made. */
  get waiting(): number {
    return this.#chunks?.waiting ?? 0;
  }

  /** Adds a frame. Returns the camera's place, or `undefined` where nobody knows it: then the frame is left out. */
  add(frame: Fusable & Pick<DepthFrame, "timestamp">, said: Said): Rigid | undefined {
    const toWorld = this.placer.place(frame, said);
    if (!toWorld) return undefined;
    const volume = this.#volume ?? this.#begin(frame);
    if (!(Math.abs(frame.timestamp - this.#stretchMs) < STRETCH_MS)) {
      this.#stretchMs = frame.timestamp;
      volume.journal?.begin();
    }
    volume.add(frame, toWorld);
    this.#chunks?.update();
    return toWorld;
  }

  /** Takes the last seconds back. */
  undo(): void {
    this.#volume?.undo();
    this.#stretchMs = Number.NaN;
    this.#chunks?.update();
  }

  /** Makes parts of the mesh that have changed, at least one and no more than fit into `budgetMs`. */
  mesh(budgetMs: number): Chunk[] {
    const endMs = performance.now() + budgetMs;
    const made: Chunk[] = [];
    do {
      const chunk = this.#chunks?.next();
      if (!chunk) break;
      made.push(chunk);
    } while (performance.now() < endMs);
    return made;
  }

  #begin(frame: Fusable): Volume {
    const volume = volumeFor(frame, this.fineness, this.sigma);
    volume.journal = new Journal(volume.bricks, STRETCHES);
    this.#chunks = new Chunks(volume, () => volume.known);
    this.#volume = volume;
    return volume;
  }
}
