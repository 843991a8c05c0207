// Kernels: shaders/dofSplat/. Twin: stages/dofSplat/cpu.ts, which calls the other files in the order of the kernels. Fast form:
// stages/dofSplat/assembly/, which simd.ts runs. Tests: tests/dofSplat.test.ts, tests/dofSplat/ and tests/forms.test.ts. Pages:
// docs/dofSplat.md and docs/lab/dofSplat.md.

import accumulateShader from "../../shaders/dofSplat/accumulate.wgsl";
import orderShader from "../../shaders/dofSplat/order.wgsl";
import projectShader from "../../shaders/dofSplat/project.wgsl";
import scanShader from "../../shaders/dofSplat/scan.wgsl";
import scatterShader from "../../shaders/dofSplat/scatter.wgsl";
import { createKernel, type KernelSpec } from "../../shaders/kernel.ts";
import { type Shader, sizeOf } from "../../shaders/shader.ts";
import { defineStage } from "../core/define.ts";
import { POINT_ARGS } from "../core/resources.ts";
import type { BuildContext } from "../core/stage.ts";
import type { Overrides, TuningSpace } from "../core/tuning.ts";
import { liveUniform } from "../core/uniform.ts";
import { cameraOf, filmOf } from "./camera.ts";
import { dofSplatTwin, listBound, withoutPoints } from "./cpu.ts";
import { TILE } from "./layout.ts";
import { type Parameters, schema } from "./parameters.ts";
import { dofSplatSimd } from "./simd.ts";

/** The variants of the kernels that `tune` compares: docs/lab/tuning.md says what each does and where it was measured. */
export const variants = {
  after: ["compact"],
  workloads: [{ fNumber: 0 }, {}, { fNumber: 0.5 }],
  knobs: {
    order: {
      LANES: { values: [64, 128, 256], initial: 128, summary: "invocations that sort a tile's list" },
      BUCKETS: { values: [128, 256, 512], initial: 256, summary: "buckets that a window is sorted into" },
      CAPACITY: { values: [256, 512, 1024], initial: 512, summary: "entries sorted at a time in workgroup memory" },
    },
    scan: { LANES: { values: [64, 128, 256], initial: 256, summary: "invocations that sum the tiles' counts" } },
  },
  fits: ({ order = {} }: Overrides, { maxComputeWorkgroupStorageSize }) => {
    const { LANES = 0, BUCKETS = 0, CAPACITY = 0 } = order;
    // Two arrays of codes, the buckets, and two of sums per lane.
    const words = 2 * CAPACITY + BUCKETS + 2 * LANES + 4;
    return 4 * words <= maxComputeWorkgroupStorageSize && BUCKETS >= LANES;
  },
} as const satisfies TuningSpace;

/**
 * Depth-of-field splatting: a picture of the compacted points through a thin lens, from any place.
 * Reads `points`; leaves `picture` (colour over the background, and the distance of what covers each pixel).
 * After Selgrad, Franke, Stamminger 2016: Tiled Depth of Field Splatting. See docs/dofSplat.md.
 *
 * @example
 * const pipeline = await createPipeline({ stages: [median(), compact(), dofSplat({ focusM: 1.2, fNumber: 2 })] });
 * (await pipeline.run(await recording.read(0))).picture?.drawTo(canvas);
 */
export const dofSplat = defineStage({
  name: "dofSplat",
  title: "Draw picture",
  summary: "renders the points through a thin lens: focus, aperture, any viewpoint",
  role: "picture",
  byDefault: true,
  schema,
  tuning: variants,
  build,
  twin: (shape, parameters, before) => dofSplatSimd(shape, parameters, before) ?? dofSplatTwin(shape, parameters),
});

