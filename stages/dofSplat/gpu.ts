import accumulateCode from "../../shaders/dofSplat/accumulate.wgsl?raw";
import projectCode from "../../shaders/dofSplat/project.wgsl?raw";
import scanCode from "../../shaders/dofSplat/scan.wgsl?raw";
import { structView } from "../../shaders/kernel.ts";
import type { FrameShape } from "../../sources/frame.ts";
import type { ParametersOf } from "../parameters.ts";
import type { FrameResources } from "../resources.ts";
import type { BuiltStage } from "../stage.ts";
import type { Overrides } from "../tuning.ts";
import { cameraOf, filmOf } from "./camera.ts";
import { type Drawing, drawInGroups } from "./groups.ts";
import { listBound } from "./lists.ts";
import { schema } from "./schema.ts";
import { drawSerially } from "./serial.ts";

/** Where a pose has its translation. */
const MOVES = [12, 13, 14];

/** Size of the tiles that the kernels' lists belong to, px. */
export function tileOf({ tiles }: Overrides): readonly [width: number, height: number] {
  return tiles?.SERIAL ? [8, 4] : [16, 16];
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
  const tile = tileOf(overrides);
  const [columns, rows] = [Math.ceil(width / tile[0]), Math.ceil(height / tile[1])];

  const cameraView = structView(projectCode, "camera");
  const filmView = structView(accumulateCode, "film");
  const gridView = structView(scanCode, "grid");
  const made: (GPUBuffer | GPUTexture)[] = [];
  const buffer = (label: string, size: number, usage = GPUBufferUsage.STORAGE) => {
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
  const stats = buffer("stats", 8, STORAGE | COPY_SRC);
  const [color, depth] = [texture("color", "rgba8unorm"), texture("depth", "r32float")];
  const drawing: Drawing = {
    device,
    points,
    columns,
    rows,
    entries: listEntries || listBound(points.capacity, columns * rows, maxReachPx, tile),
    blades: parameters.blades,
    isAside: () => MOVES.some((i) => parameters.pose[i] !== 0),
    resources: {
      camera,
      film,
      grid,
      stats,
      color,
      depth,
      points: points.buffer,
      args: points.args,
      image: image.buffer,
    },
    overrides,
    buffer,
  };
  const { entries, encode } = await (overrides.tiles?.SERIAL ? drawSerially(drawing) : drawInGroups(drawing));
  gridView.set({ size: [width, height], tiles: [columns, rows], entries, maxReach: maxReachPx });
  device.queue.writeBuffer(grid, 0, gridView.arrayBuffer);

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
      encode(pass);
    },
    destroy() {
      for (const it of made) it.destroy();
    },
  };
}
