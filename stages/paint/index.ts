import { createKernel } from "../../shaders/kernel.ts";
import code from "../../shaders/paint.wgsl?raw";
import { defineStage } from "../define.ts";
import { choice, fromView, number } from "../parameters.ts";
import { liveUniform } from "../uniform.ts";
import { MAX_REACH, paintTwin } from "./cpu.ts";
import { shaderSimd } from "./simd.ts";

/** What a pixel's colour tells; the place in the list is the shader's `mode`. */
export const MODES = ["depth", "normal", "clay", "lit", "difference"] as const;

/**
 * False colours. Reads `depth`; leaves `color`, which the stages after it take for the camera's own: by distance (evenly in
 * its ratio, near is red), by the direction of the surface (x right, y up, z towards the camera, as red, green, blue), as
 * clay under a lamp at the camera, or lit: the camera's colours, or clay, under a lamp from above and the left, in whose light noise
 * shows that hides in a photograph. Or by what the filters changed: warm where the sensor's own depth was nearer, cold where it was
 * farther, magenta where there was none, yellow where the filters left none. See docs/paint.md.
 */
export const paint = defineStage({
  name: "paint",
  title: "False colours",
  summary:
    "colours what was measured: by distance, by the surface's direction, as clay, lit, or by what the filters changed",
  role: "colour",
  schema: {
    by: fromView(choice("clay", MODES, "what the colour tells", { live: true })),
    nearM: fromView(number(0.5, { min: 0.01, max: 1000, live: true }, "distance of the nearest colour (red), m")),
    farM: fromView(number(5, { min: 0.01, max: 1000, live: true }, "distance of the farthest colour (blue), m")),
    rangeMm: number(10, { min: 0.1, max: 1000, live: true }, "by difference: what the strongest colours stand for, mm"),
    reachPx: number(
      2,
      { min: 1, max: MAX_REACH, step: 1, live: true },
      "how far to each side a surface's direction is taken from, px",
    ),
  },
  async build(device, { intrinsics, metresPerUnit }, input, parameters, _, pool) {
    const { depth: filtered, shown: depth = filtered, raw = filtered, color: colors } = input;
    const { width, height, stride, buffer } = depth;
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const painted = pool.buffer("color", stride * height * 4, STORAGE | COPY_SRC | COPY_DST);
    const { fx, fy, cx, cy } = intrinsics;
    const camera = { focal: [fx, fy], centre: [cx, cy], metresPerUnit };
    const view = liveUniform(pool, code, "view", parameters, () => {
      const { by, nearM, farM, rangeMm, reachPx } = parameters;
      return { ...camera, nearM, farM, rangeM: rangeMm / 1000, mode: MODES.indexOf(by), reach: reachPx };
    });
    const kernel = await createKernel(device, {
      label: "paint",
      code,
      constants: {
        ...{ WIDTH: width, HEIGHT: height, STRIDE: stride, HAS_COLORS: colors ? 1 : 0 },
        ...{ RAW_WIDTH: raw.width, RAW_HEIGHT: raw.height, RAW_STRIDE: raw.stride },
      },
      resources: {
        ...{ view: view.buffer, depth: buffer, color: painted, filtered: filtered.buffer, raw: raw.buffer },
        // Not read where there are none, but something has to stand there.
        colors: colors?.buffer ?? buffer,
      },
    });
    return {
      output: { color: { buffer: painted, stride } },
      encode(pass) {
        view.update();
        kernel.dispatch(pass, Math.ceil(width / 16), Math.ceil(height / 8));
      },
    };
  },
  twin: (shape, parameters) => paintTwin(shape, parameters, shaderSimd(shape.intrinsics)),
});
