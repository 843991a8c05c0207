// Kernels: shaders/undistort/. Twin: stages/undistort/cpu.ts. Tests: tests/undistort.test.ts and tests/forms.test.ts. Pages:
// docs/undistort.md and docs/lab/undistort.md.

import { isBent } from "../../core/calibration/lens.ts";
import { createKernel } from "../../shaders/kernel.ts";
import colorShader from "../../shaders/undistort/color.wgsl";
import depthShader from "../../shaders/undistort/depth.wgsl";
import { defineStage } from "../core/define.ts";
import type { DepthImage } from "../core/resources.ts";
import { placesOf, straightShape, undistortTwin } from "./cpu.ts";

/**
 * Removes lens distortion from depth and, if there is one, colour: later stages see a camera without distortion, of the same size,
 * principal point and focal length. Frames without distortion skip this stage. See docs/undistort.md.
 *
 * @example
 * const stages = [median(), undistort(), compact()];
 */
export const undistort = defineStage({
  name: "undistort",
  title: "Undo lens distortion",
  summary: "removes lens distortion, where the recording describes it",
  role: "filter",
  // The other filters work on the sensor's own pixels.
  place: 10,
  byDefault: true,
  schema: {},
  needed: ({ intrinsics }) => isBent(intrinsics),
  leaves: straightShape,
  async build({ device, shape: { intrinsics }, input: { depth, raw, color }, pool }) {
    const { width, height, stride } = depth;
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const table = placesOf(intrinsics, stride);
    const places = pool.buffer("places", table.byteLength, STORAGE | COPY_DST);
    device.queue.writeBuffer(places, 0, table);
    const gather = (bent: DepthImage, straight: DepthImage) =>
      createKernel(device, {
        label: "undistort/depth",
        shader: depthShader,
        constants: { HEIGHT: height, WORDS: stride / 2 },
        resources: { places, depth: bent.buffer, straight: straight.buffer },
      });
    const output = pool.depthImage("depth", width, height);
    const kernels = [await gather(depth, output)];
    // Raw depth of another size stays distorted.
    const same = raw && raw.width === width && raw.height === height;
    const sensor = same ? pool.depthImage("raw", width, height) : raw;
    if (same && sensor) kernels.push(await gather(raw, sensor));
    // The buffer exists without colour too, so that colour that comes and goes allocates nothing.
    const mixed = pool.buffer("color", stride * height * 4, STORAGE | COPY_SRC | COPY_DST);
    const mixer =
      color &&
      (await createKernel(device, {
        label: "undistort/color",
        shader: colorShader,
        constants: { WIDTH: width, HEIGHT: height, WORDS: stride },
        resources: { places, color: color.buffer, straight: mixed },
      }));
    return {
      output: { depth: output, ...(sensor && { raw: sensor }), ...(color && { color: { buffer: mixed, stride } }) },
      encode(pass) {
        // Each invocation has two words.
        for (const kernel of kernels) kernel.cover(pass, stride / 4, height);
        mixer?.cover(pass, stride, height);
      },
    };
  },
  twin: (shape) => undistortTwin(shape),
});
