// Kernels: shaders/decimate/. Twin: stages/decimate/cpu.ts. Tests: tests/decimate.test.ts and tests/forms.test.ts. Pages: docs/decimate.md
// and docs/lab/decimate.md.

import colorShader from "../../shaders/decimate/color.wgsl";
import depthShader from "../../shaders/decimate/depth.wgsl";
import { createKernel } from "../../shaders/kernel.ts";
import { defineStage } from "../core/define.ts";
import { choice, number } from "../core/parameters.ts";
import { strideOf } from "../core/resources.ts";
import { decimateTwin, smallerShape } from "./cpu.ts";

/**
 * Replaces each block of `factor` × `factor` pixels by one: the median or the mean of its valid pixels. Reads and replaces `depth` and, if
 * there is one, `color`. Later stages see a camera with fewer pixels and the same field of view. Pixels at the right and the bottom that
 * fill no block are dropped. See docs/decimate.md.
 *
 * @example
 * const stages = [decimate({ factor: 2 }), ...defaultStages()]; // a quarter of the pixels
 */
export const decimate = defineStage({
  name: "decimate",
  title: "Downsample",
  summary: "merges blocks of pixels into one each: fewer pixels, with less noise",
  role: "filter",
  place: 0.5,
  schema: {
    factor: number(2, { min: 2, max: 8, step: 1 }, "pixels on each side of a block that becomes one"),
    take: choice(
      "median",
      ["median", "mean"],
      "the median or the mean of a block's valid depths; a mean invents depths at edges",
    ),
  },
  leaves: (shape, parameters) => smallerShape(shape, parameters),
  async build({ device, shape, input: { depth, color }, parameters: { factor, take }, pool }) {
    const { width, height } = smallerShape(shape, { factor }).intrinsics;
    const output = pool.depthImage("depth", width, height);
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const stride = strideOf(width);
    const size = { FACTOR: factor, WIDTH: width, HEIGHT: height };
    const kernel = await createKernel(device, {
      label: "decimate/depth",
      shader: depthShader,
      constants: { ...size, MEAN: take === "mean" ? 1 : 0, FROM: depth.stride / 2, TO: stride / 2 },
      resources: { depth: depth.buffer, smaller: output.buffer },
    });
    // The buffer exists without colour too, so that colour that comes and goes allocates nothing.
    const mixed = pool.buffer("color", stride * height * 4, STORAGE | COPY_SRC | COPY_DST);
    const mixer =
      color &&
      (await createKernel(device, {
        label: "decimate/color",
        shader: colorShader,
        constants: { ...size, FROM: color.stride, TO: stride },
        resources: { color: color.buffer, smaller: mixed },
      }));
    return {
      output: { depth: output, ...(color && { color: { buffer: mixed, stride } }) },
      encode(pass) {
        kernel.cover(pass, stride / 2, height);
        mixer?.cover(pass, stride, height);
      },
    };
  },
  twin: (shape, parameters) => decimateTwin(shape, parameters),
});
