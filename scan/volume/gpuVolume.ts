// Kernels: shaders/scan/, but for mesh.wgsl. Twin: scan/volume/volume.ts, which says where each kernel's twin is. Fast form:
// scan/volume/assembly/. Tests: tests/scan/gpuVolume.test.ts, tests/scan/volume.test.ts and tests/scan/gpuScan.test.ts.

import { invert, type Rigid, rigid } from "../../core/pose.ts";
import { GpuError } from "../../shaders/gpuError.ts";
import { createKernel } from "../../shaders/kernel.ts";
import carveShader from "../../shaders/scan/carve.wgsl";
import integrateShader from "../../shaders/scan/integrate.wgsl";
import planesShader from "../../shaders/scan/pixelPlanes.wgsl";
import settleShader from "../../shaders/scan/settle.wgsl";
import touchShader from "../../shaders/scan/touch.wgsl";
import { constantOf, type Shader, sizeOf, structView } from "../../shaders/shader.ts";
import { readParts } from "../../shaders/waitPolled.ts";
import { Pool } from "../../stages/core/pool.ts";
import { Filling, type Head, keyOf } from "./filling.ts";
import { EDGE, TRUNCATION } from "./layout.ts";
import { BAND, type Fusable, Volume, type VolumeOptions } from "./volume.ts";

/** Invocations of a workgroup. */
const WORKGROUPS = { planes: 256, touch: 64, carve: 64, integrate: 128 };
/** Every `STEP`-th pixel across and down makes bricks. */
const STEP = 4;
const counted = structView(settleShader, "Counts");
/** Words of the struct `Counts` of shaders/scan/places.wgsl. */
const COUNTS = counted.arrayBuffer.byteLength / 4;
/** Byte offset, in `counts`, of the workgroup counts for the indirect dispatch. */
export const GROUPS_AT = counted.offsetOf("groups");
/** The most bytes that one read-back takes. */
const CHUNK = 2 ** 24;

/** The buffers of a volume; shaders/scan/ declares what is in each. */
type Buffers = ReturnType<typeof buffersOf>;
type Kernels = Awaited<ReturnType<typeof kernelsOf>>;

/**
 * A volume on the GPU, by the kernels of shaders/scan/: `Volume` is the twin. Distances differ from the twin's by a unit, as divisions may;
 * some bricks at the edge of what is seen differ, too. Where a frame's new bricks do not all have room, none of them is kept, and no later
 * frame makes any. What it holds does not depend on the order in which the GPU works, so the same frames give the same bytes.
 */
export class GpuVolume {
  /** How many frames were added. */
  frames = 0;
  readonly #view = structView(integrateShader, "sight");
  readonly #fromWorld = rigid();
  /** Depth as it is sent: an even number of pixels. */
  readonly #depth: Uint16Array<ArrayBuffer>;
  /** Workgroups that touch bricks, for the newest frame. */
  #touching = 0;

  private constructor(
    readonly device: GPUDevice,
    /** Takes what is read back. */
    readonly twin: Volume,
    readonly constants: Readonly<Record<"LOG2_SLOTS" | "BRICK_WORDS", number>>,
    readonly pool: Pool,
    readonly buffers: Buffers,
    readonly kernels: Kernels,
  ) {
    this.#depth = new Uint16Array(2 * Math.ceil(twin.options.pixels / 2));
  }

  /** Throws a `GpuError` where the device does not allow buffers of that size, or has no memory for them. */
  static async open(device: GPUDevice, options: VolumeOptions): Promise<GpuVolume> {
    const twin = new Volume(options, true);
    const { bytes, most } = twin.bricks;
    const constants = { LOG2_SLOTS: Math.ceil(Math.log2(2 * most)), BRICK_WORDS: bytes / 4 };
    const pool = new Pool(device, "scan");
    try {
      pool.begin();
      const buffers = buffersOf(pool, options, most, constants);
      pool.finish()();
      await pool.made();
      const kernels = await kernelsOf(device, buffers, most, constants);
      return new GpuVolume(device, twin, constants, pool, buffers, kernels);
    } catch (error) {
      pool.destroy();
      throw error;
    }
  }

  get options(): VolumeOptions {
    return this.twin.options;
  }

  /** Adds a frame as `Volume.add` does. */
  add(frame: Fusable, toWorld: Rigid, times = 1): void {
    this.send(frame, toWorld, times);
    this.submit();
  }

  /** Adds the frame that was sent last. */
  submit(): void {
    const encoder = this.device.createCommandEncoder({ label: "scan" });
    const pass = encoder.beginComputePass({ label: "scan" });
    this.encode(pass);
    pass.end();
    this.device.queue.submit([encoder.finish()]);
  }

