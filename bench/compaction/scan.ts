import addCode from "../kernels/compaction/scanAdd.wgsl?raw";
import blocksCode from "../kernels/compaction/scanBlocks.wgsl?raw";
import shortCode from "../kernels/compaction/scanShort.wgsl?raw";
import { dispatchOf, type Encode } from "./dispatch.ts";
import type { Problem } from "./types.ts";

/** The counts that one workgroup of scanBlocks.wgsl scans. */
const BLOCK = 1024;
/** A list up to this length is scanned by one workgroup. */
const SHORT = 8192;

/** The dispatches that scan `counts` in place, exclusively, and write the sum of all to `problem.total`: blocks, their sums, and back. */
export async function scanInPlace(
  problem: Pick<Problem, "gpu" | "total" | "scratch">,
  counts: GPUBuffer,
  length: number,
): Promise<readonly Encode[]> {
  const { gpu, total } = problem;
  const { device } = gpu;
  if (length <= SHORT) {
    const resources = { counts, total };
    const constants = { LENGTH: length };
    return [await dispatchOf(device, 1, { label: "compaction/scanShort", code: shortCode, constants, resources })];
  }
  const groups = Math.ceil(length / BLOCK);
  const sums = problem.scratch(`sums of ${groups} blocks`, groups);
  const common = { constants: { LENGTH: length }, resources: { counts, sums } };
  const blocks = await dispatchOf(device, groups, { ...common, label: "compaction/scanBlocks", code: blocksCode });
  const between = await scanInPlace(problem, sums, groups);
  const add = await dispatchOf(device, groups, { ...common, label: "compaction/scanAdd", code: addCode });
  return [blocks, ...between, add];
}
