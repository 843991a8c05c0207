import type { FrameTiming } from "../frame.ts";

const SLOTS = 4;

interface Slot {
  readonly resolved: GPUBuffer;
  readonly mapped: GPUBuffer;
}

/**
 * One timed frame: a pass per stage, each stamping its end.
 * A stage's time is its end minus the end of the pass before it (a begin stamp would take in its predecessor's tail);
 * only the first pass stamps its begin, for want of a predecessor.
 */
export class TimestampRing {
  readonly #querySet: GPUQuerySet;
  readonly #free: Slot[] = [];
  readonly #all: Slot[] = [];
  /** A ready-made pass descriptor per stage, so that a timed frame allocates nothing either. */
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

  /** A slot for a frame to be timed; `undefined` when all are still on their way back: the frame then goes untimed. */
  take(): Slot | undefined {
    return this.#free.pop();
  }

  /** To be recorded after the last pass. */
  resolve(encoder: GPUCommandEncoder, slot: Slot): void {
    encoder.resolveQuerySet(this.#querySet, 0, this.names.length + 1, slot.resolved, 0);
    encoder.copyBufferToBuffer(slot.resolved, 0, slot.mapped, 0, slot.mapped.size);
  }

  /** To be called after submit. `null` if the clock ran backwards (legal, and to be discarded) or the ring was destroyed. */
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