  /** Sends a frame to the GPU, for `encode`. Throws a `RangeError` for more pixels than the volume is made for. */
  send({ depth, color, intrinsics, metresPerUnit }: Fusable, toWorld: Rigid, times = 1): void {
    const { voxelM, pixels, farM, sigma, hasColour } = this.options;
    const { width, height, fx, fy, cx, cy } = intrinsics;
    if (width * height > pixels)
      throw new RangeError(`the volume is made for frames of ${pixels} pixels, and this one has ${width} × ${height}`);
    const { queue } = this.device;
    this.#depth.set(depth.data);
    queue.writeBuffer(this.buffers.depth, 0, this.#depth, 0, 2 * Math.ceil((width * height) / 2));
    if (hasColour && color) queue.writeBuffer(this.buffers.colours, 0, color.data as Uint8Array<ArrayBuffer>);
    const rows = (m: Rigid) => [m.subarray(0, 4), m.subarray(4, 8), m.subarray(8, 12)];
    this.#view.set({
      toWorld: rows(toWorld),
      fromWorld: rows(invert(this.#fromWorld, toWorld)),
      fx,
      fy,
      cx,
      cy,
      width,
      height,
      stride: width,
      turn: ++this.frames,
      unit: metresPerUnit,
      far: farM / metresPerUnit,
      a: sigma.a,
      b: sigma.b,
      voxelM,
      perTruncation: 1 / (TRUNCATION * voxelM),
      band: BAND * voxelM,
      brickM: EDGE * voxelM,
      times,
      hasColour: hasColour && color ? 1 : 0,
    });
    queue.writeBuffer(this.buffers.sight, 0, this.#view.arrayBuffer);
    this.#touching = Math.ceil((Math.ceil(width / STEP) * Math.ceil(height / STEP)) / WORKGROUPS.touch);
  }

  /** Records the kernels of the frame that was sent last: once for each frame. */
  encode(pass: GPUComputePassEncoder): void {
    const { planes, touch, carve, settle, integrate } = this.kernels;
    const { options, bricks } = this.twin;
    planes.dispatch(pass, Math.ceil(options.pixels / WORKGROUPS.planes));
    touch.dispatch(pass, this.#touching);
    carve.dispatch(pass, Math.ceil(bricks.most / WORKGROUPS.carve));
    settle.dispatch(pass, 1);
    integrate.dispatchIndirect(pass, this.buffers.counts, GROUPS_AT);
  }

  /**
   * Reads what the kernels counted up to the newest frame: all bricks of the volume, the bricks that this frame changed, and whether any
   * frame had bricks for which there was no room.
   */
  async counted(): Promise<{ readonly count: number; readonly listed: number; readonly isFull: boolean }> {
    const bytes = new Uint8Array(4 * COUNTS);
    await this.#read(this.buffers.counts, 4 * COUNTS, (part) => bytes.set(part));
    const [count, listed, , isFull, , isBeyond] = new Uint32Array(bytes.buffer);
    return { count, listed, isFull: isFull + isBeyond > 0 };
  }

  /** Reads the volume back into `twin`, whose bricks are then in the order of their coordinates. */
  async read(): Promise<Volume> {
    let filled: Filling | undefined;
    await this.copy(
      (head) => {
        filled = new Filling(this.twin, head);
      },
      (part, from) => filled?.take(part, from),
    );
    return this.twin;
  }

  /** Reads the volume back: what bricks there are, then their bytes in parts, as `keys` has them; a part is valid until `take` returns. */
  async copy(begin: (head: Head) => void, take: (part: Uint8Array<ArrayBuffer>, from: number) => void): Promise<void> {
    const { count, isFull } = await this.counted();
    const keys = new Uint32Array(count);
    await this.#read(this.buffers.places, 4 * count, (part) => keys.set(new Uint32Array(part.buffer)));
    begin({ keys, frames: this.frames, isFull });
    await this.#read(this.buffers.pool, this.twin.bricks.bytes * count, take);
  }

  /** Sends what `twin` holds to the GPU, in place of what is there: the reverse of `read`. Throws a `GpuError` for a brick too far away. */
  restore(): void {
    const { device, buffers, twin } = this;
    const { coordinates, frames, isFull } = twin.held;
    const slots = 2 ** this.constants.LOG2_SLOTS;
    const [table, keys] = [new Uint32Array(2 * slots), new Uint32Array(coordinates.length / 3)];
    for (let brick = 0; brick < keys.length; brick++) {
      const [x, y, z] = coordinates.subarray(3 * brick);
      const key = keyOf(x, y, z);
      if (key === 0) throw new GpuError("a part of it is too far away for the GPU's table of places");
      // `slotOf` and `slotAfter` of shaders/scan/places.wgsl.
      let slot = Math.imul(key, 2654435769) >>> (32 - this.constants.LOG2_SLOTS);
      while (table[2 * slot] !== 0) slot = (slot + 1) % slots;
      table.set([key, brick + 1], 2 * slot);
      keys[brick] = key;
    }
    // A full volume notices by its next frame that it is full.
    const counts = new Uint32Array(COUNTS);
    counts.set([keys.length, 0, 0, 0, keys.length, Number(isFull)]);
    const { queue } = device;
    for (const [buffer, data] of [
      [buffers.table, table],
      [buffers.counts, counts],
      [buffers.places, keys],
    ] as const)
      queue.writeBuffer(buffer, 0, data);
    const bytes = twin.bytes as Uint8Array<ArrayBuffer>;
    for (let at = 0; at < bytes.length; at += CHUNK)
      queue.writeBuffer(buffers.pool, at, bytes.subarray(at, at + CHUNK));
    this.frames = frames;
  }

  /** Frees the buffers. Bricks that were read back stay readable. */
  destroy(): void {
    this.pool.destroy();
  }

  /** Reads `size` bytes of a buffer, in parts; a part is valid until `take` returns. */
  async #read(buffer: GPUBuffer, size: number, take: (part: Uint8Array<ArrayBuffer>, from: number) => void) {
    const { device } = this;
    const { MAP_READ, COPY_DST } = GPUBufferUsage;
    const usage = MAP_READ | COPY_DST;
    const mapped = device.createBuffer({ label: "scan mapped", size: Math.max(4, Math.min(CHUNK, size)), usage });
    try {
      for (let from = 0; from < size; from += CHUNK) {
        const bytes = Math.min(CHUNK, size - from);
        await readParts(device, mapped, [[buffer, from, bytes]], (part) => take(new Uint8Array(part), from));
      }
    } finally {
      mapped.destroy();
    }
  }
}

function buffersOf(
  pool: Pool,
  { pixels, hasColour }: VolumeOptions,
  most: number,
  { LOG2_SLOTS, BRICK_WORDS }: GpuVolume["constants"],
) {
  const { STORAGE, INDIRECT, UNIFORM, COPY_SRC, COPY_DST } = GPUBufferUsage;
  return {
    table: pool.buffer("table", 4 * constantOf(touchShader, "ENTRY_WORDS") * 2 ** LOG2_SLOTS, STORAGE | COPY_DST),
    counts: pool.buffer("counts", 4 * COUNTS, STORAGE | INDIRECT | COPY_SRC | COPY_DST),
    places: pool.buffer("places", 4 * most, STORAGE | COPY_SRC | COPY_DST),
    pool: pool.buffer("bricks", 4 * BRICK_WORDS * most, STORAGE | COPY_SRC | COPY_DST),
    list: pool.buffer("list", 4 * most, STORAGE),
    changed: pool.buffer("changed", 4 * most, STORAGE | COPY_SRC),
    planes: pool.buffer("planes", pixels * sizeOf(planesShader, "planes"), STORAGE),
    sight: pool.buffer("sight", sizeOf(integrateShader, "sight"), UNIFORM | COPY_DST),
    depth: pool.buffer("depth", 4 * Math.ceil(pixels / 2), STORAGE | COPY_DST),
    // WebGPU needs a buffer there without colours, too.
    colours: pool.buffer("colours", hasColour ? 4 * pixels : 4, STORAGE | COPY_DST),
  };
}

async function kernelsOf(device: GPUDevice, buffers: Buffers, MOST: number, own: GpuVolume["constants"]) {
  const kernel = async (name: string, shader: Shader, constants: Record<string, number> = {}) => {
    const { resources: declared } = await shader.load();
    const resources = Object.fromEntries(declared.map((one) => [one.name, buffers[one.name as keyof Buffers]]));
    return createKernel(device, { label: `scan/${name}`, shader, constants, resources });
  };
  const { LOG2_SLOTS } = own;
  const [planes, touch, carve, settle, integrate] = await Promise.all([
    kernel("planes", planesShader, { WORKGROUP: WORKGROUPS.planes }),
    kernel("touch", touchShader, { WORKGROUP: WORKGROUPS.touch, MOST, LOG2_SLOTS }),
    kernel("carve", carveShader, { WORKGROUP: WORKGROUPS.carve, MOST }),
    kernel("settle", settleShader),
    kernel("integrate", integrateShader, { WORKGROUP: WORKGROUPS.integrate, BRICK_WORDS: own.BRICK_WORDS }),
  ]);
  return { planes, touch, carve, settle, integrate };
}
