import { describe, expect, test } from "vitest";
import { paint } from "../../stages/index.ts";
import { amount, type Field, oneOf, onOff } from "../../viewer/live/state/field.ts";
import { createStore, viewSchema } from "../../viewer/live/state/settings.ts";
import { Store } from "../../viewer/live/state/store.ts";
import { COLOURS, type ColourMode } from "../../viewer/live/view/colours.ts";

// One store holds all settings of the viewer and announces every change; one table describes the settings.

const fields = Object.entries(viewSchema) as [keyof typeof viewSchema, Field][];

/** A value other than the default. */
function another({ kind, initial, expects, choices = [], min = 0, max = 1 }: Field) {
  if (kind === "text") return expects.includes("name:") ? "a wall:1,2,30,4;b:5,6,7,8,1200.5" : "1,2;30,4";
  if (kind === "toggle") return !initial;
  if (kind === "choice") return choices.find((choice) => choice !== initial);
  return initial === min ? max : min;
}

describe("the table of fields", () => {
  test.each(fields)("%s has a label, a sentence that explains it, and a valid default", (_, field) => {
    expect(field.label).toMatch(/^\S/);
    expect(field.summary).toMatch(/^[A-Z0-9]/);
    expect(field.parse(field.initial)).toBe(field.initial);
    expect(field.parse(String(field.initial)), "as an address has it").toBe(field.initial);
  });

  test.each(fields)("%s states its valid values, and takes no others", (_, field) => {
    expect(field.expects).toMatch(/^(a|one of|true) /);
    // A region may have any name, so any name may be that of a number.
    const odd = field.expects.includes("names of numbers") ? `one;${"x".repeat(81)}` : "no such choice";
    for (const wrong of [undefined, null, {}, [], Number.NaN, "", odd]) {
      expect(field.parse(wrong), String(wrong)).toBeUndefined();
    }
    expect(field.parse(another(field))).toBe(another(field));
  });

  test("has a name for every choice of a field", () => {
    for (const [name, { kind, choices = [], names = {} }] of fields) {
      if (kind === "choice") expect(Object.keys(names).sort(), name).toEqual(choices.map(String).sort());
    }
  });
});

test("every colour mode is a choice of the page and a value that `paint` takes", () => {
  const modes = Object.entries<ColourMode>(COLOURS);
  expect(viewSchema.color.choices).toEqual(modes.map(([name]) => name));
  for (const [name, { label, says, paint: by, byLens }] of modes) {
    expect([viewSchema.color.names?.[name], viewSchema.color.summary]).toEqual([
      label,
      expect.stringContaining(`${label}: ${says}`),
    ]);
    if (by) expect(paint().schema.by.parse(by)).toBe(by);
    else expect(byLens || name === "camera", `${name} colours nothing`).toBe(true);
  }
});

describe("the store", () => {
  const two = () => new Store({ view: "picture", floor: false, size: 1 });

  test.each(fields)(
    "a change of %s reaches every part that named the field, once, and no other part",
    (name, field) => {
      const store = createStore("hardware");
      const others = fields.map(([other]) => other).filter((other) => other !== name);
      const heard: unknown[] = [];
      const [one, both] = [store.part(name), store.part(name, ...others.slice(0, 1))];
      one.changes$.subscribe((changed) => heard.push(["one", changed.has(name), one.now[name]]));
      both.changes$.subscribe((changed) => heard.push(["both", changed.has(name), both.now[name]]));
      store.part(...others).changes$.subscribe(() => heard.push("a part that did not name it"));
      store.update({ [name]: another({ ...field, initial: store.now[name] }) });
      const expected = another({ ...field, initial: store.initial[name] });
      expect(heard).toEqual([
        ["one", true, expected],
        ["both", true, expected],
      ]);
    },
  );

  test("names a field whose changes no part hears; a control alone does not count", () => {
    const store = two();
    store.part("view").changes$.subscribe(() => {});
    store.control("floor").changes$.subscribe(() => {});
    store.part("size");
    expect(() => store.expectAllHeard()).toThrow(/no part of the page hears of a change of floor, size$/);
    store.part("floor", "size").changes$.subscribe(() => {});
    expect(() => store.expectAllHeard()).not.toThrow();
  });

  test("tells once, after a batch, of the fields that differ in the end, also when the batch throws", () => {
    const store = two();
    const told: unknown[] = [];
    store.part("view", "floor", "size").changes$.subscribe((changed) => {
      told.push([["view", "floor", "size"].filter((name) => changed.has(name as "view")), store.now]);
    });
    store.batch(() => {
      store.update({ view: "points", size: 2 });
      store.batch(() => store.reset());
      store.update({ size: 3 });
      expect(told).toEqual([]);
    });
    expect(told).toEqual([[["size"], { view: "picture", floor: false, size: 3 }]]);
    const failing = () =>
      store.batch(() => {
        store.update({ floor: true });
        throw new Error("in the middle");
      });
    expect(failing).toThrow("in the middle");
    expect(told.at(-1)).toEqual([["floor"], { view: "picture", floor: true, size: 3 }]);
  });
});

test("oneOf, onOff and amount make a field of a label, a default and its valid values", () => {
  const size = oneOf("Size", 3, { 3: "Small", 5: "Large" }, "How large it is");
  expect(size).toMatchObject({ label: "Size", initial: 3, choices: [3, 5], expects: "one of 3, 5" });
  expect(onOff("On", true, "Whether it runs")).toMatchObject({ label: "On", initial: true, kind: "toggle" });
  expect(amount("Share", 1, { min: 0, max: 2 }, "How much")).toMatchObject({ label: "Share", max: 2 });
});
