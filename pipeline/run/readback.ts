import { waitPolled } from "../../shaders/waitPolled.ts";

/** The most buffers that are kept for the next read: enough for two frames of which every result is read. */
const MOST_KEPT = 14;

/**
 * Reads the GPU's results back through mapped buffers that take turns. A read makes a buffer only if no buffer of its size waits, so frames
 * of which the same results are read make none. The buffers that waited longest are freed when others take their place.
 */
export class Readback {
  readonly #waiting: GPUBuffer[] = [];
  #ended = false;

  constructor(readonly device: GPUDevice) {}

  /** Records `copy` and submits it before this returns, so it reads the frame submitted last. Resolves to the `size` bytes copied. */
  async read(size: number, copy: (encoder: GPUCommandEncoder, into: GPUBuffer) => void): Promise<ArrayBuffer> {
    const { device } = this;
    const at = this.#waiting.findIndex((buffer) => buffer.size === size);
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const buffer = at < 0 ? device.createBuffer({ label: "readback", size, usage }) : this.#waiting.splice(at, 1)[0];
    const encoder = device.createCommandEncoder({ label: "readback" });
    copy(encoder, buffer);
    device.queue.submit([encoder.finish()]);
    try {
      await waitPolled(device, buffer.mapAsync(GPUMapMode.READ));
    } catch (error) {
      buffer.destroy();
      throw error;
    }
    const bytes = buffer.getMappedRange().slice(0);
    buffer.unmap();
    this.#waiting.push(buffer);
    if (this.#ended) this.destroy();
    else if (this.#waiting.length > MOST_KEPT) this.#waiting.shift()?.destroy();
    return bytes;
  }

  /** Frees the buffers: those of reads under way when these are done. */
  destroy(): void {
    this.#ended = true;
    for (const buffer of this.#waiting.splice(0)) buffer.destroy();
  }
}
