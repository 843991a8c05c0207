import { beforeEach, expect, test } from "vitest";
import { fieldControl } from "../../viewer/live/panel/fieldControl.ts";
import { createStore, viewSchema } from "../../viewer/live/state/settings.ts";
import { type FakeElement, fakeDocument } from "./fakeDocument.ts";

// Settings of the panel: what a control shows is what is set.

beforeEach(fakeDocument);

/** The field and the slider of a setting, and what is set. */
function controlOf(name: "fillPx" | "checkTruthMm" | "checkBaselineMm") {
  const store = createStore("cpu");
  const control = fieldControl(viewSchema, name, store.control(name)) as unknown as FakeElement;
  const [field, slider] = control.all("input");
  if (!field) throw new Error("the control has a field");
  const enter = (into: FakeElement, event: "input" | "change", value: number) => {
    into.value = `${value}`;
    into.dispatchEvent(new Event(event));
    return [Number(field.value), store.now[name]];
  };
  return { field, slider, enter };
}

test("every notch of a whole-number setting's slider is set as it is shown", () => {
  const { slider, enter } = controlOf("fillPx");
  if (!slider) throw new Error("the control has a slider");
  for (let notch = 0; notch <= 64; notch++) expect(enter(slider, "input", notch)).toEqual([notch, notch]);
});

test("a typed number that a setting does not take gives way to the one that is set", () => {
  const { field, enter } = controlOf("checkTruthMm");
  expect(enter(field, "change", 1203)).toEqual([1203, 1203]);
  expect(enter(field, "change", 1203.5)).toEqual([1203, 1203]);
});

test("a stereo camera's baseline and the camera's height by tape may have decimals", () => {
  const { field, enter } = controlOf("checkBaselineMm");
  expect(enter(field, "change", 50.2)).toEqual([50.2, 50.2]);
  // Also where the slider has no notch for it.
  expect(enter(field, "change", 1e9)).toEqual([50.2, 50.2]);
  expect([viewSchema.floorMm.parse("1234.5"), viewSchema.floorMm.parse("20001")]).toEqual([1234.5, undefined]);
});
