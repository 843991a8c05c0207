import { describe, expect, test } from "vitest";
import { arrowStep } from "../../viewer/dom/controls.ts";
import { Keys, spellKey } from "../../viewer/live/control/keys.ts";
import { OverBudget } from "../../viewer/live/source/overBudget.ts";

describe("the viewer's table of keys", () => {
  test("refuses a key that is taken, also under one of several names, and says by whom", () => {
    const keys = new Keys();
    keys.add("Playing", [{ key: " ", says: "Play or pause" }]);
    keys.add("Looking", [{ key: ["+", "="], says: "Nearer" }]);
    keys.add("Playing", [{ key: "i", says: "Begin here" }]);
    expect(() => keys.add("Panes", [{ key: "=", says: "Equal panes" }])).toThrow(/"=".*"Equal panes".*"Nearer"/);
    expect(keys.groups.map(({ title, keys: { length } }) => [title, length])).toEqual([
      ["Playing", 2],
      ["Looking", 1],
    ]);
  });

  test.each([
    [" ", "Space"],
    ["shift+arrowleft", "Shift ←"],
    ["+", "+"],
    ["b", "B"],
    ["pageup", "Page up"],
  ])("writes %j as %s", (name, text) => {
    expect(spellKey(name)).toBe(text);
  });
});

test("an arrow key changes a number by about a hundredth, in round steps, within bounds", () => {
  expect([0.3, 1.5, 4, 9.9, 20, 700].map((value) => arrowStep(value))).toEqual([0.002, 0.01, 0.02, 0.05, 0.2, 5]);
  expect([0.1, 0.3, 1.5, 4, 9.9, 20].map((value) => arrowStep(value, [0.01, 0.05]))).toEqual([
    0.01, 0.01, 0.01, 0.02, 0.05, 0.05,
  ]);
});

describe("frames over the budget", () => {
  test("are the frames that took too long when they were last timed", () => {
    const over = new OverBudget();
    over.reset(10);
    for (const [index, slow] of [
      [3, true],
      [4, false],
      [7, true],
      [3, false],
      [12, true],
      [-1, true],
    ] as const)
      over.record(index, slow);
    expect(over.frames).toEqual([7]);
    over.reset(10);
    expect(over.frames).toEqual([]);
  });

  test("follow each other in both directions, the first after the last", () => {
    const over = new OverBudget();
    over.reset(10);
    expect(over.beside(0, "next")).toBe(undefined);
    for (const index of [2, 5, 9]) over.record(index, true);
    expect([0, 2, 5, 9].map((index) => over.beside(index, "next"))).toEqual([2, 5, 9, 2]);
    expect([9, 5, 2, 0].map((index) => over.beside(index, "before"))).toEqual([5, 2, 9, 9]);
  });

  test("share a mark with neighbours in a long recording, and only the marked frame removes the mark", () => {
    const over = new OverBudget();
    over.reset(1_000_000);
    for (let index = 0; index < 1_000_000; index += 7) over.record(index, true);
    expect(over.frames.length).toBe(2048);
    const [mark = 0] = over.frames;
    const { version } = over;
    over.record(mark - 1, false);
    expect([over.frames[0], over.version]).toEqual([mark, version]);
    over.record(mark, false);
    expect(over.frames).not.toContain(mark);
    expect(over.version).toBeGreaterThan(version);
  });
});
