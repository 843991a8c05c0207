/** The byte in `Picture.stats` where the number of tiles whose list was full begins: `tiles` of shaders/dofSplat/scan.wgsl. */
export const FULL_TILES = 4;
const SLOTS = 4;

/** Reads back how many tile lists were full, for sampled frames. Frames never wait for this: if no slot is free, a frame is not counted. */
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

  /** Records the copy. The caller calls the returned function after submit. Gives `undefined` if no slot is free. */
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
      // The buffer was destroyed, or the device is lost.
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
