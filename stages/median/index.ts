// Kernels: shaders/median/, one for each size. Twin: stages/median/cpu.ts, with size3.ts, size5.ts and thin.ts. Fast form:
// stages/median/assembly/, which simd.ts runs. Tests: tests/median.test.ts and tests/forms.test.ts. Pages: docs/median.md and
// docs/lab/median.md.

import { createKernel } from "../../shaders/kernel.ts";
import size3 from "../../shaders/median/size3.wgsl";
import size5 from "../../shaders/median/size5.wgsl";
import { defineStage } from "../core/define.ts";
import { choice } from "../core/parameters.ts";
import { medianTwin } from "./cpu.ts";
import { medianSimd } from "./simd.ts";

// One invocation writes 8 pixels (one vec4 of packed words) in each of this many rows, by size.
const COLUMNS = 8;
const ROWS = { 3: 1, 5: 2 } as const;

const shaders = { 3: size3, 5: size5 } as const;

/**
 * The masked median: a valid pixel becomes the lower median of the valid values in its window, which is always an existing value, never an
 * average across an edge. An invalid pixel stays invalid and has no weight. Reads and replaces `depth`. See docs/median.md.
 *
 * @example
 * const filter = median({ size: 5 });
 * const pipeline = await createPipeline({ stages: [filter, compact()] });
 * filter.set({ size: 3 }); // from the next frame on
 */
export const median = defineStage({
  name: "median",
  title: "Median",
  summary: "removes speckle: each pixel becomes the median of the valid pixels around it",
  role: "filter",
  place: 2,
  byDefault: true,
  schema: { size: choice(3, [3, 5], "width and height of the window, px") },
  tuning: {
    knobs: {
      median: {
        WORKGROUP_X: {
          values: [4, 8, 16, 32, 64, 128],
          initial: { nvidia: 8, otherwise: 32 },
          summary: "invocations across a workgroup, 8 pixels each",
        },
        WORKGROUP_Y: {
          values: [1, 2, 4, 8, 16, 32],
          initial: 4,
          summary: "invocations down a workgroup, one row each; two rows each if size is 5",
        },
      },
    },
    fits: ({ median: { WORKGROUP_X = 1, WORKGROUP_Y = 1 } = {} }) => WORKGROUP_X * WORKGROUP_Y <= 128,
    workloads: [{ size: 3 }, { size: 5 }],
  },
  async build({ device, input: { depth }, parameters: { size }, overrides, pool }) {
    const { width, height, stride } = depth;
    const { WORKGROUP_X = 1, WORKGROUP_Y = 1 } = overrides.median ?? {};
    const output = pool.depthImage("output", width, height);
    const kernel = await createKernel(device, {
      label: `median/size${size}`,
      shader: shaders[size],
      constants: {
        ROW_VECTORS: stride / COLUMNS,
        HEIGHT: height,
        CORNERS: Number(size === 3),
        ROWS: ROWS[size],
        WORKGROUP_X,
        WORKGROUP_Y,
      },
      resources: { depth: depth.buffer, filtered: output.buffer },
    });
    const across = Math.ceil(stride / COLUMNS / WORKGROUP_X);
    const down = Math.ceil(height / ROWS[size] / WORKGROUP_Y);
    return { output: { depth: output }, encode: (pass) => kernel.dispatch(pass, across, down) };
  },
  twin: ({ intrinsics: { width, height } }, { size }) =>
    medianSimd(size, width, height) ?? medianTwin(size, width, height),
});
