import { expect, test } from "vitest";
import { freeY } from "../../viewer/live/panes/probe/marks.ts";

test("labels of things that stand side by side do not lie over each other, and stay below the picture's top", () => {
  for (const top of [100, 5, 20]) {
    const taken: { x: number; y: number; half: number }[] = [];
    for (const x of [50, 60, 58, 300]) taken.push({ x, half: 17, y: freeY({ x, y: top, half: 17 }, taken) });
    for (const [k, a] of taken.entries())
      for (const b of taken.slice(k + 1))
        expect(Math.abs(a.x - b.x) >= 34 || Math.abs(a.y - b.y) >= 14, `${a.y} and ${b.y}`).toBe(true);
    expect(Math.min(...taken.map(({ y }) => y))).toBeGreaterThanOrEqual(12);
    // What stands alone stays in its place.
    expect(taken[3].y).toBe(Math.max(12, top));
  }
});
