/** Storage buffers that a contender asks for and that are freed together. */
export class Scratch {
  readonly #made: GPUBuffer[] = [];

  constructor(readonly device: GPUDevice) {}

  /** A storage buffer of at least this many words, filled with 0. */
  take(label: string, words: number): GPUBuffer {
    const { STORAGE, COPY_DST, COPY_SRC } = GPUBufferUsage;
    // A vec4 is the least that a kernel binds.
    const size = Math.ceil(Math.max(words, 1) / 4) * 16;
    const buffer = this.device.createBuffer({ label, size, usage: STORAGE | COPY_DST | COPY_SRC });
    this.#made.push(buffer);
    return buffer;
  }

  free(): void {
    for (const buffer of this.#made.splice(0)) buffer.destroy();
  }
}
