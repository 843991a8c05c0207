// Kernels: shaders/temporal/. Twin: stages/temporal/cpu.ts, with rule.ts, tiles.ts and warp.ts. Fast form: stages/temporal/assembly/, which
// simd.ts runs. Tests: tests/temporal.test.ts, tests/temporal/ and tests/forms.test.ts. Pages: docs/temporal.md and docs/lab/temporal.md.

import { IDENTITY } from "../../core/pose.ts";
import { createKernel } from "../../shaders/kernel.ts";
import { structView } from "../../shaders/shader.ts";
import shader from "../../shaders/temporal/mean.wgsl";
import warpShader from "../../shaders/temporal/warp.wgsl";
import { defineStage } from "../core/define.ts";
import { POSE_BYTES, packPose } from "../core/packPose.ts";
import { expert, labelled, number, watchChanges } from "../core/parameters.ts";
import { POSE_STATE } from "../core/pose.ts";
import { sigmaFor } from "../core/sigma.ts";
import { temporalTwin } from "./cpu.ts";
import { TILE } from "./layout.ts";
import { type Rule, ruleFor, tauFor, timesNoise, USUAL_TAU } from "./rule.ts";
import { temporalSimd } from "./simd.ts";
import { lensOf } from "./warp.ts";

const STANDS = {
  toWorld: IDENTITY,
  toBefore: IDENTITY,
  state: POSE_STATE.still,
  held: 0,
  partners: 0,
  recorded: false,
  uncertaintyM: 0,
  anew: false,
};

/**
 * A recursive mean over time for each pixel, which follows the newest frames where an area changes. Reads and replaces `depth`. An invalid
 * pixel stays invalid; a pixel that moved restarts at once. If a stage before says how the camera moves, the memory moves with it. The
 * memory takes 4 bytes per pixel, three times. See docs/temporal.md.
 *
 * @example
 * const stages = [median(), track(), temporal({ leastGain: 0.1 })];
 */
