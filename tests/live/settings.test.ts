import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPipeline, type Pipeline } from "../../pipeline/index.ts";
import type { Parameter } from "../../stages/core/parameters.ts";
import { registry } from "../../stages/registry.ts";
import { addressWith, valuesIn } from "../../viewer/live/state/address.ts";
import {
  changedValues,
  isSwitched,
  resetAll,
  resetFilters,
  type SettingsTarget,
  type Viewpoint,
} from "../../viewer/live/state/changedValues.ts";
import { createStore, viewSchema } from "../../viewer/live/state/settings.ts";
import { applySettingsFile, settingsFileOf } from "../../viewer/live/state/settingsFile.ts";
import { setValues } from "../../viewer/live/state/setValues.ts";

// The viewer's settings go into an address and into a settings file, and come back unchanged: every parameter of every
// stage, order, switches and the view. A bad setting is named, and the good ones are taken.

const every = () => [...registry.values()].map((create) => create());
const targets: SettingsTarget[] = [];
const pipelines: Pipeline[] = [];

beforeAll(async () => {
  for (let i = 0; i < 2; i++) {
    const pipeline = await createPipeline({ stages: every(), backend: "cpu" });
    pipelines.push(pipeline);
    targets.push({ pipeline, settings: createStore("cpu") });
  }
});
afterAll(async () => {
  for (const pipeline of pipelines) await pipeline.destroy();
});

/** Two viewers with default settings. */
function two(): [one: SettingsTarget, other: SettingsTarget] {
  for (const target of targets) resetAll(target);
  return [targets[0], targets[1]];
}

const toAddress = (target: SettingsTarget, viewpoint: Viewpoint = {}) => addressWith(changedValues(target, viewpoint));

function takeAddress(text: string, target: SettingsTarget) {
  const { fields, complaints } = valuesIn(text);
  const taken = setValues(fields, target);
  return { viewpoint: taken.viewpoint, complaints: [...complaints, ...taken.complaints] };
}

/** Every setting of a viewer. */
const stateOf = ({ pipeline, settings }: SettingsTarget) => ({
  settings: settings.now,
  stages: pipeline.stages.map(({ name, parameters }) => ({ name, on: pipeline.isEnabled(name), ...parameters })),
});

function legalValue({ kind, min = 0, max = 1, step, choices = [] }: Parameter) {
  if (kind === "toggle") return fc.boolean();
  if (kind === "choice") return fc.constantFrom(...choices);
  if (step === undefined) return fc.double({ min, max, noNaN: true });
  return fc.integer({ min: Math.ceil(min / step), max: Math.floor(max / step) }).map((notches) => notches * step);
}

/** Random values for some of a schema's parameters, except those that the view sets. */
function someOf(schema: Readonly<Record<string, Parameter>>) {
  const own = Object.entries(schema).filter(([, { fromView }]) => !fromView);
  return fc.record(Object.fromEntries(own.map(([name, parameter]) => [name, legalValue(parameter)])), {
    requiredKeys: [],
  });
}

const made = every();
const filters = made.filter(({ role }) => role === "filter").map(({ name }) => name);
const anything = fc.record({
  view: someOf(viewSchema),
  order: fc.shuffledSubarray(filters, { minLength: filters.length }),
  on: fc.subarray(made.filter(isSwitched).map(({ name }) => name)),
  stages: fc.record(Object.fromEntries(made.map(({ name, schema }) => [name, someOf(schema)]))),
});

/** Gives a viewer those settings, the view's first. */
function set(
  { pipeline, settings }: SettingsTarget,
  { view, order, on, stages }: typeof anything extends fc.Arbitrary<infer T> ? T : never,
) {
  setValues(Object.entries(view), { pipeline, settings });
  for (const stage of pipeline.stages) {
    stage.set(stages[stage.name] ?? {});
    if (isSwitched(stage)) pipeline.configure(stage.name, { enabled: on.includes(stage.name) });
  }
  pipeline.order(order);
}

