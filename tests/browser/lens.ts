import { expect, test } from "vitest";
import type { AppPage } from "./appPage.ts";

/** Places of the window on the column and on the wall that no panel, table or message covers. */
export const [COLUMN, WALL] = [[0.36, 0.35] as const, [0.92, 0.5] as const];

/** The circle of confusion of each place, in colours. */
export function blurTests(opened: { readonly it: AppPage }): void {
  test("the circle of confusion is shown in colours, with a scale that explains them", async () => {
    const { it } = opened;
    await it.pause();
    await it.type("Focus", 1);
    await it.choose("Blur");
    const scale = it.page.getByRole("region", { name: "What the colours mean" });
    await expect
      .poll(() => scale.textContent())
      .toMatch(/^Blur \(circle of confusion\)2\.1 px nearersharp2\.1 px farther/);
    const warmth = async ([x, y]: readonly [number, number]) => {
      await it.settled();
      const [red, , blue] = await it.color(x, y);
      return red - blue;
    };
    expect(await warmth(WALL)).toBeLessThan(-40);
    expect(Math.abs(await warmth(COLUMN))).toBeLessThan(25);
    await it.keep("blur");
    await it.type("Focus", 3);
    expect(await warmth(COLUMN)).toBeGreaterThan(40);
    expect(Math.abs(await warmth(WALL))).toBeLessThan(25);
    await it.choose("Points");
    await it.type("Point size", 6);
    expect(await warmth(COLUMN)).toBeGreaterThan(40);
    await it.type("Point size", 1);
    await it.choose("Picture");
    await it.choose("Depth");
    await expect.poll(() => scale.textContent()).toBe("Distance1000 mm1730 mm3000 mm");
    await it.choose("Camera");
    await expect.poll(() => scale.count()).toBe(0);
  });
}
