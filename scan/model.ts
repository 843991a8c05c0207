import type { Rigid } from "../core/pose.ts";
import type { Grown } from "./mesh/chunks.ts";
import { type CubeMaker, Cubes } from "./mesh/cube.ts";
import { Journal } from "./volume/journal.ts";
import type { Fusable, Volume, VolumeOptions } from "./volume/volume.ts";

/** The most stretches of frames that can be taken back. */
export const STRETCHES = 4;

/** A volume to which a live scan adds frames, and from which it takes stretches of frames back. */
export interface Model {
  /** Makes the mesh in parts; `undefined` where the mesh is drawn from the memory in which the GPU makes it. */
  readonly parts?: { readonly grown: Grown; readonly cubes: CubeMaker } | undefined;
  readonly options: VolumeOptions;
  readonly isFull: boolean;
  /** How many stretches can be taken back. */
  readonly undoable: number;
  add(frame: Fusable, toWorld: Rigid, stretch: number, times?: number): void;
  /** Waits where too many frames are on their way to the model. */
  refresh(): Promise<void> | undefined;
  /** The model takes the place of the one that is shown. */
  show(): Promise<void> | undefined;
  /** Forgets the last stretch, and returns its number. */
  undo(): number | undefined;
  /** Whether `undo` brings the volume back as it was before the stretch; else the volume has to be made anew. */
  readonly takesBack: boolean;
  /** How many stretches the model can put back by itself. */
  readonly redoable: number;
  /** Puts the stretch of this number back, which `undo` took; returns false where the model has to be made anew for that. */
  redo(stretch: number): boolean;
  /** Copies the model's volume to the CPU. */
  read(): Promise<Volume> | Volume;
  destroy(): void;
}

/** A model on the CPU. */
export class CpuModel implements Model {
  readonly takesBack = true;
  readonly parts: Required<Model>["parts"];
  /** The numbers of the stretches that the model has. */
  readonly #stretches: number[] = [];

  constructor(
    readonly volume: Volume,
    mostBytes: number,
  ) {
    volume.journal ??= new Journal(volume.bricks, STRETCHES, mostBytes);
    this.parts = { grown: volume, cubes: new Cubes(volume) };
  }

  get options() {
    return this.volume.options;
  }

  get isFull() {
    return this.volume.isFull;
  }

  get undoable() {
    return this.volume.journal?.length ?? 0;
  }

  add(frame: Fusable, toWorld: Rigid, stretch: number, times = 1): void {
    if (stretch !== this.#stretches.at(-1)) {
      this.#stretches.push(stretch);
      this.volume.journal?.begin();
    }
    this.volume.add(frame, toWorld, times);
  }

  refresh(): undefined {}

  show(): undefined {}

  undo(): number | undefined {
    this.volume.undo();
    return this.#stretches.pop();
  }

  get redoable() {
    return this.volume.journal?.undone ?? 0;
  }

  redo(stretch: number): boolean {
    if (this.redoable === 0) return false;
    this.volume.redo();
    this.#stretches.push(stretch);
    return true;
  }

  read(): Volume {
    return this.volume;
  }

  destroy(): void {
    this.volume.destroy();
  }
}
