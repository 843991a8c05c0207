import type { Gpu } from "../../pipeline/device/gpu.ts";

/** Times dispatches in one pass by the GPU's clock; without one, from submit to done by the wall clock. */
export class Stopwatch {
  readonly #querySet: GPUQuerySet | undefined;
  readonly #resolved: GPUBuffer;
  readonly #mapped: GPUBuffer;

  constructor(readonly gpu: Gpu) {
    const { device, timestamps } = gpu;
    const { QUERY_RESOLVE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    const buffer = (label: string, usage: number) => device.createBuffer({ label, size: 16, usage });
    if (timestamps) this.#querySet = device.createQuerySet({ label: "bench", type: "timestamp", count: 2 });
    this.#resolved = buffer("bench stamps", QUERY_RESOLVE | COPY_SRC);
    this.#mapped = buffer("bench stamps mapped", MAP_READ | COPY_DST);
  }

  get clock(): "gpu" | "wall" {
    return this.#querySet ? "gpu" : "wall";
  }

  /**
   * The microseconds of `repeats` repetitions of some dispatches in one pass; `null` if the clock ran backwards. It waits for an idle
   * device before and after, so that nothing else is measured.
   */
  async repeat(repeats: number, encode: (pass: GPUComputePassEncoder) => void): Promise<number | null> {
    const { device } = this.gpu;
    const querySet = this.#querySet;
    const encoder = device.createCommandEncoder({ label: "bench" });
    const timestampWrites = querySet && { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 };
    const pass = encoder.beginComputePass({ label: "bench", ...(timestampWrites && { timestampWrites }) });
    for (let i = 0; i < repeats; i++) encode(pass);
    pass.end();
    if (!querySet) {
      const commands = encoder.finish();
      const begin = performance.now();
      device.queue.submit([commands]);
      await device.queue.onSubmittedWorkDone();
      return (performance.now() - begin) * 1000;
    }
    encoder.resolveQuerySet(querySet, 0, 2, this.#resolved, 0);
    encoder.copyBufferToBuffer(this.#resolved, 0, this.#mapped, 0, 16);
    device.queue.submit([encoder.finish()]);
    await this.#mapped.mapAsync(GPUMapMode.READ);
    const [first = 0n, last = 0n] = new BigUint64Array(this.#mapped.getMappedRange());
    this.#mapped.unmap();
    return last > first ? Number(last - first) / 1000 : null;
  }

  destroy(): void {
    this.#querySet?.destroy();
    this.#resolved.destroy();
    this.#mapped.destroy();
  }
}
