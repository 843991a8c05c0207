import { createKernel, type Kernel } from "../../shaders/kernel.ts";
import beginShader from "../../shaders/scan/beginMesh.wgsl";
import meshShader from "../../shaders/scan/mesh.wgsl";
import { Pool } from "../../stages/core/pool.ts";
import { KNOWN } from "../volume/volume.ts";

/** What the mesh needs of a `GpuVolume`. */
export interface GpuBricks {
  readonly device: GPUDevice;
  readonly twin: { readonly options: { readonly voxelM: number } };
  readonly buffers: Readonly<Record<"table" | "counts" | "places" | "pool" | "list", GPUBuffer>>;
  readonly constants: Readonly<Record<"LOG2_SLOTS" | "BRICK_WORDS", number>>;
}

/** Where the buffer of `counts` has the workgroups for the newest frame's list, in bytes. */
const GROUPS_AT = 32;
/** The first word of a block that had no room. */
export const OVER = 0xffffffff;

/** Makes the surface in the bricks of a list on the GPU, in blocks of words (shaders/scan/mesh.wgsl). */
export class GpuMesh {
  private constructor(
    readonly device: GPUDevice,
    /** One u32: the words that blocks take; more than `mesh` has where some had no room. COPY_SRC, as the next two. */
    readonly used: GPUBuffer,
    /** For each entry of the list two u32: the block's first word or `OVER`, and its vertices | triangles << 16. */
    readonly blocks: GPUBuffer,
    readonly mesh: GPUBuffer,
    readonly counts: GPUBuffer,
    readonly begin: Kernel,
    readonly kernel: Kernel,
    readonly pool: Pool,
  ) {}

  /**
   * For lists of at most `entries` bricks and meshes of at most `words` words: 5 for each vertex, 3 for each triangle. The list is that of
   * the volume's newest frame unless another one is given. Throws a `GpuError` where the GPU refuses the memory.
   */
  static async create(volume: GpuBricks, entries: number, words: number, list?: GPUBuffer): Promise<GpuMesh> {
    const { device, twin, constants, buffers } = volume;
    const { counts, table, places: keys, pool: bricks } = buffers;
    const pool = new Pool(device, "scan mesh");
    const { STORAGE, COPY_SRC } = GPUBufferUsage;
    try {
      pool.begin();
      const used = pool.buffer("used", 4, STORAGE | COPY_SRC);
      const blocks = pool.buffer("blocks", 8 * entries, STORAGE | COPY_SRC);
      const mesh = pool.buffer("words", 4 * words, STORAGE | COPY_SRC);
      await pool.made();
      pool.finish()();
      const begin = await createKernel(device, { label: "scan/beginMesh", shader: beginShader, resources: { used } });
      const kernel = await createKernel(device, {
        label: "scan/mesh",
        shader: meshShader,
        constants: { ...constants, KNOWN, VOXEL_M: twin.options.voxelM },
        resources: { table, counts, keys, pool: bricks, list: list ?? buffers.list, used, blocks, mesh },
      });
      return new GpuMesh(device, used, blocks, mesh, counts, begin, kernel, pool);
    } catch (error) {
      pool.destroy();
      throw error;
    }
  }

  /** Makes the mesh of the first `entries` of a list, at most 32,768, or of the volume's newest frame. */
  encode(pass: GPUComputePassEncoder, entries?: number): void {
    this.begin.dispatch(pass, 1);
    if (entries === undefined) this.kernel.dispatchIndirect(pass, this.counts, GROUPS_AT);
    else this.kernel.dispatch(pass, entries);
  }

  destroy(): void {
    this.pool.destroy();
  }
}
