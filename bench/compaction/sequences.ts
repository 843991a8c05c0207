import type { Gpu } from "../../pipeline/device/gpu.ts";
import countCode from "../kernels/compaction/sequenceCount.wgsl?raw";
import moveCode from "../kernels/compaction/sequenceMove.wgsl?raw";
import { dispatchOf } from "./dispatch.ts";
import { scanInPlace } from "./scan.ts";
import type { Contender, Problem } from "./types.ts";

/** As in the paper: 120 workgroups of 128 invocations. */
const GROUPS = 120;
const WORKGROUP = 128;

/** The only size of a device's subgroups; `undefined` where it has none, or several sizes. */
function subgroupSize({ device }: Pick<Gpu, "device">): number | undefined {
  const { subgroupMinSize, subgroupMaxSize } = device.adapterInfo;
  return device.features.has("subgroups") && subgroupMinSize === subgroupMaxSize ? subgroupMinSize : undefined;
}

/** Cuts `length` words into a sequence for each subgroup, in blocks of two words a lane; the first ones take the remainder. */
function sequencesOf({ gpu, length }: Problem) {
  const SUBGROUP = subgroupSize(gpu) ?? 1;
  const sequences = (GROUPS * WORKGROUP) / SUBGROUP;
  const blocks = Math.ceil(length / (2 * SUBGROUP));
  return { sequences, constants: { SUBGROUP, EACH: Math.floor(blocks / sequences), EXTRA: blocks % sequences } };
}

const unfit = (gpu: Gpu) =>
  subgroupSize(gpu) === undefined ? "the device has no subgroups, or subgroups of several sizes" : undefined;

export const sequences: Contender = {
  name: "sequences",
  way: "few workgroups that loop; each subgroup has a contiguous part of the input",
  source: "Billeter, Olsson, Assarsson, HPG 2009",
  keepsOrder: "all",
  unfit,
  async build(problem) {
    const { gpu, input: pairs, kept } = problem;
    const { sequences, constants } = sequencesOf(problem);
    const counts = problem.scratch("counts of sequences", sequences);
    const kernel = (label: string, code: string, resources: Record<string, GPUBuffer>) =>
      dispatchOf(gpu.device, GROUPS, { label, code, constants, resources });
    const count = await kernel("compaction/sequenceCount", countCode, { pairs, counts });
    const [scan] = await scanInPlace(problem, counts, sequences);
    const move = await kernel("compaction/sequenceMove", moveCode, { pairs, starts: counts, kept });
    return [
      { name: "count", encode: count },
      { name: "prefix", encode: (pass) => scan?.(pass) },
      { name: "move", encode: move },
    ];
  },
};
