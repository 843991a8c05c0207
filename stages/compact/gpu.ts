import countCode from "../../shaders/compact/count.wgsl?raw";
import countRunsCode from "../../shaders/compact/countRuns.wgsl?raw";
import moveCode from "../../shaders/compact/move.wgsl?raw";
import moveRunsCode from "../../shaders/compact/moveRuns.wgsl?raw";
import { createKernel, structView } from "../../shaders/kernel.ts";
import type { FrameShape } from "../../sources/frame.ts";
import { type FrameResources, POINT_ARGS } from "../resources.ts";
import type { BuiltStage } from "../stage.ts";
import { type CompactParameters, rangeOf } from "./cpu.ts";

// A vec4 of packed depth words.
const PIXELS = 8;
// Runs in a workgroup.
const RUNS = 4;

/** How the image is cut into stretches of whole vec4s, in raster order; what comes out does not depend on it. */
export type Tiling = WorkgroupTiles | InvocationRuns;

/** A tile is the work of one workgroup, which takes it in `rounds` of `workgroup` × 8 pixels. */
interface WorkgroupTiles {
  readonly by: "workgroup";
  /** 16 or a multiple of it. */
  readonly workgroup: number;
  readonly rounds: number;
}

/** A run of `vectors` vec4s is the work of one invocation; there are no barriers. */
interface InvocationRuns {
  readonly by: "invocation";
  readonly vectors: number;
}

/**
 * The tiling for an image of so many vec4s. Hardware wants many short invocations; every workgroup reads the counts of the
 * tiles before it, so there are at most 2048 tiles and those reads stay small beside the image. A software GPU wants few long
 * ones, and as many for each of its threads: 256 runs.
 */
export function tilingFor(device: GPUDevice, vectors: number): Tiling {
  // Browsers from before 2025 have no adapterInfo on the device; they have no software GPU either.
  if (device.adapterInfo?.isFallbackAdapter) return { by: "invocation", vectors: Math.ceil(vectors / 256) };
  return { by: "workgroup", workgroup: 128, rounds: Math.ceil(vectors / (128 * 2048)) };
}

/** `compact` on a device. Tests and measurements give a tiling of their own. */
export async function buildCompact(
  device: GPUDevice,
  shape: FrameShape,
  input: FrameResources,
  parameters: CompactParameters,
  tiling?: Tiling,
): Promise<BuiltStage> {
  const { depth, color } = input;
  const { fx, fy, cx, cy } = shape.intrinsics;
  const total = (depth.stride / PIXELS) * depth.height;
  const { count: countKernel, move: moveKernel, tiles, groups } = planOf(tiling ?? tilingFor(device, total), total);
  const buffers = createBuffers(device, depth.width * depth.height, tiles);
  const range = structView(moveCode, "range");
  const [count, move] = await Promise.all([
    createKernel(device, { ...countKernel, resources: { depth: depth.buffer, counts: buffers.counts } }),
    createKernel(device, {
      ...moveKernel,
      constants: {
        ...moveKernel.constants,
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
        counts: buffers.counts,
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
      count.dispatch(pass, groups);
      move.dispatch(pass, groups);
    },
    destroy() {
      for (const buffer of Object.values(buffers)) buffer.destroy();
    },
  };
}

/** The two kernels of a tiling, the number of tiles, each with a count, and of workgroups. */
function planOf(tiling: Tiling, total: number) {
  if (tiling.by === "invocation") {
    const tiles = Math.ceil(total / tiling.vectors);
    const constants = { RUN: tiling.vectors, TOTAL_VECTORS: total };
    const count = { label: "compact/countRuns", code: countRunsCode, constants };
    const move = { label: "compact/moveRuns", code: moveRunsCode, constants };
    return { count, move, tiles, groups: Math.ceil(tiles / RUNS) };
  }
  const { workgroup, rounds } = tiling;
  const tiles = Math.ceil(total / (workgroup * rounds));
  const shared = { WORKGROUP: workgroup, TOTAL_VECTORS: total };
  const count = { label: "compact/count", code: countCode, constants: { ...shared, VECTORS: rounds } };
  const move = { label: "compact/move", code: moveCode, constants: { ...shared, ROUNDS: rounds, TILES: tiles } };
  return { count, move, tiles, groups: tiles };
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
