import { frameOf } from "../core/plainFrame.ts";
import { GpuError } from "../shaders/gpuError.ts";
import { type Drawn, GpuMesh } from "./mesh/gpuMesh.ts";
import type { ModelAnswer, ModelOrder, SeenFrame } from "./remoteModel.ts";
import { GpuVolume } from "./volume/gpuVolume.ts";

/** The number of frames after which what is drawn is counted again. */
const COUNTED_EVERY = 15;
/** The share of a scan's memory that the mesh takes; session.ts has the other shares. */
const MESH = 0.2;

/**
 * Holds, on this thread's GPU, the models of a `Session` that runs on another thread: nothing is read back to add a frame or to draw the
 * mesh. The counts of what was drawn arrive some frames late.
 */
export class ModelDesk {
  /** The mesh of the model that is shown. */
  mesh: GpuMesh | undefined;
  /** What was counted of the mesh last. */
  drawn: Drawn | undefined;
  readonly #volumes = new Map<number, GpuVolume>();
  #shown: number | undefined;
  #isFull = false;
  #isCounting = false;
  #added = 0;
  #line: Promise<unknown> = Promise.resolve();

  constructor(
    readonly device: GPUDevice,
    readonly mostMegabytes: number,
    /** Called when the mesh is another one, or was counted. */
    readonly onChange: () => void,
  ) {}

  /** Carries orders out one after the other. `frame` is the frame of an order that names its frame by a number. */
  carryOut(order: ModelOrder, frame?: SeenFrame): Promise<ModelAnswer> {
    const done = this.#line.then(() => this.#do(order, frame));
    this.#line = done.catch(() => {});
    return done;
  }

  async destroy(): Promise<void> {
    await this.#line;
    for (const volume of this.#volumes.values()) volume.destroy();
    this.#volumes.clear();
    this.#show(undefined, undefined);
  }

  async #do(order: ModelOrder, frame: SeenFrame | undefined): Promise<ModelAnswer> {
    const { device } = this;
    if (order.does === "open") {
      const { maxStorageBufferBindingSize, maxBufferSize } = device.limits;
      const mostBytes = Math.min(order.options.mostBytes, maxStorageBufferBindingSize, maxBufferSize);
      this.#volumes.set(order.model, await GpuVolume.open(device, { ...order.options, mostBytes }));
      return { isFull: false };
    }
    const volume = this.#volumes.get(order.model);
    if (!volume) throw new GpuError("the model was thrown away");
    switch (order.does) {
      case "add":
        this.#add(order, volume, typeof order.frame === "number" ? frame : order.frame);
        break;
      case "show":
        await this.#make(order.model, volume);
        break;
      case "read":
        return { isFull: this.#isFull, copied: await copied(volume) };
      default:
        this.#volumes.delete(order.model);
        if (this.#shown === order.model) this.#show(undefined, undefined);
        volume.destroy();
    }
    return { isFull: this.#isFull };
  }

  #add({ model, toWorld, times }: ModelOrder & { does: "add" }, volume: GpuVolume, frame: SeenFrame | undefined) {
    if (!frame) throw new Error("a frame of the scan is missing");
    volume.send(frameOf({ ...frame, index: 0, timestamp: 0 }), toWorld, times);
    this.#submit((pass) => {
      volume.encode(pass);
      if (model === this.#shown) this.mesh?.encode(pass);
    });
    if (model === this.#shown && this.#added++ % COUNTED_EVERY === 0) void this.#count(volume);
  }

  /** Makes the mesh of a model, to be drawn from then on. */
  async #make(model: number, volume: GpuVolume): Promise<void> {
    const mesh = await GpuMesh.create(volume, MESH * this.mostMegabytes * 2 ** 20);
    const { count } = await volume.counted();
    this.#submit((pass) => mesh.encodeAll(pass, count));
    this.#show(model, mesh);
    await this.#count(volume);
  }

  #show(model: number | undefined, mesh: GpuMesh | undefined): void {
    const before = this.mesh;
    this.#shown = model;
    this.mesh = mesh;
    this.drawn = undefined;
    this.#added = 0;
    this.onChange();
    before?.destroy();
  }

  async #count(volume: GpuVolume): Promise<void> {
    const { mesh } = this;
    if (this.#isCounting || !mesh) return;
    this.#isCounting = true;
    try {
      const [drawn, { isFull }] = await Promise.all([mesh.counted(), volume.counted()]);
      if (mesh !== this.mesh) return;
      this.drawn = drawn;
      this.#isFull = isFull || drawn.isFull;
      this.onChange();
    } catch (error) {
      // A mesh that is thrown away while it is counted needs no count.
      if (mesh === this.mesh) throw error;
    } finally {
      this.#isCounting = false;
    }
  }

  #submit(work: (pass: GPUComputePassEncoder) => void): void {
    const encoder = this.device.createCommandEncoder({ label: "scan" });
    const pass = encoder.beginComputePass({ label: "scan" });
    work(pass);
    pass.end();
    this.device.queue.submit([encoder.finish()]);
  }
}

async function copied(volume: GpuVolume): Promise<ModelAnswer["copied"]> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let head: NonNullable<ModelAnswer["copied"]>["head"] = { keys: new Uint32Array(0), frames: 0, isFull: false };
  await volume.copy(
    (said) => {
      head = said;
    },
    (part) => parts.push(part.slice()),
  );
  return { head, parts };
}
