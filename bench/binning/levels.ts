import { dispatchOf, inOrder } from "../compaction/dispatch.ts";
import { scanInPlace } from "../compaction/scan.ts";
import groupCountCode from "../kernels/binning/groupCount.wgsl?raw";
import finishCode from "../kernels/binning/levelFinish.wgsl?raw";
import splitCode from "../kernels/binning/levelSplit.wgsl?raw";
import { clearOf, roomOf } from "./histograms.ts";
import type { Contender, Problem } from "./types.ts";

/** log2 of the parts that a level makes of one. */
const WAYS = 5;
const WORKGROUP = 256;
/** Samples that a workgroup counts, and entries that a workgroup of levelSplit.wgsl sorts at a time. */
const COUNTED = 2048;
const SORTED = 7 * WORKGROUP;

/** A level: it makes parts of 2^`shift` tiles out of parts of 2^(`shift` + `bits`) tiles. */
export interface Level {
  readonly shift: number;
  readonly bits: number;
}

/** The levels until a part has at most 2^`rest` tiles. */
export function levelsOf(tiles: number, rest: number): Level[] {
  const levels: Level[] = [];
  let before = Math.max(1, Math.ceil(Math.log2(tiles)));
  do {
    const shift = Math.max(0, before - WAYS);
    levels.push({ shift, bits: before - shift });
    before = shift;
  } while (before > rest);
  return levels;
}

/** Sorts by levels until a part has at most 2^`rest` tiles (5 at most), which one workgroup then sorts. */
export const levelsTo = (rest: number): Contender => ({
  name: rest === 0 ? "levels to a tile" : `levels to ${2 ** rest} tiles`,
  way: `a log is split 32 ways a level until a part has ${rest === 0 ? "one tile" : `${2 ** rest} tiles, which a workgroup sorts`}`,
  bounds: "starts",
  build: (problem) => build(problem, levelsOf(problem.tiles, rest)),
});

async function build(problem: Problem, levels: readonly Level[]) {
  const { gpu, length, tiles, samples, list, bounds } = problem;
  const { device } = gpu;
  const FINEST = levels.at(-1)?.shift ?? 0;
  const partsAt = (shift: number) => Math.ceil(tiles / 2 ** shift);
  const GROUPS = partsAt(FINEST);
  // Counted once, for the last level: a part of an earlier level begins where its first part of the last level does.
  const starts = FINEST === 0 ? bounds : problem.scratch("starts of parts", GROUPS);
  const offsets = levels.map((_, i) => levels.slice(0, i).reduce((sum, { shift }) => sum + partsAt(shift), 0));
  const rooms = levels.reduce((sum, { shift }) => sum + partsAt(shift), 0);
  const taken = problem.scratch("room taken", rooms);
  const count = await dispatchOf(device, Math.ceil(length / COUNTED), {
    label: "binning/groupCount",
    code: groupCountCode,
    constants: {
      ...{ LENGTH: length, TILES: GROUPS, SHIFT: FINEST },
      ...{ ROOM: roomOf(device, GROUPS), EACH: COUNTED / WORKGROUP },
    },
    resources: { samples, counts: starts },
  });
  const clears = [await clearOf(device, starts, GROUPS), await clearOf(device, taken, rooms)];
  const scan = await scanInPlace(problem, starts, GROUPS);
  const moves = [];
  let entries = samples;
  for (const [i, { shift, bits }] of levels.entries()) {
    const isLast = shift === 0;
    const split = isLast ? list : problem.scratch(`log of level ${i + 1}`, 2 * length);
    const parts = partsAt(shift + bits);
    const SHARE = Math.ceil(Math.ceil(length / SORTED) / parts);
    const level = await dispatchOf(device, parts * SHARE, {
      label: "binning/levelSplit",
      code: splitCode,
      constants: { LENGTH: length, GROUPS, FINEST, SHIFT: shift, BITS: bits, SHARE, OFFSET: offsets[i] ?? 0 },
      resources: { starts, entries, taken, split },
    });
    moves.push(level);
    entries = split;
  }
  if (FINEST > 0) {
    const finish = await dispatchOf(device, GROUPS, {
      label: "binning/levelFinish",
      code: finishCode,
      constants: { LENGTH: length, TILES: tiles, FINEST, PARTS: GROUPS },
      resources: { parts: starts, entries, starts: bounds, list },
    });
    moves.push(finish);
  }
  return [
    { name: "count", encode: inOrder([...clears, count]) },
    { name: "prefix", encode: inOrder(scan) },
    { name: "move", encode: inOrder(moves) },
  ] as const;
}
