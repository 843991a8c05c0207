import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { chooseStages } from "../run/replay/settings.ts";
import { ParameterError } from "../stages/core/parameters.ts";
import { PRESETS, type Preset } from "../stages/core/presets.ts";
import { defaultNames, registry, takePreset } from "../stages/registry.ts";

// Each preset sets the stages that know it, and the default sets them back.

const all = () => [...registry.values()].map((create) => create());
const names = Object.keys(PRESETS) as Preset[];
const parametersOf = (stages: ReturnType<typeof all>) =>
  Object.fromEntries(stages.map(({ name, parameters }) => [name, { ...parameters }]));

describe("a preset:", () => {
  test.each(names)("%s sets the stages that know it, whatever was set before, and default sets them back", (preset) => {
    const stages = all();
    const before = parametersOf(stages);
    stages.find(({ name }) => name === "median")?.set({ size: 5 });
    takePreset(stages, preset, new Set());
    const expected = Object.fromEntries(
      [...registry].map(([name, { presets }]) => [name, { ...before[name], ...presets[preset] }]),
    );
    expect(parametersOf(stages)).toEqual(expected);
    takePreset(stages, "default", new Set());
    expect(parametersOf(stages)).toEqual(before);
  });

  test("realsense runs the wanted filters, raw runs none, and strong changes a stage's revision once", () => {
    const stages = all();
    const wanted = new Set(defaultNames());
    const filters = [...wanted].filter((name) => registry.get(name)?.role === "filter");
    expect([...takePreset(stages, "realsense", wanted)]).toEqual(filters);
    expect([...takePreset(stages, "raw", wanted)]).toEqual([]);
    const grid = stages.find(({ name }) => name === "bilateralGrid");
    const before = grid?.revision ?? 0;
    grid?.reset("strong");
    expect(grid?.revision).toBe(before + 1);
    grid?.reset("strong");
    expect(grid?.revision).toBe(before + 1);
  });
});

test("a stage refuses an unknown preset or parameter and lists those that exist", () => {
  const [stage] = all().filter(({ name }) => name === "median");
  expect(() => stage?.reset("kinect" as Preset)).toThrow('there is no preset "kinect"; there are default, raw, strong');
  expect(() => stage?.reset("default", "sise")).toThrow("median has no parameter sise; it has size");
  expect(() => stage?.defaultOf("sise")).toThrow(ParameterError);
});

test("on the command line, --set wins over a preset", () => {
  const { stages } = chooseStages(undefined, undefined, ["bilateralGrid.sigmaDepthMm=9"], "strong");
  expect(stages.find(({ name }) => name === "bilateralGrid")?.parameters).toMatchObject({
    sigmaSpacePx: 16,
    sigmaDepthMm: 9,
  });
});

test("docs/presets.md has a row for each preset, with the values that it sets", () => {
  const page = readFileSync(new URL("../docs/presets.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `([\w-]+)` \|[^|]*\| (.*) \|$/gm)].map(([, name, sets]) => [name, sets]);
  const valuesOf = (preset: Preset) =>
    [...registry].flatMap(([name, { presets }]) =>
      Object.entries(presets[preset] ?? {}).map(([key, value]) => `\`${name}.${key}=${value}\``),
    );
  const SAID: Partial<Record<Preset, string>> = { default: "nothing", raw: "no filter runs" };
  expect(rows).toEqual(names.map((name) => [name, SAID[name] ?? valuesOf(name).join(", ")]));
});
