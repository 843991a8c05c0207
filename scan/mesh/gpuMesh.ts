// Kernel: shaders/scan/mesh.wgsl, with samples.wgsl and vertex.wgsl. Twin: scan/mesh/nets.ts, with cube.ts. Fast form:
// scan/mesh/assembly/. Tests: tests/scan/gpuMesh.test.ts and tests/scan/mesh.test.ts.

import { createKernel, type Kernel } from "../../shaders/kernel.ts";
import meshShader from "../../shaders/scan/mesh.wgsl";
import { constantOf, sizeOf, structView } from "../../shaders/shader.ts";
import { readParts } from "../../shaders/waitPolled.ts";
import { Pool } from "../../stages/core/pool.ts";
import { GROUPS_AT } from "../volume/gpuVolume.ts";
import { EDGE } from "../volume/layout.ts";
import { KNOWN } from "../volume/volume.ts";
import type { Box } from "./tidy.ts";

/** What the mesh needs of a `GpuVolume`. */
export interface GpuBricks {
  readonly device: GPUDevice;
  readonly twin: { readonly options: { readonly voxelM: number }; readonly bricks: { readonly most: number } };
  readonly buffers: Readonly<Record<"table" | "counts" | "places" | "pool" | "list" | "sight", GPUBuffer>>;
  readonly constants: Readonly<Record<"LOG2_SLOTS" | "BRICK_WORDS", number>>;
}

/** What is drawn, as far as the GPU has come. */
export interface Drawn {
  readonly triangles: number;
  /** Whether some brick's mesh had no room: what is drawn there is older, or nothing. */
  readonly isFull: boolean;
  /** The box around the bricks that have triangles, m; `undefined` where none has any. */
  readonly box: Box | undefined;
}

/** With each frame the mesh is made anew in this many bricks, whether the frame changed them or not. */
const SWEEP = 512;
/** Workgroups in a row. */
const GROUPS = 32768;
const DRAWN_BYTES = sizeOf(meshShader, "Drawn");
/** Farther than any brick. */
const BEYOND = 2 ** 20;
/** Five of nine words of a mesh are vertices, five words each: a surface has twice as many triangles as vertices. */
const SHARE = 9;

interface MeshBuffers {
  /** Vertices of five words, and behind them the corners; usable as vertices and as indices. */
  readonly mesh: GPUBuffer;
  /** Where each brick has its vertices and corners; can be copied. */
  readonly slots: GPUBuffer;
  /** Begins with the arguments of `drawIndexedIndirect`. */
  readonly drawn: GPUBuffer;
  readonly mapped: GPUBuffer;
}

/** The surface in a volume's bricks, kept on the GPU where it is drawn from (shaders/scan/mesh.wgsl). */
export class GpuMesh {
  /** The previous count: each count waits for it, since one buffer takes them all. */
  #counted: Promise<unknown> = Promise.resolve();

  private constructor(
    readonly volume: GpuBricks,
    readonly buffers: MeshBuffers,
    readonly kernels: Readonly<Record<"list" | "sweep", Kernel>>,
    readonly pool: Pool,
  ) {}

  get device(): GPUDevice {
    return this.volume.device;
  }

  /** With room for `bytes` of vertices and triangles. Throws a `GpuError` where the GPU refuses the memory. */
  static async create(volume: GpuBricks, bytes: number): Promise<GpuMesh> {
    const { device, twin, constants, buffers } = volume;
    const { counts, table, places: keys, pool: bricks, list, sight } = buffers;
    const { STORAGE, VERTEX, INDEX, INDIRECT, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    const { maxStorageBufferBindingSize, maxBufferSize } = device.limits;
    const VERTICES = Math.floor(Math.min(bytes, maxStorageBufferBindingSize, maxBufferSize) / 4 / SHARE);
    const pool = new Pool(device, "scan mesh");
    try {
      pool.begin();
      const slots = pool.buffer("slots", twin.bricks.most * sizeOf(meshShader, "slots"), STORAGE | COPY_SRC);
      const mesh = pool.buffer("mesh", 4 * SHARE * VERTICES, STORAGE | VERTEX | INDEX | COPY_SRC);
      const drawn = pool.buffer("drawn", DRAWN_BYTES, STORAGE | INDIRECT | COPY_SRC | COPY_DST);
      const mapped = pool.buffer("mapped", DRAWN_BYTES, MAP_READ | COPY_DST);
      await pool.made();
      pool.finish()();
      const none = structView(meshShader, "Drawn");
      const first = constantOf(meshShader, "VERTEX_WORDS") * VERTICES;
      none.set({ instances: 1, first, least: [BEYOND, BEYOND, BEYOND], most: [-BEYOND, -BEYOND, -BEYOND] });
      device.queue.writeBuffer(drawn, 0, none.arrayBuffer);
      const kernel = (name: string, listed: 0 | 1) =>
        createKernel(device, {
          label: `scan/${name}`,
          shader: meshShader,
          constants: { ...constants, KNOWN, VERTICES, VOXEL_M: twin.options.voxelM, LISTED: listed },
          resources: { table, counts, keys, pool: bricks, list, sight, slots, drawn, mesh },
        });
      const [newest, sweep] = await Promise.all([kernel("mesh", 1), kernel("sweep", 0)]);
      return new GpuMesh(volume, { mesh, slots, drawn, mapped }, { list: newest, sweep }, pool);
    } catch (error) {
      pool.destroy();
      throw error;
    }
  }

  /** Makes the mesh of the volume's newest frame, and of some other bricks. */
  encode(pass: GPUComputePassEncoder): void {
    const { list, sweep } = this.kernels;
    list.dispatchIndirect(pass, this.volume.buffers.counts, GROUPS_AT);
    sweep.dispatch(pass, SWEEP);
  }

  /** Makes the mesh of all bricks, of which the volume has at most this many. */
  encodeAll(pass: GPUComputePassEncoder, bricks: number): void {
    if (bricks > 0) this.kernels.sweep.dispatch(pass, Math.min(bricks, GROUPS), Math.ceil(bricks / GROUPS));
  }

  /** Reads what is drawn now. */
  counted(): Promise<Drawn> {
    const counted = this.#counted.then(() => this.#count());
    this.#counted = counted.catch(() => {});
    return counted;
  }

  async #count(): Promise<Drawn> {
    const { drawn, mapped } = this.buffers;
    const words = await readParts(
      this.device,
      mapped,
      [[drawn, 0, DRAWN_BYTES]],
      (bytes) => new Int32Array(bytes.slice(0)),
    );
    const brickM = EDGE * this.volume.twin.options.voxelM;
    const [least, most] = [words.subarray(8, 11), words.subarray(11, 14)];
    const box: Box = [least[0], least[1], least[2], most[0] + 1, most[1] + 1, most[2] + 1];
    const isEmpty = least[0] === BEYOND;
    return {
      triangles: words[6],
      isFull: words[7] > 0,
      box: isEmpty ? undefined : (box.map((place) => place * brickM) as unknown as Box),
    };
  }

  destroy(): void {
    this.pool.destroy();
  }
}
