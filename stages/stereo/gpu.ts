import { createKernel, type Kernel } from "../../shaders/kernel.ts";
import census from "../../shaders/stereo/census.wgsl";
import contrast from "../../shaders/stereo/contrast.wgsl";
import costs from "../../shaders/stereo/costs.wgsl";
import depth from "../../shaders/stereo/depth.wgsl";
import median from "../../shaders/stereo/median.wgsl";
import paths from "../../shaders/stereo/paths.wgsl";
import pathsOfSubgroups from "../../shaders/stereo/pathsOfSubgroups.wgsl";
import refine from "../../shaders/stereo/refine.wgsl";
import spread from "../../shaders/stereo/spread.wgsl";
import terms from "../../shaders/stereo/terms.wgsl";
import winner from "../../shaders/stereo/winner.wgsl";
import type { BuildContext, BuiltStage } from "../core/stage.ts";
import { liveUniform } from "../core/uniform.ts";
import { type StereoParameters, scaleOf } from "./cpu.ts";

/**
 * Costs and sums take at most this many bytes as long as sums of 16 bits, all paths together, take less than a byte for each line. Atomics
 * add twice as many bytes at a time.
 */
const MOST_BYTES = 350e6;
/** The lanes of a path without subgroups, and the fewest and the most disparities of a lane. */
const LANES = 32;
const EACH = [2, 16] as const;

/** The size of subgroups, if all have the same size and their invocations can share a path's disparities; else `undefined`. */
function lanesOf({ features, adapterInfo }: GPUDevice, disparities: number): number | undefined {
  const { subgroupMinSize: size = 0, subgroupMaxSize } = adapterInfo;
  const each = disparities / size;
  const fits = features.has("subgroups") && size === subgroupMaxSize && each >= EACH[0] && each <= EACH[1];
  return fits ? size : undefined;
}

/** Compiles the kernels for a pair; without one there is nothing to do. */
export async function buildStereo(
  { device, shape, input: { pair }, parameters, pool }: BuildContext<StereoParameters>,
  mostBytes = MOST_BYTES,
): Promise<Pick<BuiltStage, "output" | "encode">> {
  if (!pair) return { output: {}, encode() {} };
  const { left, right } = pair;
  const { width, height, stride } = left;
  const pixels = width * height;
  const { STORAGE, COPY_DST } = GPUBufferUsage;
  const words = (name: string, count: number) => pool.buffer(name, 4 * count, STORAGE | COPY_DST);
  const output = pool.depthImage("output", width, height);
  const codes = words("codes", 4 * pixels);
  const deviations = words("deviations", 2 * pixels);
  const contrasts = words("contrasts", 2 * pixels);
  const { disparities: count, fromPx, paths: directions } = parameters;
  const owns = words("costs", (pixels * count) / 4);
  const lineBytes = directions / 2;
  const isJoined = directions === 8 && pixels * count * (1 + lineBytes) > mostBytes;
  const VOLUMES = isJoined ? 2 : lineBytes;
  const sums = words("sums", (pixels * count * VOLUMES) / 4);
  const [disparities, medians] = [words("disparities", pixels), words("medians", pixels)];
  const choice = liveUniform(pool, winner, "choice", parameters, () => ({ uniqueness: parameters.uniquenessPercent }));
  const size = { WIDTH: width, HEIGHT: height };
  const search = { ...size, COUNT: count, FROM: fromPx };
  const JOINED = Number(isJoined);
  const { scale, shift } = scaleOf(shape, pair);
  const make = (label: string, shader: typeof census, constants: object, resources: Record<string, GPUBuffer>) =>
    createKernel(device, { label: `stereo/${label}`, shader, constants: { ...constants }, resources });
  const images = { left: left.buffer, right: right.buffer };
  const lanes = lanesOf(device, count);
  const kernels = await allOf({
    census: make("census", census, { ...size, STRIDE: stride }, { ...images, codes, deviations }),
    contrast: make("contrast", contrast, size, { deviations, contrasts }),
    costs: make("costs", costs, { ...search, VOLUMES }, { codes, costs: owns, sums }),
    paths: make(
      "paths",
      lanes ? pathsOfSubgroups : paths,
      { ...size, COUNT: count, LANES: lanes ?? LANES, JOINED },
      { costs: owns, sums },
    ),
    winner: make(
      "winner",
      winner,
      { ...search, PATHS: directions, JOINED },
      { choice: choice.buffer, sums, disparities },
    ),
    median: make("median", median, size, { disparities, contrasts, medians }),
    // From here on kernels write over memory that no later kernel reads: the terms lie in the censuses' memory, what is gathered of them in
    // the costs', and the refined disparities in the disparities'.
    terms: make("terms", terms, size, { medians, contrasts, terms: codes }),
    spread: make("spread", spread, size, { terms: codes, spread: owns }),
    refine: make("refine", refine, size, { terms: owns, parts: disparities }),
    depth: make(
      "depth",
      depth,
      { WIDTH: width, STRIDE: stride, SCALE: scale, SHIFT: shift },
      { parts: disparities, depth: output.buffer },
    ),
  });
  const lines = 2 * (width + height) + (directions === 8 ? 4 * (width + height - 1) : 0);
  return {
    output: { depth: output, raw: output },
    encode(pass) {
      choice.update();
      kernels.census.cover(pass, width, height, 2);
      kernels.contrast.cover(pass, width, height, 2);
      kernels.costs.cover(pass, (width * count) / 4, height);
      kernels.paths.dispatch(pass, lines);
      kernels.winner.dispatch(pass, height);
      kernels.median.cover(pass, width, height);
      kernels.terms.cover(pass, width, height);
      kernels.spread.cover(pass, width, height);
      kernels.refine.cover(pass, width, height);
      kernels.depth.cover(pass, stride / 2, height);
    },
  };
}

/** Waits for kernels that are compiled side by side. */
async function allOf<K extends string>(kernels: Record<K, Promise<Kernel>>): Promise<Record<K, Kernel>> {
  const compile = async ([name, kernel]: [string, Promise<Kernel>]) => [name, await kernel] as const;
  const all = await Promise.all(Object.entries<Promise<Kernel>>(kernels).map(compile));
  return Object.fromEntries(all) as Record<K, Kernel>;
}
