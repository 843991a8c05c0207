import type { Overrides, TuningSpace } from "../tuning.ts";

const KEY_BYTES = 8;

/** What can be chosen in dofSplat; docs/tuning.md tells what each does and where it was measured. */
export const variants = {
  after: ["compact"],
  workloads: [{ fNumber: 0 }, {}, { fNumber: 0.7 }],
  knobs: {
    order: {
      LANES: {
        values: [4, 16, 32, 64, 128, 256],
        initial: { processor: 4, otherwise: 128 },
        summary: "invocations that sort a tile's list",
      },
      CAPACITY: {
        values: [256, 512, 1024, 2048],
        initial: { processor: 1024, otherwise: 512 },
        summary: "keys sorted at a time in workgroup memory",
      },
    },
    accumulate: {
      LANES: {
        values: [4, 8, 16, 32, 64],
        initial: { processor: 4, otherwise: 64 },
        summary: "invocations that draw a tile",
      },
    },
  },
  fits: ({ order }: Overrides, { maxComputeWorkgroupStorageSize }) =>
    (order?.CAPACITY ?? 0) * KEY_BYTES <= maxComputeWorkgroupStorageSize,
} as const satisfies TuningSpace;
