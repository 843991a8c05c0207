import { createKernel } from "../../shaders/kernel.ts";
import size3 from "../../shaders/median/size3.wgsl?raw";
import size5 from "../../shaders/median/size5.wgsl?raw";
import { choice } from "../parameters.ts";
import { createDepthImage } from "../resources.ts";
import { defineStage } from "../stage.ts";
import { medianTwin } from "./cpu.ts";

// One invocation writes 8 pixels (one vec4 of packed words) in each of 2 rows.
const COLUMNS = 8;
const ROWS = 2;
const WORKGROUP = { x: 16, y: 4 };

/**
 * The masked median: a valid pixel becomes the lower median of the valid values around it (an existing value, never an
 * average across an edge); an invalid pixel stays invalid and weighs nothing. See docs/median.md.
 */
export const median = defineStage({
  name: "median",
  summary: "removes speckle: each pixel becomes the median of the valid pixels around it",
  schema: {
    size: choice(3, [3, 5], "window, pixels on a side"),
  },
  async build(device, _shape, { depth }, { size }) {
    const { width, height, stride } = depth;
    const output = createDepthImage(device, "median", width, height);
    const kernel = await createKernel(device, {
      label: `median/size${size}`,
      code: size === 3 ? size3 : size5,
      constants: {
        ROW_VECTORS: stride / COLUMNS,
        HEIGHT: height,
        WORKGROUP_X: WORKGROUP.x,
        WORKGROUP_Y: WORKGROUP.y,
      },
      resources: { depth: depth.buffer, filtered: output.buffer },
    });
    const across = Math.ceil(stride / COLUMNS / WORKGROUP.x);
    const down = Math.ceil(height / ROWS / WORKGROUP.y);
    return {
      output: { depth: output },
      encode: (pass) => kernel.dispatch(pass, across, down),
      destroy: () => output.buffer.destroy(),
    };
  },
  twin: ({ intrinsics: { width, height } }, { size }) => medianTwin(size, width, height),
});
