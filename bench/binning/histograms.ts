import { dispatchOf, type Encode, inOrder } from "../compaction/dispatch.ts";
import { scanInPlace } from "../compaction/scan.ts";
import eachCountCode from "../kernels/binning/eachCount.wgsl?raw";
import eachFillCode from "../kernels/binning/eachFill.wgsl?raw";
import groupCountCode from "../kernels/binning/groupCount.wgsl?raw";
import groupFillCode from "../kernels/binning/groupFill.wgsl?raw";
import windowCountCode from "../kernels/binning/windowCount.wgsl?raw";
import windowFillCode from "../kernels/binning/windowFill.wgsl?raw";
import clearCode from "../kernels/compaction/clear.wgsl?raw";
import type { Contender, Problem } from "./types.ts";

const WORKGROUP = 256;

/** A dispatch that sets the first `words` words of a buffer to 0. */
const clearOf = (device: GPUDevice, buffer: GPUBuffer, words: number): Promise<Encode> =>
  dispatchOf(device, Math.ceil(words / WORKGROUP), {
    label: "compaction/clear",
    code: clearCode,
    constants: { LENGTH: words },
    resources: { words: buffer },
  });

/** How many tiles a workgroup counts at a time: as many as its memory holds. */
const roomOf = ({ limits }: GPUDevice, tiles: number): number =>
  Math.min(tiles, Math.floor(limits.maxComputeWorkgroupStorageSize / 4));

interface Kernels {
  /** The names of the kernels in kernels/binning/, and their code. */
  readonly count: readonly [name: string, code: string];
  readonly fill: readonly [name: string, code: string];
  /** Samples of an invocation. */
  readonly each: number;
  readonly constants: Readonly<Record<string, number>>;
}

/** Counts, scans the counts, and fills the lists; the counts become places and in the end the lists' ends. */
async function countAndFill(problem: Problem, { count, fill, each, constants }: Kernels) {
  const { gpu, length, tiles, samples, list, bounds } = problem;
  const { device } = gpu;
  const groups = Math.ceil(length / (WORKGROUP * each));
  const kernel = ([name, code]: Kernels["count"], resources: Record<string, GPUBuffer>) =>
    dispatchOf(device, groups, {
      label: `binning/${name}`,
      code,
      constants: { LENGTH: length, ...constants },
      resources: { samples, ...resources },
    });
  const clear = await clearOf(device, bounds, tiles);
  const counting = await kernel(count, { counts: bounds });
  const scan = await scanInPlace(problem, bounds, tiles);
  const filling = await kernel(fill, { places: bounds, list });
  return [
    { name: "count", encode: inOrder([clear, counting]) },
    { name: "prefix", encode: inOrder(scan) },
    { name: "move", encode: filling },
  ] as const;
}

/** An atomic in memory for each sample. */
export const each: Contender = {
  name: "an atomic a sample",
  way: "each sample counts, and takes its place, by an atomic in memory",
  bounds: "ends",
  build: (problem) =>
    countAndFill(problem, {
      count: ["eachCount", eachCountCode],
      fill: ["eachFill", eachFillCode],
      each: 1,
      constants: {},
    }),
};

/** A histogram in workgroup memory over this many samples, then an atomic a tile. `most` limits the tiles counted at a time. */
export const histogramOf = (samples: number, most = Number.POSITIVE_INFINITY): Contender => ({
  name: `histogram of ${samples}`,
  way: `${samples} samples are counted in workgroup memory, then an atomic a tile`,
  bounds: "ends",
  build(problem) {
    const EACH = samples / WORKGROUP;
    const ROOM = Math.min(roomOf(problem.gpu.device, problem.tiles), most);
    return countAndFill(problem, {
      count: ["groupCount", groupCountCode],
      fill: ["groupFill", groupFillCode],
      each: EACH,
      constants: { TILES: problem.tiles, ROOM, EACH },
    });
  },
});

/** dofSplat's own way. */
const windows: Contender = {
  name: "windows (dofSplat)",
  way: "as dofSplat: a histogram of the tiles that a workgroup's samples lie on, if these are not too far apart",
  bounds: "ends",
  build: (problem) =>
    countAndFill(problem, {
      count: ["windowCount", windowCountCode],
      fill: ["windowFill", windowFillCode],
      each: problem.each,
      constants: { EACH: problem.each },
    }),
};

/** All contenders. One that is added here is checked, timed and drawn. */
export const FAMILY: readonly Contender[] = [each, histogramOf(1024), histogramOf(8192), windows];
