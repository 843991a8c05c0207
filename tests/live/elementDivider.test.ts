import { expect, test } from "vitest";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { Show } from "../../viewer/element/show.ts";
import { frameOf, INTRINSICS } from "./snapshots.ts";

// The line that <depthloom-view compare> draws between raw and filtered depth.

const rounded = (line: ReturnType<Show["dividerOf"]>) => line?.map((place) => place.map((x) => Number(x.toFixed(3))));

test("the element's divider runs down the column of the compared share, and turns with the view", () => {
  const show = new Show(syntheticRoom({ width: 16, height: 12 }), { onFrame() {}, onEnd() {} });
  const shape = { intrinsics: INTRINSICS };
  show.resize(320, 240);
  show.setCompare(0.25);
  expect(show.dividerOf(shape)).toBeUndefined();
  show.orbit.see(frameOf(() => 2000));
  show.refresh();
  // From the sensor's own place a column of the image is a column of the picture, as high as the picture.
  expect(rounded(show.dividerOf(shape))).toEqual([
    [0.25, 0],
    [0.25, 1],
  ]);
  show.orbit.turn(40, 0);
  show.refresh();
  const [top, bottom] = show.dividerOf(shape) ?? [];
  expect(top?.[0]).toBeCloseTo(bottom?.[0] ?? 0, 6);
  expect(top?.[0]).toBeGreaterThan(0.25);
  show.setCompare(undefined);
  expect(show.dividerOf(shape)).toBeUndefined();
});
