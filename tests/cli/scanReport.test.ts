import { expect, test } from "vitest";
import { linesOf, numbersOf } from "../../cli/scanReport.ts";
import type { Scan } from "../../scan/keep.ts";

/** A scan of frames whose camera goes `stepM` to the right from each to the next. */
function scanOf(count: number, stepM: number, isTracked = true): Scan {
  const poses = Array.from({ length: count }, (_, k) => ({
    timestamp: 33 * k,
    toWorld: Float64Array.from([1, 0, 0, k * stepM, 0, 1, 0, 0, 0, 0, 1, 0]),
  }));
  const mesh = { positions: new Float32Array(0), normals: new Float32Array(0), indices: new Uint32Array(0) };
  const way = isTracked ? { unshown: 0, loops: 0, seamM: null } : undefined;
  const counts = { unplaced: 0, loops: 0, movedM: 0, offM: 0, heldFrames: 0, changedFrames: 0 };
  return { mesh, poses, way, ...counts, isFull: false, error: undefined } as unknown as Scan;
}

test.each([
  ["a camera that stood", scanOf(12, 0), true],
  ["a camera that moved by 3 mm", scanOf(12, 0.003 / 11), false],
  ["a few frames", scanOf(9, 0), false],
  ["poses of the recording's own", scanOf(12, 0, false), false],
])("of %s one view is said to be all, or not", (_, scan, isOne) => {
  expect(linesOf(scan, "a.ply", undefined).some((line) => /in all 12 frames, so this is one view/.test(line))).toBe(
    isOne,
  );
  expect(numbersOf(scan, undefined)).toMatchObject({ isOneView: isOne });
});

test("frames that a folder of views had no room for are told", () => {
  const lines = (left: number) => linesOf(scanOf(12, 0.1), "views", { count: 1000, left, colourless: left });
  expect(lines(0)[0]).toContain("; 1000 views");
  expect(lines(7)[0]).toBe("warning: 7 frames from other places became no views: a folder holds 1000 of one lens");
  expect(lines(7)[1]).toBe("warning: 7 frames without colour became no views");
});
