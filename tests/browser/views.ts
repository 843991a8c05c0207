import { expect, test } from "vitest";
import { type AppPage, unfold } from "./appPage.ts";

type Rgb = readonly [red: number, green: number, blue: number];

const isNear = (rgb: Rgb, expected: Rgb) => rgb.every((value, c) => Math.abs(value - (expected[c] ?? 0)) < 10);

/** The colours of the column, 1 m away, right of its middle, and of the wall, 3 m away, in each mode. No two modes give the same. */
const COLORS: readonly (readonly [by: string, column: (rgb: Rgb) => boolean, wall: (rgb: Rgb) => boolean])[] = [
  // Near is red, far is blue.
  ["Depth", ([r, g, b]) => r > 120 && g < 50 && b < 50, ([r, , b]) => b > r + 30],
  // A surface that faces the sensor is (128, 128, 255); this side of the column is turned to the right.
  ["Normals", ([r, g, b]) => r > 140 && Math.abs(g - 128) < 10 && b > 210, (rgb) => isNear(rgb, [128, 128, 255])],
  // Grey is what the filters leave unchanged. A curved surface changes a little.
  ["Difference", ([r, g, b]) => g > 190 && b > 190 && r >= g, (rgb) => isNear(rgb, [237, 237, 237])],
  // The camera's colours in a light from the left: the first place lies in the shade, and the wall is less bright than its colour.
  ["Lit", ([r, g, b]) => r < 140 && r > b + 50 && g > 40, ([r, g, b]) => r > 50 && b > g && b < 105],
  // The camera's own colours: orange, and a bluish grey.
  ["Camera", ([r, g, b]) => r > 150 && g > 80 && b < 60, ([r, g, b]) => r > 80 && b > g && b > 100],
];

/** Places of column and wall that neither the scale of the colours nor the latency table covers. */
const [COLUMN, WALL] = [
  [0.35, 0.3],
  [0.9, 0.4],
] as const;

/** A square of this many pixels covers as much of the background's light tiles as of its dark ones. */
const TILES = 44;

/** Tests of each view and each choice of colour, on a page that shows the tiny recording from its sensor's place. */
export function viewTests(opened: { readonly it: AppPage }): void {
  test("draws points and picture in each choice of colours", async () => {
    const { it } = opened;
    await it.pause();
    // At the first frame the filters remember nothing: the moving column passes for a camera that moves.
    await it.page.keyboard.press("Home");
    for (const view of ["Points", "Picture"]) {
      await it.choose(view);
      for (const [by, column, wall] of COLORS) {
        await it.choose(by);
        await it.settled();
        expect(await it.color(...COLUMN, TILES), `${view}, ${by}, column`).toSatisfy(column);
        expect(await it.color(...WALL, TILES), `${view}, ${by}, wall`).toSatisfy(wall);
      }
      await it.keep(view.toLowerCase());
    }
  });

  test("the difference fills the picture, and the divider comes back with other colours", async () => {
    const { it } = opened;
    const { page } = it;
    const divider = page.getByRole("slider", { name: /^Raw up to here/ });
    const own = page.getByRole("switch", { name: "Compare raw | filtered" });
    await it.choose("Camera");
    await divider.waitFor();
    await it.choose("Difference");
    await divider.waitFor({ state: "hidden" });
    expect(await own.count()).toBe(0);
    // The key would change what nobody sees now.
    await page.keyboard.press("v");
    await it.choose("Camera");
    await divider.waitFor();
    await unfold(page.getByRole("switch", { name: "Compare raw | filtered", includeHidden: true }));
    expect(await own.isChecked()).toBe(true);
  });
}
