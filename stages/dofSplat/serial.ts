import accumulateCode from "../../shaders/dofSplat/accumulate.serial.wgsl?raw";
import mergeCode from "../../shaders/dofSplat/merge.serial.wgsl?raw";
import orderCode from "../../shaders/dofSplat/order.serial.wgsl?raw";
import projectCode from "../../shaders/dofSplat/project.serial.wgsl?raw";
import scanCode from "../../shaders/dofSplat/scan.serial.wgsl?raw";
import scatterCode from "../../shaders/dofSplat/scatter.serial.wgsl?raw";
import { createKernel, type KernelSpec } from "../../shaders/kernel.ts";
import { POINT_ARGS } from "../resources.ts";
import type { Drawing, Drawn } from "./groups.ts";

const SPLAT_BYTES = 32;
const ENTRY_BYTES = 4;
/** Entries that are sorted at a time. Each list is a whole number of them. */
const WINDOW = 32;
/** Invocations to a workgroup: a vector. */
const LANES = 4;

/** The kernels for a CPU that plays a GPU: an invocation to a tile, or to a stretch of points. */
export async function drawSerially(drawing: Drawing): Promise<Drawn> {
  const { device, columns, rows, blades, isAside } = drawing;
  const { camera, film, grid, stats, points, args, image, color, depth } = drawing.resources;
  const { capacity } = drawing.points;
  const tiles = columns * rows;
  const padding = tiles * (WINDOW - 1);
  // Past what a device can bind, a picture that asks for more loses tiles; `stats` counts them.
  const room = Math.floor(device.limits.maxStorageBufferBindingSize / ENTRY_BYTES) - WINDOW;
  const entries = Math.min(room - padding, drawing.entries);
  const splats = drawing.buffer("splats", capacity * SPLAT_BYTES);
  const touched = drawing.buffer("touched", capacity * 4);
  const quads = Math.ceil(tiles / 4);
  const counts = drawing.buffer("counts", quads * 16);
  const starts = drawing.buffer("starts", quads * 16);
  const ends = drawing.buffer("ends", quads * 16);
  const bases = drawing.buffer("bases", tiles * 8);
  const list = drawing.buffer("list", Math.ceil((entries + padding) / WINDOW) * WINDOW * ENTRY_BYTES);
  const long = drawing.buffer("long", tiles * 4);
  const longArgs = drawing.buffer("longArgs", 16, GPUBufferUsage.STORAGE | GPUBufferUsage.INDIRECT);
  const kernel = (name: string, code: string, resources: KernelSpec["resources"], constants = {}) =>
    createKernel(device, { label: `dofSplat/${name}.serial`, code, constants, resources });
  const projected = { camera, grid, points, args, depth: image, splats, counts, touched };
  const [aside, ahead, scan, scatter, order, merge, accumulate] = await Promise.all([
    ...[1, 0].map((ASIDE) => kernel("project", projectCode, projected, { ASIDE })),
    kernel("scan", scanCode, { grid, counts, starts, ends, stats, long, longArgs }, { TILES: tiles }),
    kernel("scatter", scatterCode, { grid, args, touched, ends, list }),
    kernel("order", orderCode, { grid, starts, ends, splats, list, bases }),
    kernel("merge", mergeCode, { starts, ends, list, long, longArgs }),
    kernel(
      "accumulate",
      accumulateCode,
      { film, grid, splats, starts, ends, list, bases, color, depth },
      { BLADES: blades },
    ),
  ]);
  const groups = Math.ceil(tiles / LANES);
  return {
    entries,
    encode(pass) {
      (isAside() ? aside : ahead).dispatchIndirect(pass, args, POINT_ARGS.dispatch);
      scan.dispatch(pass, 1);
      scatter.dispatchIndirect(pass, args, POINT_ARGS.dispatch);
      order.dispatch(pass, groups);
      merge.dispatchIndirect(pass, longArgs, 0);
      accumulate.dispatch(pass, groups);
    },
  };
}