describe("an address", () => {
  test("is empty while every setting has its default", () => {
    expect(toAddress(two()[0])).toBe("");
  });

  test("holds every parameter of every stage", () => {
    const property = fc.property(anything, (state) => {
      const [one, other] = two();
      set(one, state);
      const address = toAddress(one);
      expect(takeAddress(`#${address}`, other).complaints).toEqual([]);
      expect(stateOf(other)).toEqual(stateOf(one));
      expect(toAddress(other)).toBe(address);
    });
    fc.assert(property, { numRuns: 80 });
  });

  test("holds only the settings that differ from their defaults, in the words of the command line", () => {
    const [{ pipeline, settings }, other] = two();
    const target = targets[0];
    settings.update({ view: "points" });
    pipeline.stages.find(({ name }) => name === "median")?.set({ size: 5 });
    pipeline.configure("temporal", { enabled: false });
    pipeline.order(["bilateralGrid", "median"]);
    const viewpoint = { recording: "Büro & 50 %.zip", frame: 12, camera: [0, -0.1, 1, 0.5, 0, 2], focusM: 1.25 };
    const address = toAddress(target, viewpoint);
    expect(address).toBe(
      "recording=B%C3%BCro%20%26%2050%20%25.zip&frame=12&camera=0,-0.1,1,0.5,0,2&focusM=1.25&view=points" +
        `&order=${pipeline.stages.flatMap(({ name, role }) => (role === "filter" ? [name] : [])).join(",")}` +
        "&off=temporal&median.size=5",
    );
    expect(takeAddress(address, other)).toEqual({ viewpoint, complaints: [] });
  });

  test("holds a preset as one word, with the parameters that were changed after it", () => {
    const [one, other] = two();
    setValues([["preset", "strong"]], one);
    one.pipeline.stages.find(({ name }) => name === "bilateralGrid")?.set({ sigmaDepthMm: 9 });
    expect(toAddress(one)).toBe("preset=strong&bilateralGrid.sigmaDepthMm=9");
    // The order of the two in an address does not matter.
    takeAddress("bilateralGrid.sigmaDepthMm=9&preset=strong", other);
    expect(stateOf(other)).toEqual(stateOf(one));
  });

  test.each([
    ["median.size=4", /^median\.size must be one of 3, 5, not "4"/],
    ["median.width=4", /^median has no parameter width; it has size/],
    ["dofSplat.focusM=2", /^the viewer sets dofSplat\.focusM itself, from the view$/],
    ["blur.size=4", /^there is no setting "blur\.size"/],
    ["view=film", /^view must be one of picture, points, not "film"/],
    ["fNumber=NaN", /^fNumber must be a number from 0\.5 to 64, not "NaN"/],
    ["camera=1,2,3", /^camera must be 6 numbers/],
    ["camera=1,2,3,4,5,Infinity", /^camera must be 6 numbers/],
    ["frame=1.5", /^frame must be a whole number/],
    ["order=median,compact", /^order: "compact" is no filter/],
    ["order=median,median", /^order: median is named twice/],
    ["off=paint", /^off: "paint" is no filter/],
    // Without points there is nothing to draw.
    ["off=compact", /^off: "compact" is no filter/],
    ["cpu=blur", /^cpu: "blur" is no stage/],
    ["recording=", /^recording must be a name/],
    ["__proto__.polluted=1", /^there is no setting "__proto__\.polluted"/],
    ["constructor=1", /^there is no setting "constructor"/],
    ["median.__proto__=1", /^median has no parameter __proto__/],
    ["%E0%A4%A=1", /is no setting: it must be name=value/],
    ["view", /is no setting: it must be name=value/],
  ])("with %s gets one complaint, and its other settings are taken", (bad, complaint) => {
    const [, other] = two();
    const { complaints } = takeAddress(`bilateralGrid.sigmaSpacePx=12&${bad}&pointSize=3`, other);
    expect(complaints).toEqual([expect.stringMatching(complaint)]);
    const grid = other.pipeline.stages.find(({ name }) => name === "bilateralGrid");
    expect([grid?.parameters.sigmaSpacePx, other.settings.now.pointSize]).toEqual([12, 3]);
  });
});

describe("a settings file", () => {
  test("holds every parameter of every stage", () => {
    const property = fc.property(anything, (state) => {
      const [one, other] = two();
      set(one, state);
      const viewpoint = { camera: [0, 0, 0.5, 0, 0.1, 2], focusM: 2 };
      const text = JSON.stringify(settingsFileOf(one, viewpoint));
      expect(applySettingsFile(text, other)).toEqual({ viewpoint, complaints: [] });
      expect(stateOf(other)).toEqual(stateOf(one));
      expect(toAddress(other)).toBe(toAddress(one));
    });
    fc.assert(property, { numRuns: 30 });
  });

  test.each([
    ["{", /^this is not JSON/],
    ["[]", /^it must hold \{ "stages"/],
    ['{ "stages": [{ "name": 3, "parameters": {} }] }', /^it must hold/],
    ['{ "stages": [], "view": 3 }', /^view must be an object, not 3/],
  ])("of %s is refused and changes nothing", (text, complaint) => {
    const [, other] = two();
    other.settings.update({ view: "points" });
    const before = stateOf(other);
    expect(applySettingsFile(text, other)).toMatchObject({
      complaints: [expect.stringMatching(complaint)],
      refused: true,
    });
    expect(stateOf(other)).toEqual(before);
  });
});

test("resetting the filters leaves the view, the loop and the stages that draw as they are", () => {
  const [one, other] = two();
  const own = "view=points&loop=false&inPoint=3&rate=2&paint.rangeMm=20";
  const filtered = "preset=strong&order=temporal,median&off=median&on=threshold&median.size=5";
  expect(takeAddress(`${own}&${filtered}`, one).complaints).toEqual([]);
  takeAddress(own, other);
  resetFilters(one);
  expect(stateOf(one)).toEqual(stateOf(other));
  expect(toAddress(one)).toBe(toAddress(other));
});
