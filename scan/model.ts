import { readParts } from "../shaders/waitPolled.ts";
import { Pool } from "../stages/core/pool.ts";
import type { Rigid } from "../stages/core/pose.ts";
import type { Grown } from "./mesh/chunks.ts";
import { type CubeMaker, Cubes } from "./mesh/cube.ts";
import { GpuCubes } from "./mesh/gpuCubes.ts";
import { COUNTS, GpuVolume, placeOf } from "./volume/gpuVolume.ts";
import { Journal } from "./volume/journal.ts";
import type { Fusable, Volume, VolumeOptions } from "./volume/volume.ts";

/** So many stretches of frames can be taken back. */
const STRETCHES = 4;

/** A volume to which a live scan adds frames, and from which it takes stretches of frames back. */
export interface Model extends Grown {
  readonly cubes: CubeMaker;
  readonly options: VolumeOptions;
  readonly isFull: boolean;
  /** How many stretches can be taken back. */
  readonly undoable: number;
  add(frame: Fusable, toWorld: Rigid, stretch: number, times?: number): void;
  /** Learns which bricks the frames changed that were added since the last time. */
  refresh(): Promise<void> | undefined;
  /** Forgets the last stretch, and returns its number. `takesBack`: the volume is as it was before; else it has to be made anew. */
  undo(): number | undefined;
  readonly takesBack: boolean;
  /** Copies the model's volume to the CPU. */
  read(): Promise<Volume> | Volume;
  destroy(): void;
}

/** A model on the CPU. */
export class CpuModel implements Model {
  readonly takesBack = true;
  readonly cubes: CubeMaker;
  /** The numbers of its stretches. */
  readonly #stretches: number[] = [];

  constructor(
    readonly volume: Volume,
    mostBytes: number,
  ) {
    volume.journal ??= new Journal(volume.bricks, STRETCHES, mostBytes);
    this.cubes = new Cubes(volume);
  }

  get bricks() {
    return this.volume.bricks;
  }

  get changed() {
    return this.volume.changed;
  }

  get frames() {
    return this.volume.frames;
  }

  get options() {
    return this.volume.options;
  }

  get isFull() {
    return this.volume.isFull;
  }

  get undoable() {
    return this.volume.journal?.length ?? 0;
  }

  add(frame: Fusable, toWorld: Rigid, stretch: number, times = 1): void {
    if (stretch !== this.#stretches.at(-1)) {
      this.#stretches.push(stretch);
      this.volume.journal?.begin();
    }
    this.volume.add(frame, toWorld, times);
  }

  refresh(): undefined {}

  undo(): number | undefined {
    this.volume.undo();
    return this.#stretches.pop();
  }

  read(): Volume {
    return this.volume;
  }

  destroy(): void {
    this.volume.destroy();
  }
}

/** A model on the GPU, whose bricks' places the CPU knows, too. */
export class GpuModel implements Model {
  readonly takesBack = false;
  readonly bricks = { count: 0, coordinates: new Int32Array(0) };
  readonly changed: Uint32Array;
  isFull = false;
  readonly #stretches: number[] = [];
  readonly #words: Uint32Array;

  private constructor(
    readonly volume: GpuVolume,
    readonly cubes: GpuCubes,
    readonly mapped: GPUBuffer,
    readonly pool: Pool,
  ) {
    const { most } = volume.twin.bricks;
    this.bricks.coordinates = new Int32Array(3 * most);
    this.changed = new Uint32Array(most);
    this.#words = new Uint32Array(2 * most + COUNTS);
  }

  /** Throws a `GpuError` where the GPU has no memory for it. */
  static async open(device: GPUDevice, options: VolumeOptions): Promise<GpuModel> {
    const mostBytes = Math.min(
      options.mostBytes,
      device.limits.maxStorageBufferBindingSize,
      device.limits.maxBufferSize,
    );
    const volume = await GpuVolume.open(device, { ...options, mostBytes });
    const pool = new Pool(device, "scan model");
    try {
      pool.begin();
      const size = 4 * (2 * volume.twin.bricks.most + COUNTS);
      const mapped = pool.buffer("mapped", size, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
      await pool.made();
      pool.finish()();
      return new GpuModel(volume, await GpuCubes.create(volume), mapped, pool);
    } catch (error) {
      pool.destroy();
      volume.destroy();
      throw error;
    }
  }

  get frames() {
    return this.volume.frames;
  }

  get options() {
    return this.volume.options;
  }

  get undoable() {
    return Math.min(STRETCHES, this.#stretches.length);
  }

  add(frame: Fusable, toWorld: Rigid, stretch: number, times = 1): void {
    if (stretch !== this.#stretches.at(-1)) this.#stretches.push(stretch);
    this.volume.add(frame, toWorld, times);
  }

  async refresh(): Promise<void> {
    const { counts, places, changed } = this.volume.buffers;
    const { bricks } = this;
    await this.#fetch([counts, 0, COUNTS]);
    const [count, , , isFull, , isBeyond] = this.#words;
    this.isFull = isFull + isBeyond > 0;
    const known = bricks.count;
    await this.#fetch([changed, 0, count], [places, known, count - known]);
    this.changed.set(this.#words.subarray(0, count));
    for (let brick = known; brick < count; brick++)
      bricks.coordinates.set(placeOf(this.#words[count + brick - known]), 3 * brick);
    bricks.count = count;
  }

  undo(): number | undefined {
    return this.#stretches.pop();
  }

  read(): Promise<Volume> {
    return this.volume.read();
  }

  destroy(): void {
    this.cubes.destroy();
    this.volume.destroy();
    this.pool.destroy();
  }

  /** Reads so many words of each buffer, from its word `first` on, into `#words`, each part behind the one before. */
  #fetch(...parts: readonly (readonly [buffer: GPUBuffer, first: number, count: number])[]): Promise<void> {
    const places = parts.map(([buffer, first, count]) => [buffer, 4 * first, 4 * count] as const);
    return readParts(this.volume.device, this.mapped, places, (bytes) => this.#words.set(new Uint32Array(bytes)));
  }
}
