import countCode from "../../shaders/compact/count.wgsl?raw";
import moveCode from "../../shaders/compact/move.wgsl?raw";
import { createKernel, structView } from "../../shaders/kernel.ts";
import type { FrameShape } from "../../sources/frame.ts";
import { type FrameResources, POINT_ARGS } from "../resources.ts";
import type { BuiltStage } from "../stage.ts";
import { type CompactParameters, rangeOf } from "./cpu.ts";

// A vec4 of packed depth words.
const PIXELS = 8;

/** How the image is cut: a tile is the work of one workgroup, which takes it in `rounds` of `workgroup` × `vectors` × 8 pixels. */
export interface Tiling {
  /** 16 or a multiple of it. */
  readonly workgroup: number;
  /** Per invocation and round; 1 if staged. */
  readonly vectors: number;
  readonly rounds: number;
  /** Points go through workgroup memory, so that neighbouring invocations write neighbouring points. */
  readonly staged: boolean;
}

/**
 * The tiling for an image of so many vec4s. Hardware wants many short invocations; every workgroup reads the counts of the
 * tiles before it, so there are at most 2048 tiles and those reads stay small beside the image. A software GPU wants few long
 * ones: there a barrier costs an invocation more than reading a row.
 */
export function tilingFor(device: GPUDevice, vectors: number): Tiling {
  // Browsers from before 2025 have no adapterInfo on the device; they have no software GPU either.
  if (device.adapterInfo?.isFallbackAdapter) return { workgroup: 32, vectors: 64, rounds: 1, staged: false };
  return { workgroup: 128, vectors: 1, rounds: Math.ceil(vectors / (128 * 2048)), staged: true };
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
  const { workgroup, vectors, rounds, staged } = tiling ?? tilingFor(device, total);
  const tiles = Math.ceil(total / (workgroup * vectors * rounds));
  const buffers = createBuffers(device, depth.width * depth.height, tiles);
  const range = structView(moveCode, "range");
  const shared = { WORKGROUP: workgroup, TOTAL_VECTORS: total };
  const count = await createKernel(device, {
    label: "compact/count",
    code: countCode,
    constants: { ...shared, VECTORS: vectors * rounds },
    resources: { depth: depth.buffer, counts: buffers.counts },
  });
  const move = await createKernel(device, {
    label: "compact/move",
    code: moveCode,
    constants: {
      ...shared,
      VECTORS: vectors,
      ROUNDS: rounds,
      STAGED: staged ? 1 : 0,
      TILES: tiles,
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
  });
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
      count.dispatch(pass, tiles);
      move.dispatch(pass, tiles);
    },
    destroy() {
      for (const buffer of Object.values(buffers)) buffer.destroy();
    },
  };
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
