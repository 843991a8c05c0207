import { describe, expect, test } from "vitest";
import { spellMm } from "../../viewer/live/panes/format.ts";
import { pointAt } from "../../viewer/live/panes/probe/projection.ts";
import { spellLength } from "../../viewer/live/panes/probe/readout.ts";
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
    expect(ruler.measure(snapshot, undefined)?.distanceM).toBeCloseTo(1, 9);
    expect(ruler.measure(snapshot, undefined)?.errorM).toBeNaN();
    expect(ruler.pointsIn(snapshot)[0]).toEqual(pointAt(INTRINSICS, { u: 5, v: 10 }, 2));
    ruler.put({ u: 1, v: 1 });
    expect(ruler.ends).toEqual([{ u: 1, v: 1 }]);
  });

  test("measures nothing when one end has no depth", () => {
    const { ruler, snapshot } = ruling((x) => (x === 25 ? 0 : 2000));
    for (const u of [5, 25]) ruler.put({ u, v: 10 });
    expect(ruler.measure(snapshot, undefined)).toBeUndefined();
  });

  test("loses its ends when another frame or source is shown", () => {
    for (const go of ["frame", "source"] as const) {
      const { ruler, show, open, gone } = ruling(() => 2000);
      for (const u of [5, 25]) ruler.put({ u, v: 10 });
      if (go === "frame")
        show(
          8,
          frameOf(() => 3000, 8),
        );
      else open("b");
      expect([ruler.ends, gone()]).toEqual([[], 1]);
    }
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
      )?.distanceM,
    ).toBeCloseTo(1.5, 9);
  });

  test("stays when a filter is set, and measures the new depth of the same two pixels", () => {
    const { ruler, snapshot, filter, again } = ruling(() => 2000);
    for (const u of [5, 25]) ruler.put({ u, v: 10 });
    filter.set({ size: 5 });
    again();
    const filtered = { ...snapshot, filtered: frameOf(() => 2200).depth };
    expect(ruler.measure(filtered, undefined)?.distanceM).toBeCloseTo(1.1, 9);
  });

  test("gives the error that the sensor's noise causes along its line", () => {
    const noise = { a: 1, b: 2, farM: 4 };
    // Along the optical axis from 1 m (3 mm of noise) to 3 m (19 mm); then across the axis.
    const along = ruling((x) => (x === 16 ? 3000 : 1000));
    for (const u of [15, 16]) along.ruler.put({ u, v: 12 });
    expect(along.ruler.measure(along.snapshot, noise)?.errorM).toBeCloseTo(Math.hypot(0.003, 0.019), 3);
    const across = ruling(() => 1000);
    for (const u of [0, 31]) across.ruler.put({ u, v: 12 });
    const slant = 15.5 / 40;
    expect(across.ruler.measure(across.snapshot, noise)?.errorM).toBeCloseTo(Math.SQRT2 * slant * 0.003, 4);
  });

  test("is written in millimetres", () => {
    const ends = { from: [0, 0, 1], to: [0, 0, 2] } as const;
    expect(spellLength({ ...ends, distanceM: 1.2034, errorM: Number.NaN }, 0.001)).toBe("1203 mm");
    expect(spellLength({ ...ends, distanceM: 1.2034, errorM: 0.0021 }, 0.0002)).toBe("1203.4 ± 2.1 mm");
    expect(spellLength({ ...ends, distanceM: 1.1524, errorM: 0.0121 }, 0.0002)).toBe("1152 ± 12 mm");
    expect([spellMm(-0.0121, 0.001), spellMm(-0.0001, 0.001)]).toEqual(["−12", "0"]);
  });
});
