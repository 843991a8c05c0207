import { describe, expect, test } from "vitest";
import { pointAt } from "../../core/geometry.ts";
import { Ruler } from "../../viewer/live/panes/probe/ruler.ts";
import { page } from "./page.ts";
import { frameOf, INTRINSICS, snapshotOf } from "./snapshots.ts";

// The ruler measures between two points of one frame, and disappears with the frame.

describe("the ruler", () => {
  /** A ruler on a page that shows a frame of the depths that `at` gives. */
  function ruling(at: (x: number, y: number) => number) {
    const all = page();
    all.open("a");
    let gone = 0;
    const ruler = new Ruler(all.shown, () => gone++);
    const snapshot = snapshotOf(at, undefined, 7);
    all.show(7, snapshot.frame);
    return { ...all, ruler, snapshot, gone: () => gone };
  }

  test("measures the distance between the points of two pixels", () => {
    const { ruler, snapshot } = ruling(() => 2000);
    ruler.put({ u: 5, v: 10 });
    expect(ruler.measure(snapshot, undefined)).toBeUndefined();
    ruler.put({ u: 25, v: 10 });
    // 20 pixels, each 2 m / 40 wide.
    expect(ruler.measure(snapshot, undefined)?.length.value).toBeCloseTo(1000, 6);
    expect(ruler.measure(snapshot, undefined)?.length.plusMinus).toBeNull();
    expect(ruler.pointsIn(snapshot)[0]).toEqual(pointAt(INTRINSICS, 5, 10, 2));
    ruler.put({ u: 1, v: 1 });
    expect(ruler.ends).toEqual([{ u: 1, v: 1 }]);
  });

  test("measures nothing when one end has no depth", () => {
    const { ruler, snapshot } = ruling((x) => (x === 25 ? 0 : 2000));
    for (const u of [5, 25]) ruler.put({ u, v: 10 });
    expect(ruler.measure(snapshot, undefined)).toBeUndefined();
  });

  test("does not measure an older frame whose depth was the last to be read", () => {
    const { ruler, snapshot, show } = ruling(() => 2000);
    show(
      8,
      frameOf(() => 3000, 8),
    );
    for (const u of [5, 25]) ruler.put({ u, v: 10 });
    expect(ruler.measure(snapshot, undefined)).toBeUndefined();
    expect(
      ruler.measure(
        snapshotOf(() => 3000, undefined, 8),
        undefined,
      )?.length.value,
    ).toBeCloseTo(1500, 6);
  });
});
