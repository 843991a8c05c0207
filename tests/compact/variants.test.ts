import { expect, test } from "vitest";
import { FORM, variants } from "../../stages/compact/variants.ts";
import { defaultsFor, withValue } from "../../stages/tuning.ts";

test("a GPU played by a processor works by runs, NVIDIA's looks back, others count first", () => {
  const formOn = (vendor: string, subgroupMaxSize: number) =>
    defaultsFor(variants, { adapterInfo: { vendor, subgroupMaxSize } as GPUAdapterInfo }).compact?.FORM;
  expect(formOn("google", 4)).toBe(FORM.runs);
  expect(formOn("nvidia", 32)).toBe(FORM.lookBack);
  expect(formOn("apple", 32)).toBe(FORM.tiles);
});

test("what another form leaves open is not tried", () => {
  const untuned = defaultsFor(variants, {} as GPUDevice);
  const chosen = (form: number, kernel: string, name: string, value: number) =>
    variants.fits(withValue(withValue(untuned, "compact", "FORM", form), kernel, name, value));
  expect(chosen(FORM.lookBack, "lookBack", "WINDOW", 1)).toBe(true);
  expect(chosen(FORM.lookBack, "runs", "RUNS", 64)).toBe(false);
  expect(chosen(FORM.tiles, "lookBack", "WINDOW", 1)).toBe(false);
  expect(chosen(FORM.tiles, "move", "WORKGROUP", 64)).toBe(true);
});
