import { createKernel, structView } from "../../shaders/kernel.ts";
import code from "../../shaders/paint.wgsl?raw";
import { choice, fromView, number } from "../parameters.ts";
import { defineStage } from "../stage.ts";
import { MAX_REACH, paintTwin } from "./cpu.ts";
import { shaderSimd } from "./simd.ts";

/** What a pixel's colour tells; the place in the list is the shader's `mode`. */
export const MODES = ["depth", "normal", "clay"] as const;

/**
 * False colours. Reads `depth`; leaves `color`, which the stages after it take for the camera's own: by distance (evenly in
 * its ratio, near is red), by the direction of the surface (x right, y up, z towards the camera, as red, green, blue), or as
 * clay under a lamp at the camera. For recordings without colour, and for seeing noise, which hides in a photograph.
 */
export const paint = defineStage({
  name: "paint",
  title: "False colours",
  summary: "colours what was measured by distance, by the direction of the surface, or as clay",
  role: "colour",
  schema: {
    by: fromView(choice("clay", MODES, "what the colour tells", { live: true })),
    nearM: fromView(number(0.5, { min: 0.01, max: 1000, live: true }, "distance of the nearest colour (red), m")),
    farM: fromView(number(5, { min: 0.01, max: 1000, live: true }, "distance of the farthest colour (blue), m")),
    reachPx: number(
      2,
      { min: 1, max: MAX_REACH, step: 1, live: true },
      "how far to each side a surface's direction is taken from, px",
    ),
  },
  async build(device, { intrinsics, metresPerUnit }, { depth }, parameters, _, pool) {
    const { width, height, stride, buffer } = depth;
    const { STORAGE, UNIFORM, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const color = pool.buffer("color", stride * height * 4, STORAGE | COPY_SRC | COPY_DST);
    const values = structView(code, "view");
    const view = pool.buffer("view", values.arrayBuffer.byteLength, UNIFORM | COPY_DST);
    const kernel = await createKernel(device, {
      label: "paint",
      code,
      constants: { WIDTH: width, HEIGHT: height, STRIDE: stride },
      resources: { view, depth: buffer, color },
    });
    let written = "";
    return {
      output: { color: { buffer: color, stride } },
      encode(pass) {
        const { by, nearM, farM, reachPx } = parameters;
        const wanted = `${by} ${nearM} ${farM} ${reachPx}`;
        if (written !== wanted) {
          written = wanted;
          const { fx, fy, cx, cy } = intrinsics;
          const camera = { focal: [fx, fy], centre: [cx, cy], metresPerUnit };
          values.set({ ...camera, nearM, farM, mode: MODES.indexOf(by), reach: reachPx });
          device.queue.writeBuffer(view, 0, values.arrayBuffer);
        }
        kernel.dispatch(pass, Math.ceil(width / 16), Math.ceil(height / 8));
      },
    };
  },
  twin: (shape, parameters) => paintTwin(shape, parameters, shaderSimd(shape.intrinsics)),
});
