import { expect, test } from "vitest";
import { type AppPage, difference, POLL } from "./appPage.ts";

/** The effect of the lens on the picture of the tiny recording: a column 1 m away on the left, a wall 3 m away. */
export function lensTests(opened: { readonly it: AppPage }): void {
  test("the panel gives the lens's sharp range and field of view, for each aperture and sensor", async () => {
    const { it } = opened;
    const { page } = it;
    await it.pause();
    await it.choose("Camera");
    const sharp = page.getByText(/^Sharp from/);
    await it.type("Focus", 2);
    // 85 mm f/1.8: a pupil of 47.2 mm. The picture's diagonal is 1.52 as a tangent; 1/1500 of it is 0.0215 dioptres.
    await expect.poll(() => sharp.textContent(), POLL).toBe("Sharp from 1.92 m to 2.09 m");
    const open = await it.still();
    await it.type("Aperture", 16);
    await expect.poll(() => sharp.textContent(), POLL).toBe("Sharp from 1.45 m to 3.24 m");
    expect(difference(open, await it.still())).toBeGreaterThan(0.05);
    const seen = page.getByText(/this lens/i);
    await expect.poll(() => seen.textContent(), POLL).toMatch(/would see 24°.×.16°.*keeps.*63°.×.49°/);
    const wide = await it.still();
    await it.choose("Lens");
    expect(difference(wide, await it.still())).toBeGreaterThan(0.1);
    await expect.poll(() => seen.textContent(), POLL).toMatch(/shows what this lens sees: 24°.×.16°/);
    await it.keep("lens");
    // The same vertical view on a smaller sensor takes a shorter lens, which blurs less.
    await page.getByLabel("Sensor", { exact: true }).selectOption("phone");
    await expect.poll(() => it.field("Focal length").inputValue(), POLL).toBe("25.9");
    await expect.poll(() => sharp.textContent(), POLL).toBe("Sharp from 1.44 m to 3.27 m");
  });

  test("blur takes the shape of the aperture's blades", async () => {
    const { it } = opened;
    const { page } = it;
    await it.pause();
    await it.type("Focus", 0.6);
    await it.type("Aperture", 0.7);
    await expect.poll(() => it.focus(), POLL).toBeCloseTo(0.6, 2);
    const [open, blades] = [await it.still(), page.getByLabel("Blades", { exact: true })];
    await blades.selectOption("5");
    expect(difference(open, await it.still())).toBeGreaterThan(0.005);
    await it.keep("blades");
    await blades.selectOption("Round");
    expect(difference(open, await it.still())).toBeLessThan(0.002);
  });
}

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
      .poll(() => scale.textContent(), POLL)
      .toMatch(/^Blur \(circle of confusion\)3 px nearersharp3 px farther/);
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
    await expect.poll(() => scale.textContent(), POLL).toBe("Distance1.00 m1.73 m3.00 m");
    await it.choose("Camera");
    await expect.poll(() => scale.count(), POLL).toBe(0);
  });
}