/** Throws an `OptionError` if no stage before it leaves points. */
async function build({ device, shape, input, parameters, overrides, pool }: BuildContext<Parameters>) {
  const { points, shown: image = input.depth } = input;
  if (!points) throw withoutPoints();
  const { width, height, maxReachPx, listEntries, blades } = parameters;
  const [columns, rows] = [Math.ceil(width / TILE), Math.ceil(height / TILE)];
  const tiles = columns * rows;
  // If the device cannot bind as many entries, tiles without room stay empty; `stats` counts them. More than can be needed are not made.
  const most = Math.floor(device.limits.maxStorageBufferBindingSize / sizeOf(orderShader, "list"));
  const entries = Math.min(most, listEntries || Infinity, listBound(points.capacity, tiles, maxReachPx));

  const { STORAGE, COPY_SRC } = GPUBufferUsage;
  const camera = liveUniform(pool, projectShader, "camera", parameters, () => ({
    ...cameraOf(shape, parameters),
    depthSize: [image.width, image.height],
    depthStride: image.stride,
  }));
  const film = liveUniform(pool, accumulateShader, "film", parameters, () =>
    filmOf(parameters, cameraOf(shape, parameters)),
  );
  const size = { size: [width, height], tiles: [columns, rows], entries, maxReach: maxReachPx };
  const grid = liveUniform(pool, scanShader, "grid", {}, () => size);
  const uniforms = [camera, film, grid];
  // The textures can be read back, and written where the twin draws in place of the kernels.
  const { STORAGE_BINDING, TEXTURE_BINDING, COPY_SRC: READABLE, COPY_DST: WRITABLE } = GPUTextureUsage;
  const texture = (name: string, format: GPUTextureFormat) =>
    pool.texture(name, width, height, format, STORAGE_BINDING | TEXTURE_BINDING | READABLE | WRITABLE);
  const [color, distance] = [texture("color", "rgba8unorm"), texture("depth", "r32float")];
  const stats = pool.buffer("stats", sizeOf(scanShader, "Stats"), STORAGE | COPY_SRC);
  const splats = pool.buffer("splats", points.capacity * sizeOf(projectShader, "Splat"), STORAGE);
  const places = pool.buffer("places", points.capacity * sizeOf(projectShader, "places"), STORAGE);
  const list = pool.buffer("list", entries * sizeOf(orderShader, "list"), STORAGE);
  // The scan takes four tiles at a time, and leaves the number of all entries behind the last. The sizes are powers of two, so that a
  // picture of another size mostly fits the same buffers. Between frames all counts are 0.
  const quads = 2 ** Math.ceil(Math.log2(Math.floor(tiles / 4) + 1));
  const counts = pool.buffer("counts", quads * sizeOf(scanShader, "counts"), STORAGE);
  const starts = pool.buffer("starts", quads * sizeOf(scanShader, "starts"), STORAGE);

  const args = points.args;
  const kernel = (name: string, shader: Shader, resources: KernelSpec["resources"], constants = {}) =>
    createKernel(device, {
      label: `dofSplat/${name}`,
      shader,
      constants,
      resources: { ...resources, grid: grid.buffer },
    });
  const seen = { camera: camera.buffer, points: points.buffer, args, depth: image.buffer };
  const drawn = { film: film.buffer, color, depth: distance };
  const [project, scan, scatter, order, accumulate] = await Promise.all([
    kernel("project", projectShader, { ...seen, splats, places, counts }),
    kernel("scan", scanShader, { counts, starts, stats }, overrides.scan),
    kernel("scatter", scatterShader, { args, places, starts, counts, list }),
    kernel("order", orderShader, { starts, list }, overrides.order),
    kernel("accumulate", accumulateShader, { ...drawn, splats, starts, list, counts }, { BLADES: blades }),
  ]);

  return {
    output: { picture: { color, depth: distance, stats } },
    encode(pass: GPUComputePassEncoder) {
      for (const uniform of uniforms) uniform.update();
      project.dispatchIndirect(pass, args, POINT_ARGS.dispatch);
      scan.dispatch(pass, 1);
      scatter.dispatchIndirect(pass, args, POINT_ARGS.dispatch);
      order.dispatch(pass, columns, rows);
      accumulate.dispatch(pass, columns, rows);
    },
  };
}
