import countShader from "../../shaders/compact/count.wgsl";
import lookBackShader from "../../shaders/compact/lookBack.wgsl";
import moveShader from "../../shaders/compact/move.wgsl";
import { createKernel, type KernelSpec } from "../../shaders/kernel.ts";
import { sizeOf } from "../../shaders/shader.ts";
import type { Pool } from "../core/pool.ts";
import { POINT_ARGS } from "../core/resources.ts";
import type { BuildContext } from "../core/stage.ts";
import type { Overrides, TuningSpace } from "../core/tuning.ts";
import { liveUniform } from "../core/uniform.ts";
import { type CompactParameters, rangeOf } from "./cpu.ts";

// Pixels per vec4 of packed depth words.
const PIXELS = 8;
// Each look-back tile reads the states of all tiles before it; of larger images (in vec4s) two passes are faster (docs/lab/compact.md).
const MOST_LOOKING_BACK = 163_840;
// In two passes, each workgroup sums the counts of all tiles before it; this limit keeps those reads small beside the image.
const MOST_TILES = 2048;

const WORKGROUPS = [64, 128, 256];
const lookBack = {
  WORKGROUP: { values: WORKGROUPS, initial: 128, summary: "one pass: invocations per tile, 8 pixels each" },
  SPINS: {
    values: [0, 32, 256],
    initial: 32,
    summary: "how often a tile polls another tile's count before it counts that tile's pixels itself",
  },
};
const move = {
  WORKGROUP: { values: WORKGROUPS, initial: 128, summary: "two passes: invocations per tile, 8 pixels per round each" },
};

/** The choices of `depthloom tune compact`. */
export const variants = {
  knobs: {
    compact: {
      PASSES: {
        values: [1, 2],
        initial: { nvidia: 1, otherwise: 2 },
        summary:
          "1: one pass, workgroups publish their counts and look back over the tiles before them; 2: two passes, count and move",
      },
    },
    lookBack,
    move,
  },
  // Knobs of the method that is not used keep their defaults, since they make no difference.
  fits: ({ compact: { PASSES } = {}, ...chosen }) =>
    Object.entries({ lookBack, move }).every(
      ([kernel, knobs], i) =>
        i + 1 === PASSES || Object.entries(knobs).every(([name, { initial }]) => chosen[kernel]?.[name] === initial),
    ),
} as const satisfies TuningSpace;

/** Builds `compact` on a device; `overrides` choose between one pass and two. */
export async function buildCompact({
  device,
  shape,
  input,
  parameters,
  overrides,
  pool,
}: BuildContext<CompactParameters>) {
  const { shown: depth = input.depth, color } = input;
  const { fx, fy, cx, cy } = shape.intrinsics;
  const capacity = depth.width * depth.height;
  const { STORAGE, INDIRECT, VERTEX, COPY_SRC, COPY_DST } = GPUBufferUsage;
  const points = pool.buffer("points", capacity * sizeOf(moveShader, "points"), STORAGE | VERTEX | COPY_SRC | COPY_DST);
  const args = pool.buffer("args", POINT_ARGS.size, STORAGE | INDIRECT | COPY_SRC | COPY_DST);
  const { before, last, groups } = planOf(overrides, (depth.stride / PIXELS) * depth.height, pool);
  const range = liveUniform(pool, last.shader, "range", parameters, () =>
    rangeOf(parameters.nearM, parameters.farM, shape.metresPerUnit),
  );
  const kernels = await Promise.all([
    ...before.map((spec) => createKernel(device, { ...spec, resources: { ...spec.resources, depth: depth.buffer } })),
    createKernel(device, {
      ...last,
      constants: {
        ...last.constants,
        ROW_VECTORS: depth.stride / PIXELS,
        COLOR_STRIDE: color?.stride ?? 0,
        METRES_PER_UNIT: Math.fround(shape.metresPerUnit),
        CX: Math.fround(cx),
        CY: Math.fround(cy),
        INV_FX: Math.fround(1 / fx),
        INV_FY: Math.fround(1 / fy),
      },
      // Without colour the kernel does not read `colors`, but WebGPU needs a buffer there.
      resources: {
        ...last.resources,
        depth: depth.buffer,
        colors: color?.buffer ?? depth.buffer,
        range: range.buffer,
        points,
        args,
      },
    }),
  ]);
  return {
    output: { points: { buffer: points, capacity, args } },
    encode(pass: GPUComputePassEncoder) {
      range.update();
      for (const kernel of kernels) kernel.dispatch(pass, groups);
    },
  };
}

/** The kernels in order, and the number of workgroups: one per tile. */
function planOf({ compact, lookBack, move }: Overrides, total: number, pool: Pool) {
  const { STORAGE, COPY_DST } = GPUBufferUsage;
  const constants = { TOTAL_VECTORS: total };
  const looking = Math.ceil(total / (lookBack?.WORKGROUP ?? 1));
  if (compact?.PASSES === 1 && total <= MOST_LOOKING_BACK) {
    const resources = { states: pool.buffer("states", looking * 4, STORAGE | COPY_DST) };
    const own = { ...constants, ...lookBack, TILES: looking };
    const last = { label: "compact/lookBack", shader: lookBackShader, constants: own, resources };
    return { before: [], last, groups: looking };
  }
  const { WORKGROUP = 1 } = move ?? {};
  const rounds = Math.ceil(total / WORKGROUP / MOST_TILES);
  const tiles = Math.ceil(total / WORKGROUP / rounds);
  const shared = { ...constants, WORKGROUP };
  const resources = { counts: pool.buffer("counts", tiles * 4, STORAGE | COPY_DST) };
  const count: KernelSpec = {
    label: "compact/count",
    shader: countShader,
    constants: { ...shared, VECTORS: rounds },
    resources,
  };
  const last: KernelSpec = {
    label: "compact/move",
    shader: moveShader,
    constants: { ...shared, ROUNDS: rounds, TILES: tiles },
    resources,
  };
  return { before: [count], last, groups: tiles };
}
