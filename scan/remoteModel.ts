import type { PlainFrame } from "../core/plainFrame.ts";
import type { Rigid } from "../core/pose.ts";
import { GpuError } from "../shaders/gpuError.ts";
import { type Model, STRETCHES } from "./model.ts";
import { Filling, type Head } from "./volume/filling.ts";
import { type Fusable, Volume, type VolumeOptions } from "./volume/volume.ts";

/** A frame as it is sent. */
export type SeenFrame = Pick<PlainFrame, "depth" | "color" | "metresPerUnit" | "intrinsics">;

/** What is to be done with the model of this number on the GPU of another thread. `frame`: its number, if that thread has it. */
export type ModelOrder = { readonly model: number } & (
  | { readonly does: "open"; readonly options: VolumeOptions }
  | {
      readonly does: "add";
      readonly frame: number | SeenFrame;
      readonly toWorld: Rigid;
      readonly times: number;
    }
  | { readonly does: "show" | "read" | "destroy" }
);

/** How an order went. `copied`: the volume that was read. */
export interface ModelAnswer {
  readonly isFull: boolean;
  readonly copied?: { readonly head: Head; readonly parts: readonly Uint8Array<ArrayBuffer>[] } | undefined;
}

/** Gives an order to the thread that has the GPU. Rejects where the order could not be carried out. */
export type Order = (order: ModelOrder) => Promise<ModelAnswer>;

/** The most frames that may be on their way to the model. */
const MOST_SENT = 3;
let models = 0;

/** A model on the GPU of another thread, from which its mesh is drawn. */
export class RemoteModel implements Model {
  readonly takesBack = false;
  readonly redoable = 0;
  isFull = false;
  readonly #number = models++;
  readonly #stretches: number[] = [];
  /** Frames that are on their way. */
  readonly #sent = new Set<Promise<void>>();
  #failed: Error | undefined;

  private constructor(
    readonly options: VolumeOptions,
    readonly order: Order,
    /** The number by which that thread knows a frame, if it has the frame. */
    readonly numberOf: (frame: Fusable) => number | undefined,
  ) {}

  /** Rejects with a `GpuError` where the GPU has no memory for it. */
  static async open(options: VolumeOptions, order: Order, numberOf: RemoteModel["numberOf"]): Promise<RemoteModel> {
    const model = new RemoteModel(options, order, numberOf);
    await model.#do({ does: "open", options }).catch((error: Error) => {
      throw new GpuError(error.message);
    });
    return model;
  }

  get undoable(): number {
    return Math.min(STRETCHES, this.#stretches.length);
  }

  add(frame: Fusable, toWorld: Rigid, stretch: number, times = 1): void {
    if (stretch !== this.#stretches.at(-1)) this.#stretches.push(stretch);
    const { depth, color, metresPerUnit, intrinsics } = frame;
    const whole = { depth: depth.data, metresPerUnit, intrinsics, ...(color && { color: color.data }) };
    const sent = this.#do({ does: "add", frame: this.numberOf(frame) ?? whole, toWorld, times }).then(
      ({ isFull }) => {
        this.isFull = isFull;
        this.#sent.delete(sent);
      },
      (error) => {
        this.#failed = error;
        this.#sent.delete(sent);
      },
    );
    this.#sent.add(sent);
  }

  async refresh(): Promise<void> {
    while (this.#sent.size > MOST_SENT) await Promise.race(this.#sent);
    if (this.#failed) throw this.#failed;
  }

  async show(): Promise<void> {
    await this.#do({ does: "show" });
  }

  undo(): number | undefined {
    return this.#stretches.pop();
  }

  redo(): boolean {
    return false;
  }

  async read(): Promise<Volume> {
    const { copied } = await this.#do({ does: "read" });
    const volume = new Volume(this.options, true);
    if (!copied) return volume;
    const filling = new Filling(volume, copied.head);
    let from = 0;
    for (const part of copied.parts) {
      filling.take(part, from);
      from += part.length;
    }
    return volume;
  }

  destroy(): void {
    void this.#do({ does: "destroy" }).catch(() => {});
  }

  #do(what: ModelOrder extends infer O ? (O extends ModelOrder ? Omit<O, "model"> : never) : never) {
    return this.order({ model: this.#number, ...what } as ModelOrder);
  }
}
