import type { Gpu } from "../../pipeline/device/gpu.ts";

/** Numbers a pass's stamps within a measurement. If `stamps` is undefined, the pass stays untimed. */
export type Stamp = (stamps: { begin?: number; end?: number }) => GPUComputePassDescriptor;

/** Times the commands between the first and the last stamp by the GPU's clock; without one, from submit to done by the wall clock. */
export class Stopwatch {
  static readonly CAPACITY = 2048;
  readonly #querySet: GPUQuerySet | undefined;
  readonly #resolved: GPUBuffer;
  readonly #mapped: GPUBuffer;

  constructor(readonly gpu: Gpu) {
    const { device, timestamps } = gpu;
    const count = Stopwatch.CAPACITY;
    if (timestamps) this.#querySet = device.createQuerySet({ label: "bench", type: "timestamp", count });
    const size = count * 8;
    this.#resolved = device.createBuffer({
      label: "bench stamps",
      size,
      usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
    });
    this.#mapped = device.createBuffer({
      label: "bench stamps mapped",
      size,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
  }

  get clock(): "gpu" | "wall" {
    return this.#querySet ? "gpu" : "wall";
  }

  /**
   * The microseconds from stamp 0 to stamp `last`; `null` if the clock ran backwards. It waits for an idle device before and after, so that
   * nothing else is measured.
   */
  async time(last: number, record: (encoder: GPUCommandEncoder, stamp: Stamp) => void): Promise<number | null> {
    const us = (await this.stamps(last, record)).at(-1) ?? 0;
    return us > 0 ? us : null;
  }

  /** The microseconds of `repeats` repetitions of some dispatches in one pass; `null` if the clock ran backwards. */
  repeat(repeats: number, encode: (pass: GPUComputePassEncoder) => void): Promise<number | null> {
    return this.time(1, (encoder, stamp) => {
      const pass = encoder.beginComputePass(stamp({ begin: 0, end: 1 }));
      for (let i = 0; i < repeats; i++) encode(pass);
      pass.end();
    });
  }

  /** As `time`, but gives each stamp from 1 to `last`, in microseconds after stamp 0; without the GPU's clock the last alone. */
  async stamps(last: number, record: (encoder: GPUCommandEncoder, stamp: Stamp) => void): Promise<readonly number[]> {
    const { device } = this.gpu;
    const encoder = device.createCommandEncoder({ label: "bench" });
    record(encoder, (stamps) => this.#pass(stamps));
    if (!this.#querySet) {
      const commands = encoder.finish();
      const begin = performance.now();
      device.queue.submit([commands]);
      await device.queue.onSubmittedWorkDone();
      return [(performance.now() - begin) * 1000];
    }
    const size = (last + 1) * 8;
    encoder.resolveQuerySet(this.#querySet, 0, last + 1, this.#resolved, 0);
    encoder.copyBufferToBuffer(this.#resolved, 0, this.#mapped, 0, size);
    device.queue.submit([encoder.finish()]);
    await this.#mapped.mapAsync(GPUMapMode.READ, 0, size);
    const [first = 0n, ...rest] = new BigUint64Array(this.#mapped.getMappedRange(0, size));
    const micros = rest.map((stamp) => Number(stamp - first) / 1000);
    this.#mapped.unmap();
    return micros;
  }

  #pass({ begin, end }: { begin?: number; end?: number }): GPUComputePassDescriptor {
    if (!this.#querySet || (begin === undefined && end === undefined)) return { label: "bench" };
    return {
      label: "bench",
      timestampWrites: {
        querySet: this.#querySet,
        ...(begin === undefined ? {} : { beginningOfPassWriteIndex: begin }),
        ...(end === undefined ? {} : { endOfPassWriteIndex: end }),
      },
    };
  }

  destroy(): void {
    this.#querySet?.destroy();
    this.#resolved.destroy();
    this.#mapped.destroy();
  }
}
