import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { definePane, type PaneEntry } from "../../viewer/live/panes/pane.ts";
import { gatherFields, openField, PANES, paneFields } from "../../viewer/live/panes/registry.ts";
import { onOff } from "../../viewer/live/state/field.ts";
import { createStore } from "../../viewer/live/state/settings.ts";

// What the page derives from the panes' entries: their settings, their place, and the depth that is read back for them.

const made = (name: string, fields: PaneEntry["fields"]) =>
  definePane({
    ...{ name, label: name, summary: "", place: "below", order: 0, fields },
    needs: () => "nothing",
    create: () => ({ content: [] }),
  });

describe("the registry of panes", () => {
  test("has the panes in the order of their entries", () => {
    const orders = PANES.map(({ order }) => order);
    expect(orders).toEqual(orders.toSorted((a, b) => a - b));
    expect(PANES[0]?.name).toBe("depth");
  });

  test("gives each pane a setting that opens it, under the pane's label, and the pane's own settings", () => {
    for (const { name, label, fields } of PANES) {
      expect(paneFields[openField(name)]).toMatchObject({ kind: "toggle", label, initial: false });
      expect(paneFields).toMatchObject(fields);
    }
    expect(gatherFields([made("map", {})]).paneMap?.initial).toBe(false);
  });

  test("offers the 3D picture and the images beside it, but no plot, as the large pane", () => {
    const { names, choices } = paneFields.paneLarge;
    expect(names).toMatchObject({ scene: "3D picture", depth: "Depth image", color: "Colour image" });
    const beside = PANES.filter(({ place }) => place === "beside").map(({ name }) => name);
    expect([choices, beside]).toEqual([["scene", ...beside], expect.arrayContaining(["depth", "color"])]);
    expect(choices).not.toContain("numbers");
  });

  test("has no key that another pane or part of the page has, with which the page would not start", () => {
    const page = fileURLToPath(new URL("../../viewer/live/", import.meta.url));
    const files = readdirSync(page, { encoding: "utf8", recursive: true }).filter((path) => path.endsWith(".ts"));
    // The parts of the page make their tables of keys when it starts; here they are read as text.
    const keys = files.flatMap((path) =>
      [...readFileSync(page + path, "utf8").matchAll(/\bkey: (?:("[^"]+")|\[([^\]]+)\])/g)]
        .flatMap(([, one, several = ""]) => one ?? several.split(", "))
        .map((key) => ({ key, path })),
    );
    const known = keys.map(({ key }) => key);
    expect(known).toEqual(expect.arrayContaining(PANES.flatMap(({ key }) => (key ? JSON.stringify(key) : []))));
    expect(keys.filter(({ key }) => known.indexOf(key) !== known.lastIndexOf(key))).toEqual([]);
  });

  test("refuses a setting that two panes have", () => {
    const fields = { shared: onOff("Shared", false, "A setting") };
    expect(() => gatherFields([made("one", fields), made("two", fields)])).toThrow(/"two" has a setting shared/);
    expect(() => gatherFields([made("large", {})])).toThrow(/"large" has a setting paneLarge/);
  });
});

test("filtered depth is read back only for the panes that show it", () => {
  const store = createStore("cpu");
  const needs = () => Object.fromEntries(PANES.map(({ name, needs }) => [name, needs(store.now)]));
  expect(needs()).toMatchObject({ depth: "depth", color: "source", numbers: "nothing" });
  store.update({ depthShown: "raw", numbers: "valid, raw;stages" });
  expect(needs()).toMatchObject({ depth: "source", numbers: "source" });
});
