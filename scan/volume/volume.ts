import { type DepthFrame, type Intrinsics, sameLens } from "../../core/frame.ts";
import { invert, type Rigid, rigid } from "../../core/pose.ts";
import { threadCount } from "../../stages/core/threads.ts";
import { Layout } from "../../stages/core/wasm.ts";
import { SLOT_BYTES } from "../mesh/layout.ts";
import { Bricks } from "./bricks.ts";
import type { Views } from "./integrate.ts";
import type { Journal } from "./journal.ts";
import { fastKernels, JOB_BYTES, type Kernels, plainKernels } from "./kernels.ts";
import { COLOURS, EDGE, ENTRY, MOST_WEIGHT, TRUNCATION, VOXELS } from "./layout.ts";
import { fillRays, type SigmaOfDepth } from "./pixelPlanes.ts";
import { carve, touch } from "./touch.ts";

/** The sizes and limits that a volume is made for. */
export interface VolumeOptions {
  /** The edge of a voxel, m. */
  readonly voxelM: number;
  /** The most pixels that a frame has. */
  readonly pixels: number;
  readonly hasColour: boolean;
  /** The most memory it may take, bytes; more than 2 GiB count as 2 GiB. */
  readonly mostBytes: number;
  /** Depth beyond this is not used, m. */
  readonly farM: number;
  readonly sigma: SigmaOfDepth;
}

const { fround } = Math;

/** Bricks are made as far from a measured point as this many voxels: faces need the voxels beside the surface only. */
export const BAND = 2;
const VALUES = 18;
/** The number of cubes that are made at a time. */
const SLOTS = 8;
/** Addresses in the memory are positive 32-bit numbers: those below 0 are no bricks. */
const MOST_BYTES = 2 ** 31;
/** Free bytes around what is read or written four at a time. */
const SLACK = 64;
/** Voxels of less weight are unknown. A frame's weight close by is 256, and from far away or at a grazing angle 10 or less. */
export const KNOWN = 16;

/** What a volume holds, beside its bricks' bytes: plain values. */
export interface Held {
  /** Three numbers for each brick, in the order of the bytes. */
  readonly coordinates: Int32Array;
  readonly frames: number;
  readonly isFull: boolean;
}

/** A frame for a volume: filtered depth, its lens, and colours if there are any. */
export type Fusable = Pick<DepthFrame, "depth" | "metresPerUnit" | "intrinsics" | "color">;

/**
 * A surface as truncated signed distances in bricks (Curless and Levoy 1996; Newcombe et al. 2011; Nießner et al. 2013), which frames with
 * known poses are added to. Frames of the same order give the same bytes. The twin of the kernels in shaders/scan:
 *
 *     pixelPlanes                          pixelPlanes.ts      its fast form: assembly/pixelPlanes.ts
 *     places, take, find, settle           bricks.ts
 *     touch, carve                         touch.ts
 *     integrate                            integrate.ts        assembly/integrate.ts
 *     mesh, with samples and vertex        scan/mesh/nets.ts, cube.ts; scan/mesh/assembly/cube.ts
 */
export class Volume {
  readonly bricks: Bricks;
  /** For each brick the number of the last frame that changed it. */
  readonly changed: Uint32Array;
  /** How many frames were added. */
  frames = 0;
  /** Whether a part of some frame had no room. */
  isFull = false;
  /** Keeps what the last frames changed, where somebody may want to take them back. */
  journal: Journal | undefined;
  /** The addresses of the slots in which WebAssembly makes cubes of the mesh (mesh/layout.ts); none without WebAssembly. */
  readonly slots: { readonly start: number; readonly count: number };
  #lens: Intrinsics | undefined;
  #views: Views | undefined;
  readonly #values: number;
  readonly #depth: number;
  readonly #rays: number;
  readonly #planes: number;
  readonly #colours: number;
  readonly #list: number;
  readonly #fromWorld = rigid();

  readonly #kernels: Kernels;

  /** A `plain` volume runs no WebAssembly; it comes to the same bits. Call `destroy` on a volume that is not `plain`. */
  constructor(
    readonly options: VolumeOptions,
    isPlain = false,
  ) {
    const { pixels, hasColour, mostBytes } = options;
    const brickBytes = COLOURS + (hasColour ? 4 * VOXELS : 0);
    const layout = new Layout();
    const threads = isPlain ? 1 : threadCount();
    const job = layout.take(JOB_BYTES);
    this.#values = layout.take(4 * VALUES);
    this.#depth = layout.take(2 * pixels + 2 * SLACK) + SLACK;
    // The columns and rows of a frame together are at most its pixels plus one.
    this.#rays = layout.take(4 * (pixels + 1) + SLACK);
    this.#planes = layout.take(16 * pixels + SLACK);
    this.#colours = hasColour ? layout.take(4 * pixels) : 0;
    const slots = isPlain ? 0 : layout.take(SLOTS * SLOT_BYTES);
    const room = Math.min(mostBytes, MOST_BYTES) - layout.bytes;
    const most = Math.max(64, Math.floor(room / (brickBytes + ENTRY)));
    this.#list = layout.take(ENTRY * most);
    this.bricks = new Bricks(layout.bytes, brickBytes, most, threads > 1);
    this.changed = new Uint32Array(most);
    const fast = isPlain ? undefined : fastKernels(this.bricks.memory, job, threads);
    this.#kernels = fast ?? plainKernels(() => this.views);
    this.slots = { start: slots, count: fast ? SLOTS : 0 };
  }

