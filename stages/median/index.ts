import { createKernel } from "../../shaders/kernel.ts";
import size3Half from "../../shaders/median/size3.f16.wgsl?raw";
import size3 from "../../shaders/median/size3.wgsl?raw";
import size5Half from "../../shaders/median/size5.f16.wgsl?raw";
import size5 from "../../shaders/median/size5.wgsl?raw";
import { choice } from "../parameters.ts";
import { createDepthImage } from "../resources.ts";
import { defineStage } from "../stage.ts";
import { medianTwin } from "./cpu.ts";

// One invocation writes 8 pixels (one vec4 of packed words) in each of 2 rows.
const COLUMNS = 8;
const ROWS = 2;

// The kernels in f16 take depths up to here two at a time; where a frame has farther ones they do them again, one by one,
// and a frame that is all beyond takes 15 times as long. Where so many units do not reach so far, they would be common.
const MOST_IN_F16 = 30719;
const ENOUGH_M = 6;

/** Whether depth of this unit goes by the kernels in f16. */
export const inHalves = (F16: number, metresPerUnit: number): boolean =>
  F16 === 1 && MOST_IN_F16 * metresPerUnit >= ENOUGH_M;

const codes = { 3: [size3, size3Half], 5: [size5, size5Half] } as const;

/**
 * The masked median: a valid pixel becomes the lower median of the valid values around it (an existing value, never an
 * average across an edge); an invalid pixel stays invalid and weighs nothing. See docs/median.md.
 */
export const median = defineStage({
  name: "median",
  summary: "removes speckle: each pixel becomes the median of the valid pixels around it",
  role: "filter",
  place: 2,
  byDefault: true,
  schema: {
    size: choice(3, [3, 5], "window, pixels on a side"),
  },
  tuning: {
    knobs: {
      median: {
        F16: {
          values: [0, 1],
          initial: { nvidia: 1, otherwise: 0 },
          summary: "1: two pixels at a time, as f16",
          feature: "shader-f16",
        },
        WORKGROUP_X: {
          values: [4, 8, 16, 32, 64, 128, 256],
          initial: { nvidia: 32, otherwise: 16 },
          summary: "width of a workgroup, 8 pixels each",
        },
        WORKGROUP_Y: {
          values: [1, 2, 4, 8, 16, 32],
          initial: 4,
          summary: "height of a workgroup, 2 rows each",
        },
      },
    },
    fits: ({ median: { WORKGROUP_X = 1, WORKGROUP_Y = 1 } = {} }) => WORKGROUP_X * WORKGROUP_Y <= 256,
    workloads: [{ size: 3 }, { size: 5 }],
  },
  async build(
    device,
    { metresPerUnit },
    { depth },
    { size },
    { median: { F16 = 0, WORKGROUP_X = 1, WORKGROUP_Y = 1 } = {} },
  ) {
    const { width, height, stride } = depth;
    const halves = inHalves(F16, metresPerUnit);
    const output = createDepthImage(device, "median", width, height);
    const kernel = await createKernel(device, {
      label: `median/size${size}${halves ? ".f16" : ""}`,
      code: codes[size][halves ? 1 : 0],
      constants: {
        ROW_VECTORS: stride / COLUMNS,
        HEIGHT: height,
        WORKGROUP_X,
        WORKGROUP_Y,
      },
      resources: { depth: depth.buffer, filtered: output.buffer },
    });
    const across = Math.ceil(stride / COLUMNS / WORKGROUP_X);
    const down = Math.ceil(height / ROWS / WORKGROUP_Y);
    return {
      output: { depth: output },
      encode: (pass) => kernel.dispatch(pass, across, down),
      destroy: () => output.buffer.destroy(),
    };
  },
  twin: ({ intrinsics: { width, height } }, { size }) => medianTwin(size, width, height),
});
