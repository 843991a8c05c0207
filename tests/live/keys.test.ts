import { describe, expect, onTestFinished, test, vi } from "vitest";
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

  test("lets a browser that fills in a field send events without a key", () => {
    vi.stubGlobal("document", { querySelector: () => null });
    vi.stubGlobal("HTMLElement", class {});
    onTestFinished(() => void vi.unstubAllGlobals());
    const pressed: string[] = [];
    const [keys, page] = [new Keys(), new EventTarget()];
    keys.add("Playing", [{ key: "i", says: "Begin here", does: () => pressed.push("i") }]);
    keys.listen(page as Window);
    const faults: unknown[] = [];
    const fails = (fault: unknown) => faults.push(fault);
    process.on("uncaughtException", fails);
    onTestFinished(() => void process.off("uncaughtException", fails));
    for (const type of ["keydown", "keyup"]) page.dispatchEvent(new Event(type));
    page.dispatchEvent(Object.assign(new Event("keydown"), { key: "I" }));
    expect([pressed, faults]).toEqual([["i"], []]);
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

test("frames over the budget are the frames that took too long when they were last timed", () => {
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
  expect([over.frames, over.areMost]).toEqual([[7], false]);
  // On a slow machine most are, so that a mark would say nothing.
  over.record(4, true);
  expect([over.frames, over.areMost]).toEqual([[], true]);
  over.reset(10);
  expect(over.frames).toEqual([]);
});
