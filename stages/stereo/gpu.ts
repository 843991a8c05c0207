import type { FrameShape } from "../../core/frame.ts";
import { createKernel } from "../../shaders/kernel.ts";
import census from "../../shaders/stereo/census.wgsl";
import contrast from "../../shaders/stereo/contrast.wgsl";
import median from "../../shaders/stereo/median.wgsl";
import paths from "../../shaders/stereo/paths.wgsl";
import refine from "../../shaders/stereo/refine.wgsl";
import winner from "../../shaders/stereo/winner.wgsl";
import type { Pool } from "../core/pool.ts";
import type { FrameResources } from "../core/resources.ts";
import type { BuiltStage } from "../core/stage.ts";
import type { Overrides } from "../core/tuning.ts";
import { liveUniform } from "../core/uniform.ts";
import { type StereoParameters, scaleOf } from "./cpu.ts";

/** Pixels of a workgroup of the kernels that have one invocation a pixel, and words of one of refine's. */
const TILE = [16, 16] as const;
const WORDS = [16, 8] as const;

/** Compiles the kernels for a pair; without one there is nothing to do. */
export async function buildStereo(
  device: GPUDevice,
  shape: FrameShape,
  { pair }: FrameResources,
  parameters: StereoParameters,
  _: Overrides,
  pool: Pool,
): Promise<Pick<BuiltStage, "output" | "encode">> {
  if (!pair) return { output: {}, encode() {} };
  const { left, right, baselineM } = pair;
  const { width, height, stride } = left;
  const pixels = width * height;
  const { STORAGE, COPY_DST } = GPUBufferUsage;
  const words = (name: string, count: number) => pool.buffer(name, 4 * count, STORAGE | COPY_DST);
  const output = pool.depthImage("output", width, height);
  const codes = words("codes", 4 * pixels);
  const deviations = words("deviations", 2 * pixels);
  const contrasts = words("contrasts", 2 * pixels);
  // Two costs a word. The kernel `winner` clears them for the next frame.
  const sums = words("sums", (pixels * parameters.disparities) / 2);
  const [disparities, medians] = [words("disparities", pixels), words("medians", pixels)];
  const choice = liveUniform(pool, winner, "choice", parameters, () => ({ uniqueness: parameters.uniquenessPercent }));
  const size = { WIDTH: width, HEIGHT: height };
  const search = { ...size, COUNT: parameters.disparities, FROM: parameters.fromPx };
  const scale = { SCALE: scaleOf(shape, baselineM), STRIDE: stride };
  const make = (label: string, shader: typeof census, constants: object, resources: Record<string, GPUBuffer>) =>
    createKernel(device, { label: `stereo/${label}`, shader, constants: { ...constants }, resources });
  const kernels = {
    census: await make(
      "census",
      census,
      { ...size, STRIDE: stride },
      {
        ...{ left: left.buffer, right: right.buffer },
        ...{ codes, deviations },
      },
    ),
    contrast: await make("contrast", contrast, size, { deviations, contrasts }),
    paths: await make("paths", paths, search, { codes, sums }),
    winner: await make("winner", winner, search, { choice: choice.buffer, sums, disparities }),
    median: await make("median", median, size, { disparities, medians }),
    refine: await make(
      "refine",
      refine,
      { ...size, ...scale },
      { disparities: medians, contrasts, depth: output.buffer },
    ),
  };
  const lines = 2 * (width + height) + (parameters.paths === 8 ? 4 * (width + height - 1) : 0);
  const tiles = [Math.ceil(width / TILE[0]), Math.ceil(height / TILE[1])] as const;
  return {
    output: { depth: output, raw: output },
    encode(pass) {
      choice.update();
      kernels.census.dispatch(pass, ...tiles, 2);
      kernels.contrast.dispatch(pass, ...tiles, 2);
      kernels.paths.dispatch(pass, lines);
      kernels.winner.dispatch(pass, height);
      kernels.median.dispatch(pass, ...tiles);
      kernels.refine.dispatch(pass, Math.ceil(stride / 2 / WORDS[0]), Math.ceil(height / WORDS[1]));
    },
  };
}
