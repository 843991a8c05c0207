// Kernels: shaders/median/, one for each size. Twin: stages/median/cpu.ts, with size3.ts and size5.ts. Fast form: stages/median/assembly/,
// which simd.ts runs. Test: tests/median.test.ts.

import { createKernel } from "../../shaders/kernel.ts";
import size3 from "../../shaders/median/size3.wgsl";
import size5 from "../../shaders/median/size5.wgsl";
import { defineStage } from "../core/define.ts";
import { choice } from "../core/parameters.ts";
import { medianTwin } from "./cpu.ts";

// One invocation writes 8 pixels (one vec4 of packed words) in each of this many rows, by size.
const COLUMNS = 8;
const ROWS = { 3: 1, 5: 2 } as const;

// The fastest of the workgroups that were measured on an H200 (docs/lab/median.md).
const [WORKGROUP_X, WORKGROUP_Y] = [32, 4];

const shaders = { 3: size3, 5: size5 } as const;

/**
 * The masked median: a valid pixel becomes the lower median of the valid values in its window, which is always an existing value, never an
 * average across an edge. An invalid pixel stays invalid and has no weight. Reads and replaces `depth`. See docs/lab/median.md.
 */
export const median = defineStage({
  name: "median",
  title: "Median",
  summary: "removes speckle: each pixel becomes the median of the valid pixels around it",
  role: "filter",
  place: 2,
  byDefault: true,
  schema: {
    size: choice(3, [3, 5], "width and height of the window, px"),
  },
  async build(device, _, { depth }, { size }, pool) {
    const { width, height, stride } = depth;
    const output = pool.depthImage("output", width, height);
    const kernel = await createKernel(device, {
      label: `median/size${size}`,
      shader: shaders[size],
      constants: { ROW_VECTORS: stride / COLUMNS, HEIGHT: height, WORKGROUP_X, WORKGROUP_Y },
      resources: { depth: depth.buffer, filtered: output.buffer },
    });
    const across = Math.ceil(stride / COLUMNS / WORKGROUP_X);
    const down = Math.ceil(height / ROWS[size] / WORKGROUP_Y);
    return {
      output: { depth: output },
      encode: (pass) => kernel.dispatch(pass, across, down),
    };
  },
  twin: ({ intrinsics: { width, height } }, { size }) => medianTwin(size, width, height),
});
