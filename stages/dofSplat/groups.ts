import accumulateCode from "../../shaders/dofSplat/accumulate.wgsl?raw";
import orderCode from "../../shaders/dofSplat/order.wgsl?raw";
import projectCode from "../../shaders/dofSplat/project.wgsl?raw";
import scanCode from "../../shaders/dofSplat/scan.wgsl?raw";
import scatterCode from "../../shaders/dofSplat/scatter.wgsl?raw";
import { createKernel, type KernelSpec } from "../../shaders/kernel.ts";
import { POINT_ARGS, type PointCloud } from "../resources.ts";
import type { Overrides } from "../tuning.ts";

/** What the kernels of either kind are made from. */
export interface Drawing {
  readonly device: GPUDevice;
  readonly points: PointCloud;
  /** Tiles of the picture. */
  readonly columns: number;
  readonly rows: number;
  /** Room wanted in the lists. */
  readonly entries: number;
  readonly blades: number;
  /** Whether the picture's camera is now elsewhere than the sensor: only from there a surface's slant shows. */
  isAside(): boolean;
  /** What both kinds read and write. `image` is the depth image, `depth` the picture's. */
  readonly resources: Readonly<
    Record<"camera" | "film" | "grid" | "stats" | "points" | "args" | "image", GPUBuffer> &
      Record<"color" | "depth", GPUTexture>
  >;
  readonly overrides: Overrides;
  /** Allocates; the stage destroys it. */
  buffer(label: string, size: number, usage?: GPUBufferUsageFlags): GPUBuffer;
}

/** Kernels made ready. */
export interface Drawn {
  /** Room in the lists. */
  readonly entries: number;
  encode(pass: GPUComputePassEncoder): void;
}

const SPLAT_BYTES = 32;
const ENTRY_BYTES = 8;

/** The kernels for a GPU: a workgroup to a tile. */
export async function drawInGroups(drawing: Drawing): Promise<Drawn> {
  const { device, columns, rows, overrides, blades } = drawing;
  const { camera, film, grid, stats, points, args, image, color, depth } = drawing.resources;
  const tiles = columns * rows;
  // Past what a device can bind, a picture that asks for more loses tiles; `stats` counts them.
  const room = Math.floor(device.limits.maxStorageBufferBindingSize / ENTRY_BYTES);
  const entries = Math.min(room, drawing.entries);
  const splats = drawing.buffer("splats", drawing.points.capacity * SPLAT_BYTES);
  // The scan takes four tiles at a time, and leaves the number of all entries behind the last.
  const counts = drawing.buffer("counts", (Math.floor(tiles / 4) + 1) * 16);
  const starts = drawing.buffer("starts", (Math.floor(tiles / 4) + 1) * 16);
  const list = drawing.buffer("list", entries * ENTRY_BYTES);
  const kernel = (name: string, code: string, resources: KernelSpec["resources"], constants = {}) =>
    createKernel(device, { label: `dofSplat/${name}`, code, constants, resources });
  const [project, scan, scatter, order, accumulate] = await Promise.all([
    kernel("project", projectCode, { camera, grid, points, args, depth: image, splats, counts }, overrides.project),
    kernel("scan", scanCode, { grid, counts, starts, stats }, overrides.scan),
    kernel("scatter", scatterCode, { grid, args, splats, starts, counts, list }, overrides.scatter),
    kernel("order", orderCode, { grid, starts, list }, overrides.order),
    kernel(
      "accumulate",
      accumulateCode,
      { film, grid, points, splats, starts, list, counts, color, depth },
      { ...overrides.accumulate, BLADES: blades },
    ),
  ]);
  return {
    entries,
    encode(pass) {
      project.dispatchIndirect(pass, args, POINT_ARGS.dispatch);
      scan.dispatch(pass, 1);
      scatter.dispatchIndirect(pass, args, POINT_ARGS.dispatch);
      order.dispatch(pass, columns, rows);
      accumulate.dispatch(pass, columns, rows);
    },
  };
}
