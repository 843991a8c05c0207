import code from "../../shaders/fillHoles.wgsl?raw";
import { createKernel } from "../../shaders/kernel.ts";
import { defineStage } from "../define.ts";
import { choice, number, toggle } from "../parameters.ts";
import { liveUniform } from "../uniform.ts";
import { fillHolesTwin } from "./cpu.ts";

/** What a hole is filled with; the place in the list is the shader's `mode`. */
const MODES = ["nearest", "farthest", "edge"] as const;

/**
 * Invents depth where there is none: holes are filled from their rims. The only stage that makes invalid pixels valid; those are
 * tinted in the camera's colours, if it has any. See docs/fillHoles.md.
 */
export const fillHoles = defineStage({
  name: "fillHoles",
  title: "Fill holes",
  summary: "invents depth for holes, from what is around them",
  role: "filter",
  place: 9,
  schema: {
    mode: choice(
      "edge",
      MODES,
      "from the nearest depth around the hole, the farthest, or the surface that most of the rim is on",
      { live: true },
    ),
    reachPx: number(8, { min: 1, max: 64, step: 1, live: true }, "how far a hole's rim may be, px"),
    mark: toggle(true, "tints what was invented magenta, in the camera's colours"),
  },
  async build(device, _, { depth, color }, parameters, __, pool) {
    const { width, height, stride } = depth;
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const output = pool.depthImage("output", width, height);
    const chosen = liveUniform(pool, code, "choice", parameters, () => ({
      mode: MODES.indexOf(parameters.mode),
      reach: parameters.reachPx,
    }));
    const colors = parameters.mark ? color : undefined;
    // Where nothing is marked nothing is written there, but something has to stand there; colour may come and go.
    const marked = pool.buffer("marked", parameters.mark ? stride * height * 4 : 4, STORAGE | COPY_SRC | COPY_DST);
    const kernel = await createKernel(device, {
      label: "fillHoles",
      code,
      constants: { WIDTH: width, HEIGHT: height, STRIDE: stride, MARK: colors ? 1 : 0 },
      resources: {
        choice: chosen.buffer,
        depth: depth.buffer,
        colors: colors?.buffer ?? depth.buffer,
        filled: output.buffer,
        marked,
      },
    });
    return {
      output: colors ? { depth: output, color: { buffer: marked, stride } } : { depth: output },
      encode(pass) {
        chosen.update();
        kernel.dispatch(pass, Math.ceil(stride / 2 / 16), Math.ceil(height / 8));
      },
    };
  },
  twin: (shape, parameters) => fillHolesTwin(shape, parameters),
});
