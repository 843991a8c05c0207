import { scoped, within } from "../shaders/gpuError.ts";
import { Turns } from "./moment.ts";
import { type DepthImage, strideOf } from "./resources.ts";

interface Held {
  /** What was asked for, as text: what is asked for again alike is the same object. */
  readonly wish: string;
  readonly object: unknown;
  destroy(): void;
  forget?(): void;
}

/**
 * The GPU objects of one stage, by name: the one place where a stage allocates. A stage that is built anew (`begin`) asks for
 * them again, and gets the same object where the wish is the same. So stages after it, which hold its output, can stay as they
 * are, and what it remembers is still there. All are labelled "<stage> <name>".
 */
export class Pool {
  #held = new Map<string, Held>();
  #asked = new Map<string, Held>();
  /** What the GPU has said, or will say, of what was made since the last `made`. */
  #refused: Promise<void>[] = [];

  constructor(
    readonly device: GPUDevice,
    readonly stage: string,
  ) {}

  /** A buffer, all 0 when new. `usage` as in `GPUBufferDescriptor`. */
  buffer(name: string, size: number, usage: GPUBufferUsageFlags): GPUBuffer {
    return this.#take(name, `${size} ${usage}`, (label) => {
      this.#fits(label, size, usage);
      const object = this.device.createBuffer({ label, size, usage });
      return { object, destroy: () => object.destroy() };
    });
  }

  texture(name: string, width: number, height: number, format: GPUTextureFormat, usage: GPUTextureUsageFlags) {
    return this.#take<GPUTexture>(name, `${width} ${height} ${format} ${usage}`, (label) => {
      within(this.device, "maxTextureDimension2D", Math.max(width, height), `${label}: pixels in a row`);
      const object = this.device.createTexture({ label, size: [width, height], format, usage });
      return { object, destroy: () => object.destroy() };
    });
  }

  /** A depth image, all invalid when new. */
  depthImage(name: string, width: number, height: number): DepthImage {
    const stride = strideOf(width);
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    return { buffer: this.buffer(name, stride * height * 2, STORAGE | COPY_SRC | COPY_DST), width, height, stride };
  }

  /** Storage buffers that take turns, for what a stage remembers from frame to frame. */
  turns(name: string, size: number): Turns<GPUBuffer> {
    return this.#take(name, `turns ${size}`, (label) => {
      const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
      this.#fits(label, size, STORAGE);
      const create = (which: string) =>
        this.device.createBuffer({ label: `${label} ${which}`, size, usage: STORAGE | COPY_SRC | COPY_DST });
      const object = new Turns<GPUBuffer>([create("a"), create("b")]);
      return {
        object,
        destroy: () => object.pair.forEach((buffer) => void buffer.destroy()),
        forget: () => object.forget(),
      };
    });
  }

  /** Throws a `GpuError` for a buffer that the device does not allow, before it is asked for it. */
  #fits(label: string, size: number, usage: GPUBufferUsageFlags): void {
    within(this.device, "maxBufferSize", size, `${label}: bytes of a buffer`);
    const bound = (usage & GPUBufferUsage.STORAGE) !== 0;
    if (bound) within(this.device, "maxStorageBufferBindingSize", size, `${label}: bytes of a storage buffer`);
  }

  /** Resolves when the GPU has made all that was asked of it; rejects with a `GpuError` where it could not. */
  async made(): Promise<void> {
    await Promise.all(this.#refused.splice(0));
  }

  /** The stage is about to be built, once more perhaps: what it will not ask for goes with `finish`. */
  begin(): void {
    this.#asked = new Map();
  }

  /** The stage is built. Gives what frees the objects that it did not ask for again; until that is called they can be used. */
  finish(): () => void {
    const kept = new Set(this.#asked.values());
    const left = [...this.#held.values()].filter((held) => !kept.has(held));
    this.#held = this.#asked;
    return () => {
      for (const held of left) held.destroy();
    };
  }

  /** The stage could not be built: what was there before `begin` is all there is. */
  cancel(): void {
    const before = new Set(this.#held.values());
    for (const held of this.#asked.values()) if (!before.has(held)) held.destroy();
    this.#asked = this.#held;
    this.#refused = [];
  }

  /** What the stage remembers is void: it begins anew with the next frame. */
  forget(): void {
    for (const held of this.#held.values()) held.forget?.();
  }

  destroy(): void {
    for (const held of new Set([...this.#held.values(), ...this.#asked.values()])) held.destroy();
    this.#held = this.#asked = new Map();
  }

  #take<T>(name: string, wish: string, make: (label: string) => Omit<Held, "wish"> & { readonly object: T }): T {
    if (this.#asked.has(name)) throw new Error(`${this.stage} asks twice for ${name}`);
    const before = this.#held.get(name);
    const held = before?.wish === wish ? before : { ...this.#make(`${this.stage} ${name}`, make), wish };
    this.#asked.set(name, held);
    return held.object as T;
  }

  #make<M>(label: string, make: (label: string) => M): M {
    const { result, refused } = scoped(this.device, label, () => make(label));
    // Whoever builds the stage asks for it; until then it must not count as nobody's.
    refused.catch(() => {});
    this.#refused.push(refused);
    return result;
  }
}