export const temporal = defineStage({
  name: "temporal",
  title: "Steady over time",
  summary: "steadies what does not move: a mean over time that follows changes",
  role: "filter",
  place: 4,
  byDefault: true,
  smooths: true,
  remembers: true,
  averages: true,
  schema: {
    leastGain: labelled(
      "Weight of the newest frame",
      number(
        0.05,
        { min: 1 / 64, max: 1, live: true },
        "weight of the newest frame in a pixel that has long been still; 1 switches the filter off",
      ),
    ),
    tauSigmas: labelled(
      "Follow changes above (σ)",
      expert(
        number(
          USUAL_TAU,
          { min: 0.05, max: 3, live: true },
          "the mean follows a change of this size, averaged over 9 × 9 pixels and summed over a few frames, in standard deviations of the noise",
        ),
      ),
    ),
    sigmaDepthMm: labelled(
      "Sensor noise",
      number(1, { min: 0.1, max: 1000, live: true }, "the sensor's noise close to it, mm"),
    ),
    sigmaDepthPerM2Mm: labelled(
      "Noise growth",
      number(1, { min: 0, max: 100, live: true }, "growth of the noise with the square of the distance, mm per m²"),
    ),
  },
  presets: {
    strong: { leastGain: 0.02 },
    // The noise of a Kinect v1 correlates between neighbouring pixels: the mean of an area varies by half a sigma.
    "kinect-v1": { tauSigmas: 1.2 },
    realsense: { sigmaDepthMm: 0.5, sigmaDepthPerM2Mm: 3 },
    "at-hand": { sigmaDepthMm: 0.3, sigmaDepthPerM2Mm: 1.8 },
    // The noise of a phone hardly differs between neighbouring pixels, so averaging over an area does not reduce it.
    phone: { sigmaDepthMm: 10, sigmaDepthPerM2Mm: 4 },
  },
  defaultsWith({ sigmaDepthMm }, noise) {
    const usual = { atHandMm: sigmaDepthMm, perM2Mm: 1 };
    const least = timesNoise(noise);
    const bounds = { least, most: Math.max(2, least) };
    const byNoise = sigmaFor(noise, { ...bounds, steps: 0 }, usual);
    // Where the sensor's steps are coarse, half a step is no change. τ still compares with the noise.
    const sigma = sigmaFor(noise, { ...bounds, steps: 0.5 }, usual);
    return {
      sigmaDepthMm: Math.max(0.1, sigma.atHandMm),
      sigmaDepthPerM2Mm: sigma.perM2Mm,
      tauSigmas: tauFor(noise, byNoise),
    };
  },
  async build({ device, shape: { metresPerUnit, intrinsics }, input: { depth, pose }, parameters, pool }) {
    const { width, height, stride } = depth;
    const { STORAGE, UNIFORM, COPY_DST } = GPUBufferUsage;
    const output = pool.depthImage("output", width, height);
    const bytes = 4 * stride * height;
    const memory = pool.turns("memory", bytes);
    const tiles = Math.ceil(width / TILE) * Math.ceil(height / TILE) * 4;
    const trends = pool.turns("trends", tiles);
    const carried = pool.buffer("carried", bytes, STORAGE);
    const sums = pool.buffer("sums", tiles, STORAGE);
    const first = ruleFor(parameters, metresPerUnit);
    const scales = pool.buffer("scales", first.scales.byteLength, STORAGE | COPY_DST);
    const packed = structView(shader, "Tables");
    const tables = pool.buffer("tables", packed.arrayBuffer.byteLength, STORAGE | COPY_DST);
    const continues = pool.buffer("continues", 4, UNIFORM | COPY_DST);
    const lens = structView(warpShader, "lens");
    const { fx, fy, cx, cy, perFx, perFy } = lensOf(intrinsics);
    const camera = { focal: [fx, fy], centre: [cx, cy], perFocal: [perFx, perFy], width };
    lens.set({ ...camera, unitsPerMetre: 1 / metresPerUnit, zero: 0 });
    const lensBuffer = pool.buffer("lens", lens.arrayBuffer.byteLength, UNIFORM | COPY_DST);
    device.queue.writeBuffer(lensBuffer, 0, lens.arrayBuffer);
    // Without a pose the camera counts as standing, and each pixel's memory stays where it is.
    const motion = pose?.buffer ?? pool.buffer("no pose", POSE_BYTES, STORAGE | COPY_DST);
    if (!pose) device.queue.writeBuffer(motion, 0, packPose(STANDS));
    const constants = { ROW: stride / 2, HEIGHT: height };
    const both = { depth: depth.buffer, carried, sums, continues };
    const warp = (before: GPUBuffer) =>
      createKernel(device, {
        label: "temporal/warp",
        shader: warpShader,
        constants,
        resources: { ...both, before, scales, pose: motion, lens: lensBuffer },
      });
    const kernel = (i: 0 | 1, k: 0 | 1) => {
      const [after, trended, old] = [memory.pair[i], trends.pair[i], trends.pair[k]];
      const resources = { ...both, after, trended, trends: old, tables, filtered: output.buffer };
      return createKernel(device, { label: "temporal/mean", shader, constants, resources });
    };
    const [a, b] = memory.pair;
    const warps = await Promise.all([warp(b), warp(a)]);
    const kernels = await Promise.all([kernel(0, 1), kernel(1, 0)]);
    const write = ({ scales: byDepth, ...others }: Rule) => {
      device.queue.writeBuffer(scales, 0, byDepth);
      packed.set(others);
      device.queue.writeBuffer(tables, 0, packed.arrayBuffer);
    };
    write(first);
    const haveChanged = watchChanges(parameters);
    const flag = new Uint32Array(1);
    return {
      output: { depth: output },
      encode(pass, context) {
        if (haveChanged()) write(ruleFor(parameters, metresPerUnit, first));
        const turn = memory.take(context);
        flag[0] = memory.continues ? 1 : 0;
        device.queue.writeBuffer(continues, 0, flag);
        warps[turn].cover(pass, stride, height);
        kernels[turn].cover(pass, stride / 2, height);
      },
    };
  },
  twin: (shape, parameters) => temporalSimd(shape, parameters) ?? temporalTwin(shape, parameters),
});
