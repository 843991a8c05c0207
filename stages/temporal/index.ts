import { createKernel } from "../../shaders/kernel.ts";
import { structView } from "../../shaders/shader.ts";
import warpShader from "../../shaders/temporal/warp.wgsl";
import shader from "../../shaders/temporal.wgsl";
import { defineStage } from "../core/define.ts";
import { expert, labelled, number, watchChanges } from "../core/parameters.ts";
import { sigmaFor } from "../core/sigma.ts";
import { temporalTwin } from "./cpu.ts";
import { ruleFor, tauFor, USUAL_TAU } from "./rule.ts";
import { temporalSimd } from "./simd.ts";

// Bytes of memory per pair of pixels: a word for each, and one word for both trends.
const SEEN_BYTES = 12;
// Pixels of a workgroup's tile, across and down.
const TILE = [32, 16] as const;
// Words of depth per workgroup of the warp kernel.
const WARP_LANES = 64;

/**
 * A recursive mean over time for each pixel, which follows the newest frames where an area changes. Reads and replaces `depth`. An invalid
 * pixel stays invalid; a pixel that moved restarts at once. If a stage before says how the camera moves, the memory moves with it. The
 * memory takes 6 bytes per pixel, twice, and on the GPU a third time where there is a pose. See docs/lab/temporal.md.
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
    const byNoise = sigmaFor(noise, { least: 1, most: 2, steps: 0 }, usual);
    // Where the sensor's steps are coarse, half a step is no change. τ is measured against the noise all the same.
    const sigma = sigmaFor(noise, { least: 1, most: 2, steps: 0.5 }, usual);
    return {
      sigmaDepthMm: Math.max(0.1, sigma.atHandMm),
      sigmaDepthPerM2Mm: sigma.perM2Mm,
      tauSigmas: tauFor(noise, byNoise),
    };
  },
  async build(device, { metresPerUnit, intrinsics }, input, parameters, _, pool) {
    const { depth, pose } = input;
    const { width, height, stride } = depth;
    const { STORAGE, UNIFORM, COPY_DST } = GPUBufferUsage;
    const output = pool.depthImage("output", width, height);
    const bytes = (stride / 2) * height * SEEN_BYTES;
    const memory = pool.turns("memory", bytes);
    const warped = pose && pool.buffer("warped", bytes, STORAGE);
    const table = (name: string, length: number) => pool.buffer(name, length * 4, STORAGE | COPY_DST);
    const first = ruleFor(parameters, metresPerUnit);
    const scales = table("scales", first.scales.length);
    const weights = table("weights", first.weights.length);
    const answers = table("answers", first.answers.length);
    const gains = table("gains", first.gains.length);
    const continues = pool.buffer("continues", 4, UNIFORM | COPY_DST);
    const resources = { depth: depth.buffer, scales, weights, answers, gains, continues, filtered: output.buffer };
    const [a, b] = memory.pair;
    const kernel = (before: GPUBuffer, after: GPUBuffer) =>
      createKernel(device, {
        label: "temporal",
        shader,
        constants: { ROW: stride / 2, HEIGHT: height },
        resources: { ...resources, before, after },
      });
    const kernels = await Promise.all([kernel(warped ?? b, a), kernel(warped ?? a, b)]);
    const lens = structView(warpShader, "lens");
    const { fx, fy, cx, cy } = intrinsics;
    const perFocal = [1 / Math.fround(fx), 1 / Math.fround(fy)];
    lens.set({ focal: [fx, fy], centre: [cx, cy], perFocal, unitsPerMetre: 1 / metresPerUnit, width, zero: 0 });
    const lensBuffer = pose && pool.buffer("lens", lens.arrayBuffer.byteLength, UNIFORM | COPY_DST);
    const warp = (before: GPUBuffer) =>
      pose && warped && lensBuffer
        ? createKernel(device, {
            label: "temporal/warp",
            shader: warpShader,
            constants: { ROW: stride / 2, HEIGHT: height },
            resources: { depth: depth.buffer, before, warped, scales, pose: pose.buffer, lens: lensBuffer },
          })
        : undefined;
    const warps = await Promise.all([warp(b), warp(a)]);
    let isLensWritten = false;
    const write = ({ queue }: GPUDevice, rule = ruleFor(parameters, metresPerUnit)) => {
      queue.writeBuffer(scales, 0, rule.scales);
      queue.writeBuffer(weights, 0, rule.weights);
      queue.writeBuffer(answers, 0, rule.answers);
      queue.writeBuffer(gains, 0, rule.gains);
    };
    write(device, first);
    const haveChanged = watchChanges(parameters);
    const flag = new Uint32Array(1);
    return {
      output: { depth: output },
      encode(pass, moment) {
        if (haveChanged()) write(device);
        const turn = memory.take(moment);
        flag[0] = memory.continues ? 1 : 0;
        device.queue.writeBuffer(continues, 0, flag);
        if (lensBuffer && !isLensWritten) device.queue.writeBuffer(lensBuffer, 0, lens.arrayBuffer);
        isLensWritten = true;
        warps[turn]?.dispatch(pass, Math.max(1, Math.ceil(stride / 2 / WARP_LANES)), Math.max(1, height));
        kernels[turn].dispatch(pass, Math.ceil(stride / TILE[0]), Math.ceil(height / TILE[1]));
      },
    };
  },
  twin(shape, parameters, before) {
    before?.destroy?.();
    return temporalSimd(shape, parameters) ?? temporalTwin(shape, parameters);
  },
});
