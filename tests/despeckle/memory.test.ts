import { describe, expect, test } from "vitest";
import { AGAIN } from "../../stages/core/resources.ts";
import { despeckle } from "../../stages/despeckle/index.ts";
import { at, runner } from "../temporal/scenes.ts";

// despeckle remembers its decision on a pixel for the next frame.

describe("despeckle's memory", () => {
  // In the middle a pixel hangs between 1 m and 2 m, next to the near one; a step is 20 mm there.
  const hanging = (value: number) => [1000, 1000, 1000, 1000, value, 2000, 2000, 2000, 2000];
  const over = (values: readonly number[], context = at) => {
    const run = runner(despeckle({ islandPx: 1, stepPerM2Mm: 0 }), 9, 1);
    return values.map((value, i) => run(hanging(value), context(i))[4] !== 0);
  };

  test("keeps a decision that noise would change from frame to frame", () => {
    const wavering = Array.from({ length: 20 }, (_, i) => 1020 + (i % 2 ? 3 : -3));
    expect(new Set(over(wavering))).toEqual(new Set([true]));
    expect(new Set(over([1100, ...wavering]))).toEqual(new Set([false]));
    // Without memory each frame is decided by itself.
    expect(over(wavering, () => AGAIN)).toEqual(wavering.map((value) => value === 1017));
  });

  test("waits for a second frame that says otherwise while depth stays", () => {
    const run = runner(despeckle({ islandPx: 1, stepPerM2Mm: 0 }), 9, 1);
    const edges = [true, false, true, true, false, false, true];
    const stays = edges.map((edge, i) => run(edge ? hanging(1100) : Array(9).fill(1100), at(i))[4] !== 0);
    expect(stays).toEqual([false, false, false, false, false, true, true]);
  });

  test("drops the decision on a pixel whose depth has changed, and all decisions after a jump", () => {
    expect(over([2000, 1025])).toEqual([true, false]);
    expect(over([1100, 1000])).toEqual([false, true]);
    expect(over([1100, 1018])).toEqual([false, false]);
    expect(over([1100, 1018], (i) => ({ ...at(i), follows: false }))).toEqual([false, true]);
  });
});
