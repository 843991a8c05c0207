import { expect, test } from "vitest";
import { cannotTell, reading } from "../../measure/reading.ts";
import { OTHER_TOP } from "../../measure/thing.ts";
import { inPage, sidesText } from "../../viewer/live/panes/measure/boxText.ts";

const hidden = cannotTell("mm", "part of the top is hidden");
const mm = (value: number, why?: string) => reading(value, 1, "mm", why);

test("of a box whose sides are told in part, each side is named, and a shared reason is said once", () => {
  expect(sidesText({ length: hidden, width: hidden, height: mm(80) })).toBe(
    "height 80.0 ± 2.0 mm; length and width cannot be told: part of the top is hidden",
  );
  expect(sidesText({ length: hidden, width: hidden, height: hidden })).toBe(
    "length, width and height cannot be told: part of the top is hidden",
  );
  expect(sidesText({ length: hidden, width: mm(50), height: cannotTell("mm", "no floor") })).toBe(
    "width 50.0 ± 2.0 mm; length cannot be told: part of the top is hidden; height cannot be told: no floor",
  );
});

test("the sides of a box that is told whole are multiplied, and doubt of all of them stands behind", () => {
  expect(sidesText({ length: mm(90), width: mm(50), height: mm(80) })).toBe(
    "90.0 ± 2.0 mm × 50.0 ± 2.0 mm × 80.0 ± 2.0 mm",
  );
  const round = "the thing has no flat top";
  expect(sidesText({ length: mm(90, round), width: mm(50, round), height: mm(80, round) })).toBe(
    "90.0 ± 2.0 mm × 50.0 ± 2.0 mm × 80.0 ± 2.0 mm (the thing has no flat top)",
  );
});

test("who clicks is told to click, not to name a pixel", () => {
  for (const text of [
    OTHER_TOP,
    "no floor was found: name a pixel of it, or show more of it",
    "pixel 3,4 sees the floor: …",
  ])
    expect(inPage(text)).not.toMatch(/pixel \d|name a pixel/);
});