  /** The memory; valid until the next frame is added. */
  get views(): Views {
    const { buffer } = this.bricks.memory;
    if (this.#views?.floats.buffer !== buffer) {
      const [floats, words] = [new Float32Array(buffer), new Uint32Array(buffer)];
      this.#views = { floats, words, distances: new Int16Array(buffer), weights: new Uint16Array(buffer) };
    }
    return this.#views as Views;
  }

  /**
   * Adds a frame that was seen from `toWorld`, with the weight of `times` frames. Throws a `RangeError` for more pixels than the volume is
   * made for.
   */
  add(frame: Fusable, toWorld: Rigid, times = 1): void {
    const { voxelM, pixels, farM, sigma, hasColour } = this.options;
    const { intrinsics, depth, color, metresPerUnit } = frame;
    const { width, height, fx, fy, cx, cy } = intrinsics;
    if (width * height > pixels)
      throw new RangeError(`the volume is made for frames of ${pixels} pixels, and this one has ${width} × ${height}`);
    const [band, brickM, turn] = [BAND * voxelM, EDGE * voxelM, ++this.frames];
    const { bricks, changed } = this;
    const { floats, words } = this.views;
    const planes = floats.subarray(this.#planes >> 2, (this.#planes >> 2) + 4 * width * height);
    if (!this.#lens || !sameLens(this.#lens, intrinsics)) {
      this.#lens = intrinsics;
      fillRays(intrinsics, floats.subarray(this.#rays >> 2));
    }
    new Uint16Array(floats.buffer, this.#depth).set(depth.data);
    this.#kernels.plan({
      depth: this.#depth,
      rays: this.#rays,
      planes: this.#planes,
      width,
      height,
      unit: fround(metresPerUnit),
      far: fround(farM / metresPerUnit),
      fx: fround(fx),
      fy: fround(fy),
      a: fround(sigma.a),
      b: fround(sigma.b),
    });
    if (times > 1) weigh(words.subarray(this.#planes >> 2, (this.#planes >> 2) + 4 * width * height), times);
    const fromWorld = invert(this.#fromWorld, toWorld);
    const known = bricks.count;
    let count = 0;
    const take = (brick: number) => {
      if (changed[brick] === turn) return;
      changed[brick] = turn;
      this.journal?.keep(brick, brick >= known);
      const at = (this.#list + ENTRY * count++) >> 2;
      words[at] = bricks.at(brick);
      for (let i = 0; i < 3; i++) words[at + 1 + i] = bricks.coordinates[3 * brick + i];
    };
    const sight = { bricks, planes, intrinsics, toWorld, fromWorld, band, brickM, turn };
    if (!touch(sight, take)) this.isFull = true;
    carve(sight, take);
    floats.set(fromWorld, this.#values >> 2);
    floats.set([fx, fy, cx, cy, voxelM, 1 / (TRUNCATION * voxelM)], (this.#values >> 2) + 12);
    const colours = hasColour && color ? this.#colours : 0;
    if (colours > 0 && color) new Uint8Array(floats.buffer).set(color.data, colours);
    bricks.reserve();
    const [values, at, list] = [this.#values, this.#planes, this.#list];
    this.#kernels.fuse({ values, planes: at, colours, width, height, list, count });
  }

  get held(): Held {
    const { bricks, frames, isFull } = this;
    return { coordinates: bricks.coordinates.subarray(0, 3 * bricks.count), frames, isFull };
  }

  /** The bytes of all bricks; valid until the next frame is added. */
  get bytes(): Uint8Array {
    const { memory, start, bytes, count } = this.bricks;
    return new Uint8Array(memory.buffer, start, count * bytes);
  }

  /** Takes over the bricks of another volume; the caller then writes that volume's `bytes` into this one's. */
  take({ coordinates, frames, isFull }: Held): void {
    this.clear();
    const { bricks } = this;
    for (let i = 0; i < coordinates.length; i += 3) {
      const [x, y, z] = coordinates.subarray(i, i + 3);
      bricks.make(x, y, z);
    }
    bricks.reserve();
    this.frames = frames;
    this.isFull = isFull;
    this.changed.fill(frames, 0, bricks.count);
  }

  /** Makes the volume as if it were new, on the memory that it has. */
  clear(): void {
    this.bricks.clear();
    this.changed.fill(0);
    this.frames = 0;
    this.isFull = false;
    this.journal?.clear();
  }

  /** Makes the cubes in the first `count` slots. */
  makeCubes(count: number): void {
    if (count > 0) this.#kernels.cubes?.(this.slots.start, count);
  }

  /** Releases the threads that help with this volume. What it holds can still be read. */
  destroy(): void {
    this.#kernels.destroy();
  }

  /** Takes the frames of the journal's last stretch back. */
  undo(): void {
    this.#turned(this.journal?.undo());
  }

  /** Puts back what `undo` took. */
  redo(): void {
    this.#turned(this.journal?.redo());
  }

  #turned(bricks: readonly number[] = []): void {
    const turn = ++this.frames;
    for (const brick of bricks) this.changed[brick] = turn;
  }
}

/** Multiplies the weights of planes (layout.ts). */
function weigh(planes: Uint32Array, times: number): void {
  for (let i = 3; i < planes.length; i += 4)
    planes[i] = (Math.min((planes[i] >>> 16) * times, MOST_WEIGHT) << 16) | (planes[i] & 0xffff);
}
