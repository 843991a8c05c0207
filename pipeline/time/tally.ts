/** Of the two words of `Picture.stats`, the second: tiles whose list had no room. */
const FULL_TILES = 4;
const SLOTS = 4;

/** Brings back, of sampled frames, how many tiles' lists were full. Never waited for: where all slots are away, a frame goes uncounted. */
export class Tally {
  readonly #all: readonly GPUBuffer[];
  readonly #free: GPUBuffer[];

  constructor(
    device: GPUDevice,
    readonly onCount: (tiles: number) => void,
  ) {
    const usage = GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ;
    this.#all = Array.from({ length: SLOTS }, (_, i) =>
      device.createBuffer({ label: `full tiles mapped ${i}`, size: 4, usage }),
    );
    this.#free = [...this.#all];
  }

  /** Records the copy; what it gives is to be called after submit. */
  copy(encoder: GPUCommandEncoder, stats: GPUBuffer): (() => void) | undefined {
    const slot = this.#free.pop();
    if (!slot) return undefined;
    encoder.copyBufferToBuffer(stats, FULL_TILES, slot, 0, 4);
    return () => void this.#collect(slot);
  }

  async #collect(slot: GPUBuffer): Promise<void> {
    try {
      await slot.mapAsync(GPUMapMode.READ);
    } catch {
      // It was destroyed, or the device is gone.
      return;
    }
    const [tiles] = new Uint32Array(slot.getMappedRange());
    slot.unmap();
    this.#free.push(slot);
    this.onCount(tiles);
  }

  destroy(): void {
    for (const buffer of this.#all) buffer.destroy();
  }
}
