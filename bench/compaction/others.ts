import clearCode from "../kernels/compaction/clear.wgsl?raw";
import flagsCode from "../kernels/compaction/flags.wgsl?raw";
import lookBackCode from "../kernels/compaction/lookBack.wgsl?raw";
import scatterCode from "../kernels/compaction/scatter.wgsl?raw";
import tileCountCode from "../kernels/compaction/tileCount.wgsl?raw";
import tileMoveCode from "../kernels/compaction/tileMove.wgsl?raw";
import { dispatchOf, inOrder } from "./dispatch.ts";
import { scanInPlace } from "./scan.ts";
import type { Contender } from "./types.ts";

const fits = () => undefined;
/** Words of a workgroup of 256 invocations with a vec4 each. */
const BLOCK = 1024;

/** Flags, their scan, and a scatter. */
export const flags: Contender = {
  name: "flags and scatter",
  way: "a flag for each word, a scan of the flags, a scatter",
  source: "Thrust's copy_if",
  keepsOrder: "all",
  unfit: fits,
  async build(problem) {
    const { gpu, length, input: words, kept } = problem;
    const groups = Math.ceil(length / BLOCK);
    const places = problem.scratch("flags", groups * BLOCK);
    const constants = { LENGTH: length };
    const kernel = (label: string, code: string, resources: Record<string, GPUBuffer>) =>
      dispatchOf(gpu.device, groups, { label, code, constants, resources });
    const count = await kernel("compaction/flags", flagsCode, { words, flags: places });
    const scan = await scanInPlace(problem, places, length);
    const move = await kernel("compaction/scatter", scatterCode, { words, places, kept });
    return [
      { name: "count", encode: count },
      { name: "prefix", encode: inOrder(scan) },
      { name: "move", encode: move },
    ];
  },
};

/** One pass over the input: look-back with fallback. Clearing the states is part of it. */
export const lookBack: Contender = {
  name: "look-back",
  way: "one pass: a workgroup looks back for the counts before its own, and counts them itself where they are late",
  source: "Merrill, Garland 2016; Smith, Levien, Owens, SPAA 2025",
  keepsOrder: "all",
  unfit: fits,
  async build(problem) {
    const { gpu, length, input: words, kept, total } = problem;
    const tiles = Math.ceil(length / BLOCK);
    const states = problem.scratch("states of tiles", tiles + 1);
    const clear = await dispatchOf(gpu.device, Math.ceil((tiles + 1) / 256), {
      label: "compaction/clear",
      code: clearCode,
      constants: { LENGTH: tiles + 1 },
      resources: { words: states },
    });
    const move = await dispatchOf(gpu.device, tiles, {
      label: "compaction/lookBack",
      code: lookBackCode,
      constants: { TOTAL_VECTORS: Math.ceil(length / 4), TILES: tiles },
      resources: { words, kept, states, total },
    });
    return [{ name: "move", encode: inOrder([clear, move]) }];
  },
};

/** The limit of `compact`: each workgroup sums the counts of all tiles before it. */
const MOST_TILES = 2048;
const OURS = 128;

/** The two passes of the stage `compact`, on words. */
export const ours: Contender = {
  name: "ours",
  way: "as the stage compact: count, then move; each workgroup adds up the counts before its own",
  source: "shaders/compact/count.wgsl and move.wgsl",
  keepsOrder: "all",
  unfit: fits,
  async build(problem) {
    const { gpu, length, input: words, kept, total } = problem;
    const vectors = Math.ceil(length / 4);
    const rounds = Math.ceil(vectors / OURS / MOST_TILES);
    const tiles = Math.ceil(vectors / OURS / rounds);
    const counts = problem.scratch("counts of tiles", tiles);
    const shared = { WORKGROUP: OURS, TOTAL_VECTORS: vectors };
    const count = await dispatchOf(gpu.device, tiles, {
      label: "compaction/tileCount",
      code: tileCountCode,
      constants: { ...shared, VECTORS: rounds },
      resources: { words, counts },
    });
    const move = await dispatchOf(gpu.device, tiles, {
      label: "compaction/tileMove",
      code: tileMoveCode,
      constants: { ...shared, ROUNDS: rounds, TILES: tiles },
      resources: { words, counts, kept, total },
    });
    return [
      { name: "count", encode: count },
      { name: "move", encode: move },
    ];
  },
};
