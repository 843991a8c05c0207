import countCode from "../../shaders/compact/count.wgsl?raw";
import countRunsCode from "../../shaders/compact/countRuns.wgsl?raw";
import lookBackCode from "../../shaders/compact/lookBack.wgsl?raw";
import moveCode from "../../shaders/compact/move.wgsl?raw";
import moveRunsCode from "../../shaders/compact/moveRuns.wgsl?raw";
import { createKernel, structView } from "../../shaders/kernel.ts";
import type { FrameShape } from "../../sources/frame.ts";
import { type FrameResources, POINT_ARGS } from "../resources.ts";
import type { BuiltStage } from "../stage.ts";
import type { Overrides } from "../tuning.ts";
import { type CompactParameters, rangeOf } from "./cpu.ts";
import { FORM } from "./variants.ts";

// A vec4 of packed depth words.
const PIXELS = 8;
// Runs in a workgroup.
const RUNS_TOGETHER = 4;
// A look-back's tiles go on as fast as words of theirs reach others; past so many two passes are faster (docs/compact.md).
const MOST_LOOKING_BACK = 640;
// Where workgroups add up the counts before them: so many tiles at most, that those reads stay small beside the image.
const MOST_TILES = 2048;

/** `compact` on a device; `overrides` choose its form (variants.ts). */
export async function buildCompact(
  device: GPUDevice,
  shape: FrameShape,
  input: FrameResources,
  parameters: CompactParameters,
  overrides: Overrides,
): Promise<BuiltStage> {
  const { depth, color } = input;
  const { fx, fy, cx, cy } = shape.intrinsics;
  const total = (depth.stride / PIXELS) * depth.height;
  const plan = planOf(overrides, total);
  const buffers = createBuffers(device, depth.width * depth.height, plan.tiles);
  const range = structView(plan.last.code, "range");
  const kernels = await Promise.all([
    ...plan.before.map((spec) =>
      createKernel(device, { ...spec, resources: { depth: depth.buffer, counts: buffers.counts } }),
    ),
    createKernel(device, {
      ...plan.last,
      constants: {
        ...plan.last.constants,
        ROW_VECTORS: depth.stride / PIXELS,
        COLOR_STRIDE: color?.stride ?? 0,
        METRES_PER_UNIT: Math.fround(shape.metresPerUnit),
        CX: Math.fround(cx),
        CY: Math.fround(cy),
        INV_FX: Math.fround(1 / fx),
        INV_FY: Math.fround(1 / fy),
      },
      resources: {
        depth: depth.buffer,
        [plan.counts]: buffers.counts,
        // Not read where there is no colour, but something has to stand there.
        colors: color ? color.buffer : depth.buffer,
        range: buffers.range,
        points: buffers.points,
        args: buffers.args,
      },
    }),
  ]);
  const written = { nearM: Number.NaN, farM: Number.NaN };
  return {
    output: { points: { buffer: buffers.points, capacity: depth.width * depth.height, args: buffers.args } },
    encode(pass) {
      const { nearM, farM } = parameters;
      if (written.nearM !== nearM || written.farM !== farM) {
        range.set(rangeOf(nearM, farM, shape.metresPerUnit));
        device.queue.writeBuffer(buffers.range, 0, range.arrayBuffer);
        Object.assign(written, { nearM, farM });
      }
      for (const kernel of kernels) kernel.dispatch(pass, plan.groups);
    },
    destroy() {
      for (const buffer of Object.values(buffers)) buffer.destroy();
    },
  };
}

/** The kernels of a form, in order, the number of tiles, each with a count, and of workgroups. */
function planOf({ compact, runs, lookBack, move }: Overrides, total: number) {
  const constants = { TOTAL_VECTORS: total };
  if (compact?.FORM === FORM.runs) {
    const RUN = Math.ceil(total / (runs?.RUNS ?? 1));
    const tiles = Math.ceil(total / RUN);
    const count = { label: "compact/countRuns", code: countRunsCode, constants: { ...constants, RUN } };
    const last = { label: "compact/moveRuns", code: moveRunsCode, constants: { ...constants, RUN } };
    return { before: [count], last, counts: "counts", tiles, groups: Math.ceil(tiles / RUNS_TOGETHER) };
  }
  const looking = Math.ceil(total / (lookBack?.WORKGROUP ?? 1));
  if (compact?.FORM === FORM.lookBack && looking <= MOST_LOOKING_BACK) {
    const own = { ...constants, ...lookBack, TILES: looking };
    const last = { label: "compact/lookBack", code: lookBackCode, constants: own };
    return { before: [], last, counts: "states", tiles: looking, groups: looking };
  }
  const { WORKGROUP = 1 } = move ?? {};
  const rounds = Math.ceil(total / WORKGROUP / MOST_TILES);
  const tiles = Math.ceil(total / WORKGROUP / rounds);
  const shared = { ...constants, WORKGROUP };
  const count = { label: "compact/count", code: countCode, constants: { ...shared, VECTORS: rounds } };
  const last = { label: "compact/move", code: moveCode, constants: { ...shared, ROUNDS: rounds, TILES: tiles } };
  return { before: [count], last, counts: "counts", tiles, groups: tiles };
}

function createBuffers(device: GPUDevice, capacity: number, tiles: number) {
  const { STORAGE, UNIFORM, INDIRECT, VERTEX, COPY_SRC, COPY_DST } = GPUBufferUsage;
  const create = (label: string, size: number, usage: number) =>
    device.createBuffer({ label: `compact ${label}`, size, usage: usage | COPY_DST });
  return {
    counts: create("counts", tiles * 4, STORAGE),
    range: create("range", 8, UNIFORM),
    points: create("points", capacity * 16, STORAGE | VERTEX | COPY_SRC),
    args: create("args", POINT_ARGS.size, STORAGE | INDIRECT | COPY_SRC),
  };
}
