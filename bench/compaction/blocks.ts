import type { Gpu } from "../../pipeline/device/gpu.ts";
import countCode from "../kernels/compaction/blockCount.wgsl?raw";
import moveCode from "../kernels/compaction/blockMove.wgsl?raw";
import clearCode from "../kernels/compaction/clear.wgsl?raw";
import reserveCode from "../kernels/compaction/reserve.wgsl?raw";
import { dispatchOf, inOrder } from "./dispatch.ts";
import { scanInPlace } from "./scan.ts";
import type { Contender } from "./types.ts";

/** Why a device cannot run workgroups of this size with subgroups. */
function unfitFor({ device }: Gpu, workgroup: number): string | undefined {
  if (!device.features.has("subgroups")) return "the device has no subgroups";
  const most = Math.min(device.limits.maxComputeInvocationsPerWorkgroup, device.limits.maxComputeWorkgroupSizeX);
  return workgroup > most ? `the device allows ${most} invocations a workgroup` : undefined;
}

/** A thread an element, in workgroups of this size. */
export const blocksOf = (workgroup: number): Contender => ({
  name: `blocks of ${workgroup}`,
  way: "an invocation for each word, in workgroups of that many",
  source: "Spataro (Orange Owls), after Billeter et al.",
  keepsOrder: "all",
  unfit: (gpu) => unfitFor(gpu, workgroup),
  async build(problem) {
    const { gpu, length, input: words, kept } = problem;
    const groups = Math.ceil(length / workgroup);
    const counts = problem.scratch("counts of blocks", groups);
    const constants = { WORKGROUP: workgroup, LENGTH: length };
    const kernel = (label: string, code: string, resources: Record<string, GPUBuffer>) =>
      dispatchOf(gpu.device, groups, { label, code, constants, resources });
    const count = await kernel("compaction/blockCount", countCode, { words, counts });
    const scan = await scanInPlace(problem, counts, groups);
    const move = await kernel("compaction/blockMove", moveCode, { words, starts: counts, kept });
    return [
      { name: "count", encode: count },
      { name: "prefix", encode: inOrder(scan) },
      { name: "move", encode: move },
    ];
  },
});

const RESERVED = 256;

/** One kernel, whose workgroups reserve room by an atomic. */
export const reserve: Contender = {
  name: "reserve",
  way: "a workgroup reserves room for its words by an atomic",
  source: "Hughes, Lim, Jones, Knoll, Spencer, InK-Compact, 2013",
  keepsOrder: RESERVED,
  unfit: (gpu) => unfitFor(gpu, RESERVED),
  async build({ gpu, length, input: words, kept, total }) {
    const { device } = gpu;
    const clear = await dispatchOf(device, 1, {
      label: "compaction/clear",
      code: clearCode,
      constants: { LENGTH: 1 },
      resources: { words: total },
    });
    const move = await dispatchOf(device, Math.ceil(length / RESERVED), {
      label: "compaction/reserve",
      code: reserveCode,
      constants: { WORKGROUP: RESERVED, LENGTH: length },
      resources: { words, kept, total },
    });
    return [{ name: "move", encode: inOrder([clear, move]) }];
  },
};
