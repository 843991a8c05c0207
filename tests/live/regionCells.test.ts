import { expect, test } from "vitest";
import type { LiveRegion } from "../../measure/live.ts";
import { cannotTell } from "../../measure/reading.ts";
import { cellsOf } from "../../viewer/live/panes/measure/regionNumbers.ts";

test("noise that takes three frames says so, and where the recording has fewer, that it does", () => {
  const reading = { value: 1, plusMinus: 0.1, unit: "mm" } as const;
  const noise = cannotTell("mm", "needs 3 frames: play");
  const region = { valid: reading, distance: reading, noise } as unknown as LiveRegion;
  const told = [undefined, 30, 2, 1].map((frames) => cellsOf(region, undefined, frames).at(-1));
  expect(told).toEqual([
    "needs 3 frames: play",
    "needs 3 frames: play",
    "needs 3 frames, this recording has 2",
    "needs 3 frames, this recording has one",
  ]);
});
