const PAGE = 65536;
/** A brick among the 27 in and around it. */
const OWN = 13;

/**
 * Bricks of 8³ voxels, found by their coordinates through a hash table (Nießner et al. 2013, with the hash of Teschner et al. 2003; open
 * addressing). Brick (x, y, z) begins at the corner of voxel (8x, 8y, 8z); layout.ts says what its bytes are. Memory grows with the
 * number of bricks and moves nothing, so addresses of bricks stay valid; views of the memory do not.
 */
export class Bricks {
  count = 0;
  readonly memory: WebAssembly.Memory;
  /** Coordinates: three numbers for each brick. */
  coordinates = new Int32Array(3 * 1024);
  /** Numbers of bricks, plus 1; 0 where free. The length is a power of two. */
  #table = new Int32Array(4096);

  constructor(
    /** The address of the first brick. */
    readonly start: number,
    /** The size of a brick in bytes. */
    readonly bytes: number,
    /** How many bricks there may be. */
    readonly most: number,
    /** Whether threads share the memory. */
    shared: boolean,
  ) {
    const pages = (count: number) => Math.ceil((start + count * bytes) / PAGE);
    this.memory = new WebAssembly.Memory({ initial: pages(64), maximum: pages(most), shared });
  }

  /** The address of a brick. */
  at(brick: number): number {
    return this.start + brick * this.bytes;
  }

  /** The number of the brick at these coordinates, or -1. */
  find(x: number, y: number, z: number): number {
    return this.#table[this.#slot(x, y, z)] - 1;
  }

  /** Writes the addresses of a brick and the 26 bricks around the brick into `words`, from the index `to` on; -1 where there is none. */
  around(brick: number, words: Int32Array, to: number): void {
    const { coordinates } = this;
    const [x, y, z] = [coordinates[3 * brick] - 1, coordinates[3 * brick + 1] - 1, coordinates[3 * brick + 2] - 1];
    for (let i = 0; i < 27; i++) {
      const found = i === OWN ? brick : this.find(x + (i % 3), y + (Math.floor(i / 3) % 3), z + Math.floor(i / 9));
      words[to + i] = found < 0 ? -1 : this.at(found);
    }
  }

  /** The number of the brick at these coordinates, which is made where it is missing; -1 where no more may be made. */
  make(x: number, y: number, z: number): number {
    const slot = this.#slot(x, y, z);
    const found = this.#table[slot];
    if (found > 0) return found - 1;
    if (this.count === this.most) return -1;
    const brick = this.count++;
    if (3 * this.count > this.coordinates.length) this.coordinates = larger(this.coordinates);
    this.coordinates.set([x, y, z], 3 * brick);
    this.#table[slot] = brick + 1;
    if (2 * this.count > this.#table.length) this.#rehash();
    return brick;
  }

  /** Makes room for the bricks that were made. Afterwards views of the memory may have to be made anew. */
  reserve(): void {
    const { byteLength } = this.memory.buffer;
    const missing = this.at(this.count) - byteLength;
    if (missing <= 0) return;
    const last = Math.ceil(this.at(this.most) / PAGE) - byteLength / PAGE;
    // The memory grows by an eighth more than is needed, so it seldom grows.
    this.memory.grow(Math.min(last, Math.ceil((missing + byteLength / 8) / PAGE)));
  }

  /** Throws all bricks away; their memory stays, as new. */
  clear(): void {
    const { buffer } = this.memory;
    new Uint8Array(buffer).fill(0, this.start, Math.min(buffer.byteLength, this.at(this.count)));
    this.#table.fill(0);
    this.count = 0;
  }

  /** The place of these coordinates in the table. */
  #slot(x: number, y: number, z: number): number {
    const mask = this.#table.length - 1;
    let slot = (Math.imul(x, 73856093) ^ Math.imul(y, 19349663) ^ Math.imul(z, 83492791)) & mask;
    for (; this.#table[slot] > 0; slot = (slot + 1) & mask) {
      const at = 3 * (this.#table[slot] - 1);
      if (this.coordinates[at] === x && this.coordinates[at + 1] === y && this.coordinates[at + 2] === z) break;
    }
    return slot;
  }

  #rehash(): void {
    this.#table = new Int32Array(2 * this.#table.length);
    for (let brick = 0; brick < this.count; brick++) {
      const [x, y, z] = this.coordinates.subarray(3 * brick, 3 * brick + 3);
      this.#table[this.#slot(x, y, z)] = brick + 1;
    }
  }
}

function larger(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const made = new Int32Array(2 * array.length);
  made.set(array);
  return made;
}
