import { expect, test } from "vitest";
import { csvText } from "../../core/csv.ts";
import { measure } from "../../measure/measure.ts";
import { measuredLines } from "../../measure/measuredPage.ts";
import type { PlaneReading } from "../../measure/planeReading.ts";
import { cannotTell, reading, spellReading, underAssumption } from "../../measure/reading.ts";
import { documentOf, rowsOf } from "../../measure/report.ts";
import { OTHER_TOP } from "../../measure/thing.ts";
import { inPage, planeText, sidesText, toldChange } from "../../measure/words.ts";
import { cameraAt, floor, framesOf } from "./world.ts";

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

test("readings of a frame whose lens or unit is a guess say so, and what the guess does not touch does not", () => {
  const assumed = ["lens", "unit", "rate"] as const;
  const found = underAssumption(
    { length: mm(90), turned: [reading(3, 1, "deg"), hidden], share: reading(1, 1, "1") },
    assumed,
  );
  expect(spellReading(found.length)).toBe("90.0 ± 2.0 mm (if the assumed lens and unit are right)");
  expect(found.turned.map(({ why }) => why)).toEqual(["if the assumed lens is right", "part of the top is hidden"]);
  expect(found.share.why).toBeUndefined();
  const seen = framesOf([floor], cameraAt([0, 0, 0], 1.5, 0.5, 0)).map((frame) => ({
    ...frame,
    assumed: ["lens"] as const,
  }));
  const regions = [{ x: 100, y: 100, width: 60, height: 60 }];
  const measured = measure(seen, { floor: "auto", regions });
  const guess = "if the assumed lens is right";
  expect(planeText(measured.floor as PlaneReading)).toMatch(new RegExp(`mm \\(rms\\), ${guess}$`));
  expect(documentOf("a", measured)).toMatchObject({ floor: { why: guess }, regions: [{ plane: { why: guess } }] });
  expect(rowsOf(measured).join("\n").split(guess)).toHaveLength(4);
  // The distance along the camera's axis needs no lens, and a tape tells the unit.
  expect(measured.regions[0]?.distance.why).toBeUndefined();
  const [frame] = seen;
  const scaled = measure([{ ...frame, assumed: ["unit"] }], { floorMm: 1.02 * (measured.floor?.distance.value ?? 0) });
  expect([scaled.floor?.distance.why, scaled.scale === 1]).toEqual([undefined, false]);
});

test("who clicks is told to click, not to name a pixel", () => {
  for (const text of [
    OTHER_TOP,
    "no floor was found: name a pixel of it, or show more of it",
    "pixel 3,4 sees the floor: …",
  ])
    expect(inPage(text)).not.toMatch(/pixel \d|name a pixel/);
});

test("a change within its ± is none, and a larger one says in which direction it is", () => {
  const change = (value: number) => toldChange({ value, plusMinus: 90, unit: "l" });
  expect([change(-2), change(-120), change(120)]).toEqual([
    "none seen (2 ± 90 l)",
    "120 ± 90 l taken away",
    "120 ± 90 l added",
  ]);
  expect(toldChange({ value: 0, plusMinus: null, unit: "l", why: "nothing has changed" })).toBe("nothing has changed");
});

test("an area is told in cm² below 1 m², with as many digits as its ± allows", () => {
  const area = (value: number, plusMinus: number) => spellReading({ value, plusMinus, unit: "m²" });
  expect([area(0.00719, 0.00019), area(0.999, 0.02), area(1.25, 0.02), area(1.2345, 0.0002)]).toEqual([
    "71.9 ± 1.9 cm²",
    "9990 ± 200 cm²",
    "1.250 ± 0.020 m²",
    "1.23450 ± 0.00020 m²",
  ]);
});

test("a table for a spreadsheet has each number by itself, with its quantity and the words that it stands in", () => {
  const numbers = [
    ["=1+1", "distance", "1150.7 ± 2.4 mm"],
    ["=1+1", "turned up–down", "−25.17 ± 0.87°"],
    ["=1+1", "noise", "needs 3 frames: play"],
    ["=1+1", "true distance, mm", "1150"],
    ["Box 1", "height", "345.4 ± 3.5 mm (above 20 mm: doubtful)"],
    ["Box 1", "length", "cannot tell: the top leans by 20°"],
    ["exposure", "exposure", "120 µs"],
  ] as const;
  const [, ...lines] = measuredLines({ tables: [{ title: "Some", lines: [], numbers }] });
  expect(lines).toEqual([
    ["Some", "=1+1", "distance", 1150.7, 2.4, "mm", "1150.7 ± 2.4 mm"],
    ["Some", "=1+1", "turned up–down", -25.17, 0.87, "°", "-25.17 ± 0.87°"],
    ["Some", "=1+1", "noise", "", "", "", "needs 3 frames: play"],
    ["Some", "=1+1", "true distance, mm", 1150, "", "mm", "1150"],
    ["Some", "Box 1", "height", 345.4, 3.5, "mm", "345.4 ± 3.5 mm (above 20 mm: doubtful)"],
    ["Some", "Box 1", "length", "", "", "", "cannot tell: the top leans by 20°"],
    ["Some", "exposure", "exposure", 120, "", "µs", "120 µs"],
  ]);
  expect(csvText(lines)).toContain("Some,'=1+1,turned up–down,-25.17,0.87,°,'-25.17 ± 0.87°\r\n");
});
