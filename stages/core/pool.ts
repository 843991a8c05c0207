import { scoped, within } from "../../shaders/gpuError.ts";
import { type DepthImage, PingPong, strideOf } from "./resources.ts";

interface HeldObject {
  /** The request as text. An object is kept where the next build makes the same request. */
  readonly request: string;
  readonly object: unknown;
  destroy(): void;
  forget?(): void;
}

/**
 * The GPU objects of one stage, by name; a stage allocates only here. When a stage is rebuilt (`begin` to `finish`) and requests an object
 * with the same size and usage, the pool gives the same object again. So later stages, which hold the output, need no rebuild, and the
 * stage keeps its memory. Every object is labelled "<stage> <name>".
 */
export class Pool {
  #held = new Map<string, HeldObject>();
  #requested = new Map<string, HeldObject>();
  /** One promise per object made since the last `made`; each rejects if the GPU refused the object. */
  #refused: Promise<void>[] = [];

  constructor(
    /** The device. */
    readonly device: GPUDevice,
    /** The stage's name, with which labels begin. */
    readonly stage: string,
  ) {}

  /** A buffer, filled with 0 when new. `usage` as in `GPUBufferDescriptor`. Throws a `GpuError` if it exceeds the device's limits. */
  buffer(name: string, size: number, usage: GPUBufferUsageFlags): GPUBuffer {
    return this.#take(name, `${size} ${usage}`, (label) => {
      this.#fits(label, size, usage);
      const object = this.device.createBuffer({ label, size, usage });
      return { object, destroy: () => object.destroy() };
    });
  }

  /** A texture with one level. Throws a `GpuError` if it exceeds the device's limits. */
  texture(name: string, width: number, height: number, format: GPUTextureFormat, usage: GPUTextureUsageFlags) {
    return this.#take<GPUTexture>(name, `${width} ${height} ${format} ${usage}`, (label) => {
      within(this.device, "maxTextureDimension2D", Math.max(width, height), `${label}: pixels in a row`);
      const object = this.device.createTexture({ label, size: [width, height], format, usage });
      return { object, destroy: () => object.destroy() };
    });
  }

  /** A depth image, all pixels invalid when new. */
  depthImage(name: string, width: number, height: number): DepthImage {
    const stride = strideOf(width);
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    return { buffer: this.buffer(name, stride * height * 2, STORAGE | COPY_SRC | COPY_DST), width, height, stride };
  }

  /** Two storage buffers that swap with each new frame, for what a stage remembers. See `PingPong`. */
  turns(name: string, size: number): PingPong<GPUBuffer> {
    return this.#take(name, `turns ${size}`, (label) => {
      const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
      this.#fits(label, size, STORAGE);
      const create = (which: string) =>
        this.device.createBuffer({ label: `${label} ${which}`, size, usage: STORAGE | COPY_SRC | COPY_DST });
      const object = new PingPong<GPUBuffer>([create("a"), create("b")]);
      return {
        object,
        destroy: () => object.pair.forEach((buffer) => void buffer.destroy()),
        forget: () => object.forget(),
      };
    });
  }

  /** Throws a `GpuError` if the device's limits do not allow the buffer, before the buffer is requested. */
  #fits(label: string, size: number, usage: GPUBufferUsageFlags): void {
    within(this.device, "maxBufferSize", size, `${label}: bytes of a buffer`);
    const bound = (usage & GPUBufferUsage.STORAGE) !== 0;
    if (bound) within(this.device, "maxStorageBufferBindingSize", size, `${label}: bytes of a storage buffer`);
  }

  /** Resolves when the GPU has made every object; rejects with a `GpuError` if it refused one. */
  async made(): Promise<void> {
    await Promise.all(this.#refused.splice(0));
  }

  /** Starts a build. Objects that this build does not request are freed after `finish`. */
  begin(): void {
    this.#requested = new Map();
  }

  /** Ends a build. Returns a function that frees the objects that the build did not request; they stay usable until it is called. */
  finish(): () => void {
    const kept = new Set(this.#requested.values());
    const left = [...this.#held.values()].filter((held) => !kept.has(held));
    this.#held = this.#requested;
    return () => {
      for (const held of left) held.destroy();
    };
  }

  /** Undoes a failed build: frees its new objects and keeps those from before `begin`. */
  cancel(): void {
    const before = new Set(this.#held.values());
    for (const held of this.#requested.values()) if (!before.has(held)) held.destroy();
    this.#requested = this.#held;
    this.#refused = [];
  }

  /** Makes the stage's next frame begin without memory. */
  forget(): void {
    for (const held of this.#held.values()) held.forget?.();
  }

  /** Frees all objects. */
  destroy(): void {
    for (const held of new Set([...this.#held.values(), ...this.#requested.values()])) held.destroy();
    this.#held = this.#requested = new Map();
  }

  #take<T>(
    name: string,
    request: string,
    make: (label: string) => Omit<HeldObject, "request"> & { readonly object: T },
  ): T {
    if (this.#requested.has(name)) throw new Error(`${this.stage} requests ${name} twice in one build`);
    const before = this.#held.get(name);
    const held = before?.request === request ? before : { ...this.#make(`${this.stage} ${name}`, make), request };
    this.#requested.set(name, held);
    return held.object as T;
  }

  #make<M>(label: string, make: (label: string) => M): M {
    const { result, refused } = scoped(this.device, label, () => make(label));
    // `made` reports the error; without this line Node and browsers would report an unhandled rejection first.
    refused.catch(() => {});
    this.#refused.push(refused);
    return result;
  }
}
