import { readParts } from "../../shaders/waitPolled.ts";
import { Pool } from "../../stages/core/pool.ts";
import type { CubeMaker, Part } from "./cube.ts";
import { type GpuBricks, GpuMesh, OVER } from "./gpuMesh.ts";
import { ALL_CELLS, CUBE } from "./layout.ts";
import { MOST_CORNERS } from "./nets.ts";

/** So many bricks are made at a time: a few dozen cubes. */
const ENTRIES = 4096;
/** The words of the largest mesh that a cube can have. */
const WORDS = CUBE * (5 * ALL_CELLS + MOST_CORNERS);

/** Makes the surfaces in cubes of bricks on the GPU, and reads them back: the parts that `Cubes` makes of the same volume. */
export class GpuCubes implements CubeMaker {
  readonly most = ENTRIES / CUBE;
  /** Numbers of bricks, and their blocks. */
  readonly #list = new Uint32Array(ENTRIES);
  readonly #blocks = new Uint32Array(2 * ENTRIES);

  private constructor(
    readonly device: GPUDevice,
    readonly words: number,
    readonly mesh: GpuMesh,
    readonly list: GPUBuffer,
    readonly mappedBlocks: GPUBuffer,
    readonly mappedWords: GPUBuffer,
    readonly pool: Pool,
  ) {}

  /** `words`: the room for meshes that are made at a time; a cube that needs more is never made. By default each cube has room. */
  static async create(volume: GpuBricks, words = WORDS): Promise<GpuCubes> {
    const { device } = volume;
    const { STORAGE, COPY_DST, MAP_READ } = GPUBufferUsage;
    const pool = new Pool(device, "scan cubes");
    try {
      pool.begin();
      const list = pool.buffer("list", 4 * ENTRIES, STORAGE | COPY_DST);
      const blocks = pool.buffer("blocks mapped", 8 * ENTRIES + 4, MAP_READ | COPY_DST);
      const mapped = pool.buffer("words mapped", 4 * words, MAP_READ | COPY_DST);
      await pool.made();
      pool.finish()();
      const mesh = await GpuMesh.create(volume, ENTRIES, words, list);
      return new GpuCubes(device, words, mesh, list, blocks, mapped, pool);
    } catch (error) {
      pool.destroy();
      throw error;
    }
  }

  /**
   * The surfaces in cubes, each a list of at most 64 numbers of bricks; `undefined` for a cube whose mesh has more than `words` words.
   * Call it again when the promise has settled.
   */
  async of(cubes: readonly (readonly number[])[]): Promise<(Part | undefined)[]> {
    const parts: (Part | undefined)[] = cubes.map(() => undefined);
    let waiting = [...cubes.keys()];
    let { most }: { most: number } = this;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, most);
      const over = await this.#make(cubes, batch, parts);
      // A cube that has no room beside others gets it alone.
      most = over.length === batch.length ? batch.length >> 1 : most;
      waiting = most === 0 ? waiting.slice(1) : [...over, ...waiting.slice(batch.length)];
      most = Math.max(1, most);
    }
    return parts;
  }

  destroy(): void {
    this.mesh.destroy();
    this.pool.destroy();
  }

  /** Makes the cubes whose numbers `batch` has. Returns the numbers of those that had no room. */
  async #make(cubes: readonly (readonly number[])[], batch: readonly number[], parts: (Part | undefined)[]) {
    let count = 0;
    for (const cube of batch) for (const brick of cubes[cube]) this.#list[count++] = brick;
    if (count === 0) return this.#take(cubes, batch, parts, new ArrayBuffer(0));
    const { device, mesh, mappedBlocks, mappedWords } = this;
    device.queue.writeBuffer(this.list, 0, this.#list, 0, count);
    const encoder = device.createCommandEncoder({ label: "scan cubes" });
    const pass = encoder.beginComputePass({ label: "scan cubes" });
    mesh.encode(pass, count);
    pass.end();
    const sizes = [[mesh.blocks, 0, 8 * count] as const, [mesh.used, 0, 4] as const];
    const takeBlocks = (read: ArrayBuffer) => {
      this.#blocks.set(new Uint32Array(read, 0, 2 * count));
      return 4 * Math.min(new Uint32Array(read)[2 * count], this.words);
    };
    const bytes = await readParts(device, mappedBlocks, sizes, takeBlocks, encoder);
    const takeWords = (words: ArrayBuffer) => this.#take(cubes, batch, parts, words);
    return bytes === 0
      ? takeWords(new ArrayBuffer(0))
      : readParts(device, mappedWords, [[mesh.mesh, 0, bytes]], takeWords);
  }

  /** Takes the cubes of a batch out of the blocks of their bricks. */
  #take(
    cubes: readonly (readonly number[])[],
    batch: readonly number[],
    parts: (Part | undefined)[],
    words: ArrayBuffer,
  ): number[] {
    let entry = 0;
    const over: number[] = [];
    for (const cube of batch) {
      const blocks = this.#blocks.subarray(2 * entry, 2 * (entry + cubes[cube].length));
      entry += cubes[cube].length;
      if (blocks.some((word, i) => i % 2 === 0 && word === OVER)) over.push(cube);
      else parts[cube] = partOf(words, blocks);
    }
    return over;
  }
}

/** The mesh of a cube, whose bricks have these blocks. */
function partOf(words: ArrayBuffer, blocks: Uint32Array): Part {
  let [vertices, corners] = [0, 0];
  for (let i = 1; i < blocks.length; i += 2) {
    vertices += blocks[i] & 0xffff;
    corners += 3 * (blocks[i] >>> 16);
  }
  const positions = new Float32Array(3 * vertices);
  const [normals, colours] = [new Int8Array(4 * vertices), new Uint8Array(4 * vertices)];
  const indices = new Uint32Array(corners);
  let [vertex, corner] = [0, 0];
  for (let i = 0; i < blocks.length; i += 2) {
    const [own, count] = [blocks[i + 1] & 0xffff, 3 * (blocks[i + 1] >>> 16)];
    const at = 4 * blocks[i];
    positions.set(new Float32Array(words, at, 3 * own), 3 * vertex);
    normals.set(new Int8Array(words, at + 12 * own, 4 * own), 4 * vertex);
    colours.set(new Uint8Array(words, at + 16 * own, 4 * own), 4 * vertex);
    const faces = new Uint32Array(words, at + 20 * own, count);
    for (let k = 0; k < count; k++) indices[corner + k] = faces[k] + vertex;
    vertex += own;
    corner += count;
  }
  return { positions, normals, colours, indices };
}
