import { JOB_HEAD, LEFT, PENDING } from "../../stages/core/job.ts";
import { createThreadPool } from "../../stages/core/threadPool.ts";
import { onMemory } from "../../stages/core/wasm.ts";
import planesBinary from "./assembly/pixelPlanes.ts?wasm";
import workBinary from "./assembly/work.ts?wasm";
import { integrate, type Seen, type Views } from "./integrate.ts";
import { ARGUMENTS, PART } from "./layout.ts";
import { makePlanes, type PlaneInput } from "./pixelPlanes.ts";

interface Exports {
  makePlanes(
    depth: number,
    rays: number,
    planes: number,
    width: number,
    height: number,
    unit: number,
    far: number,
    fx: number,
    fy: number,
    a: number,
    b: number,
  ): void;
  work(job: number, thread: number): void;
}

/** The loops over pixels and voxels. */
export interface Kernels {
  plan(seen: PlaneInput): void;
  fuse(seen: Seen): void;
  /** Makes the cubes of the first slots (mesh/layout.ts); `undefined` in TypeScript, where `Nets` does so. */
  readonly cubes?: (slots: number, count: number) => void;
  /** Lets other threads go. */
  destroy(): void;
}

/** The bytes of the words through which threads share the work. */
export const JOB_BYTES = 4 * (JOB_HEAD + ARGUMENTS);

/** The loops in TypeScript. */
export const plainKernels = (views: () => Views): Kernels => ({
  plan: (seen) => makePlanes(views().floats.buffer, seen),
  fuse: (seen) => integrate(views(), seen),
  destroy() {},
});

/**
 * The loops in WebAssembly, which come to the same bits. If there are several `threads`, which need shared memory, they share the bricks of
 * each frame; `job` is an address of `JOB_BYTES` bytes. Gives `undefined` where `onMemory` does.
 */
export function fastKernels(memory: WebAssembly.Memory, job: number, threads: number): Kernels | undefined {
  const wasm = onMemory<Exports>([planesBinary, workBinary], memory, threads > 1);
  if (!wasm) return undefined;
  const { exports } = wasm;
  const pool = threads > 1 ? createThreadPool(wasm, job, [0, 0], threads) : undefined;
  const run = (values: readonly number[], parts: number) => {
    // A view of its own, since memory that is not shared is another buffer when it has grown.
    const words = new Int32Array(memory.buffer, job, JOB_BYTES / 4);
    words.set(values, JOB_HEAD);
    words[LEFT] = words[PENDING] = pool ? 0 : parts;
    // Where a thread dies, which no frame makes it do, the frame counts twice in the bricks that the others had finished.
    if (pool) pool.frame(() => pool.finish(parts));
    else exports.work(job, 0);
  };
  return {
    plan({ depth, rays, planes, width, height, unit, far, fx, fy, a, b }) {
      exports.makePlanes(depth, rays, planes, width, height, unit, far, fx, fy, a, b);
    },
    fuse({ values, planes, colours, width, height, list, count }) {
      run([values, planes, colours, width, height, list, count], Math.ceil(count / PART));
    },
    cubes: (slots, count) => run([0, slots], count),
    destroy: () => pool?.destroy(),
  };
}
