import accumulateCode from "../../shaders/dofSplat/accumulate.wgsl?raw";
import orderCode from "../../shaders/dofSplat/order.wgsl?raw";
import projectCode from "../../shaders/dofSplat/project.wgsl?raw";
import scanCode from "../../shaders/dofSplat/scan.wgsl?raw";
import scatterCode from "../../shaders/dofSplat/scatter.wgsl?raw";
import { createKernel, type KernelSpec, structView } from "../../shaders/kernel.ts";
import type { FrameShape } from "../../sources/frame.ts";
import type { ParametersOf } from "../parameters.ts";
import { type FrameResources, POINT_ARGS } from "../resources.ts";
import type { BuiltStage } from "../stage.ts";
import type { Overrides } from "../tuning.ts";
import { cameraOf, filmOf } from "./camera.ts";
import { schema } from "./schema.ts";

const TILE = 16;
const SPLAT_BYTES = 32;
const ENTRY_BYTES = 8;

/**
 * The most list entries that `points` splats can ask for: a splat reaches `maxReachPx` to each side, so it touches at
 * most ⌈2·reach/16⌉ + 1 tiles a row (25 tiles and 200 bytes a point at the default), and no more than there are.
 */
export function listBound(points: number, tiles: number, maxReachPx: number): number {
  return points * Math.min(tiles, (Math.ceil((2 * maxReachPx) / TILE) + 1) ** 2);
}

/** The stage on a GPU. Throws if no stage before it leaves points. */
export async function buildDofSplat(
  device: GPUDevice,
  shape: FrameShape,
  { points, depth: image }: FrameResources,
  parameters: ParametersOf<typeof schema>,
  overrides: Overrides,
): Promise<BuiltStage> {
  if (!points) throw new Error("dofSplat needs points: put compact before it");
  const { width, height, maxReachPx, listEntries } = parameters;
  const [columns, rows] = [Math.ceil(width / TILE), Math.ceil(height / TILE)];
  const tiles = columns * rows;
  // Past what a device can bind, a picture that asks for more loses tiles; `stats` counts them.
  const room = Math.floor(device.limits.maxStorageBufferBindingSize / ENTRY_BYTES);
  const entries = Math.min(room, listEntries || listBound(points.capacity, tiles, maxReachPx));

  const cameraView = structView(projectCode, "camera");
  const filmView = structView(accumulateCode, "film");
  const gridView = structView(scanCode, "grid");
  const made: (GPUBuffer | GPUTexture)[] = [];
  const buffer = (label: string, size: number, usage: number) => {
    const it = device.createBuffer({ label: `dofSplat/${label}`, size, usage });
    made.push(it);
    return it;
  };
  const texture = (label: string, format: GPUTextureFormat) => {
    const { STORAGE_BINDING, TEXTURE_BINDING, COPY_SRC } = GPUTextureUsage;
    const usage = STORAGE_BINDING | TEXTURE_BINDING | COPY_SRC;
    const it = device.createTexture({ label: `dofSplat/${label}`, format, size: [width, height], usage });
    made.push(it);
    return it;
  };
  const { STORAGE, UNIFORM, COPY_SRC, COPY_DST } = GPUBufferUsage;
  const camera = buffer("camera", cameraView.arrayBuffer.byteLength, UNIFORM | COPY_DST);
  const film = buffer("film", filmView.arrayBuffer.byteLength, UNIFORM | COPY_DST);
  const grid = buffer("grid", gridView.arrayBuffer.byteLength, UNIFORM | COPY_DST);
  gridView.set({ size: [width, height], tiles: [columns, rows], entries, maxReach: maxReachPx });
  device.queue.writeBuffer(grid, 0, gridView.arrayBuffer);
  const splats = buffer("splats", points.capacity * SPLAT_BYTES, STORAGE);
  // The scan takes four tiles at a time, and leaves the number of all entries behind the last.
  const counts = buffer("counts", (Math.floor(tiles / 4) + 1) * 16, STORAGE);
  const starts = buffer("starts", (Math.floor(tiles / 4) + 1) * 16, STORAGE);
  const list = buffer("list", entries * ENTRY_BYTES, STORAGE);
  const stats = buffer("stats", 8, STORAGE | COPY_SRC);
  const [color, depth] = [texture("color", "rgba8unorm"), texture("depth", "r32float")];

  const { args } = points;
  const kernel = (name: string, code: string, resources: KernelSpec["resources"], constants = {}) =>
    createKernel(device, { label: `dofSplat/${name}`, code, constants, resources });
  const [project, scan, scatter, order, accumulate] = await Promise.all([
    kernel("project", projectCode, { camera, grid, points: points.buffer, args, depth: image.buffer, splats, counts }),
    kernel("scan", scanCode, { grid, counts, starts, stats }, overrides.scan),
    kernel("scatter", scatterCode, { grid, args, splats, starts, counts, list }, overrides.scatter),
    kernel("order", orderCode, { grid, starts, list }, overrides.order),
    kernel(
      "accumulate",
      accumulateCode,
      { film, grid, points: points.buffer, splats, starts, list, counts, color, depth },
      { ...overrides.accumulate, BLADES: parameters.blades },
    ),
  ]);

  const live = (Object.keys(schema) as (keyof typeof schema)[]).filter((name) => schema[name].live);
  const written: unknown[] = live.map(() => undefined);
  const writeChanged = () => {
    let changed = false;
    for (let i = 0; i < live.length; i++) {
      const name = live[i];
      const value = name && parameters[name];
      changed ||= value !== written[i];
      written[i] = value;
    }
    if (!changed) return;
    cameraView.set({
      ...cameraOf(shape, parameters),
      depthSize: [image.width, image.height],
      depthStride: image.stride,
    });
    filmView.set(filmOf(parameters));
    device.queue.writeBuffer(camera, 0, cameraView.arrayBuffer);
    device.queue.writeBuffer(film, 0, filmView.arrayBuffer);
  };

  return {
    output: { picture: { color, depth, stats } },
    encode(pass) {
      writeChanged();
      project.dispatchIndirect(pass, args, POINT_ARGS.dispatch);
      scan.dispatch(pass, 1);
      scatter.dispatchIndirect(pass, args, POINT_ARGS.dispatch);
      order.dispatch(pass, columns, rows);
      accumulate.dispatch(pass, columns, rows);
    },
    destroy() {
      for (const it of made) it.destroy();
    },
  };
}
