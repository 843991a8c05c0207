import type { FrameTiming } from "../frame.ts";

const SLOTS = 4;

interface Slot {
  readonly resolved: GPUBuffer;
  readonly mapped: GPUBuffer;
}

/**
 * Times a frame on the GPU's clock: one compute pass per stage, each writing a timestamp at its end. A stage's time is its own end minus
 * the end of the pass before (a timestamp at its begin would include the tail of that pass). Only the first pass writes its begin too.
 */
export class TimestampRing {
  readonly #querySet: GPUQuerySet;
  readonly #free: Slot[] = [];
  readonly #all: Slot[] = [];
  /** One pass descriptor per stage, made once, so that a timed frame makes no GPU object. */
  readonly passes: readonly GPUComputePassDescriptor[];

  constructor(
    device: GPUDevice,
    readonly names: readonly string[],
  ) {
    const count = names.length + 1;
    this.#querySet = device.createQuerySet({ label: "stage times", type: "timestamp", count });
    this.passes = names.map((label, i) => ({
      label,
      timestampWrites: {
        querySet: this.#querySet,
        ...(i === 0 ? { beginningOfPassWriteIndex: 0 } : {}),
        endOfPassWriteIndex: i + 1,
      },
    }));
    for (let i = 0; i < SLOTS; i++) {
      const size = count * 8;
      const resolved = device.createBuffer({
        label: `stage times resolved ${i}`,
        size,
        usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
      });
      const mapped = device.createBuffer({
        label: `stage times mapped ${i}`,
        size,
        usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
      });
      this.#all.push({ resolved, mapped });
    }
    this.#free.push(...this.#all);
  }

  /** Takes a slot for a frame to be timed. Gives `undefined` when all slots are being read back; the frame then goes untimed. */
  take(): Slot | undefined {
    return this.#free.pop();
  }

  /** Records the copy of the timestamps. Call this after the last pass. */
  resolve(encoder: GPUCommandEncoder, slot: Slot): void {
    encoder.resolveQuerySet(this.#querySet, 0, this.names.length + 1, slot.resolved, 0);
    encoder.copyBufferToBuffer(slot.resolved, 0, slot.mapped, 0, slot.mapped.size);
  }

  /** Reads the times; call this after submit. Gives `null` if the clock ran backwards (WebGPU allows that) or the ring was destroyed. */
  async collect(slot: Slot): Promise<FrameTiming | null> {
    try {
      await slot.mapped.mapAsync(GPUMapMode.READ);
    } catch {
      return null;
    }
    const stamps = new BigUint64Array(slot.mapped.getMappedRange());
    const nanoseconds = Array.from(this.names, (_, i) => Number(stamps[i + 1] - stamps[i]));
    slot.mapped.unmap();
    this.#free.push(slot);
    if (nanoseconds.some((ns) => ns < 0)) return null;
    const stages = this.names.map((name, i) => ({ name, ms: nanoseconds[i] / 1e6 }));
    return { clock: "gpu", stages, totalMs: nanoseconds.reduce((sum, ns) => sum + ns, 0) / 1e6 };
  }

  destroy(): void {
    this.#querySet.destroy();
    for (const { resolved, mapped } of this.#all) {
      resolved.destroy();
      mapped.destroy();
    }
  }
}
