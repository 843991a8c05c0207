import { expect, test } from "vitest";
import { variants } from "../../stages/compact/gpu.ts";
import { defaultsFor, withValue } from "../../stages/core/tuning.ts";

test("NVIDIA's looks back in one pass, others count first", () => {
  const passesOn = (vendor: string) =>
    defaultsFor(variants, { adapterInfo: { vendor } as GPUAdapterInfo }).compact?.PASSES;
  expect(["nvidia", "apple", "google"].map(passesOn)).toEqual([1, 2, 2]);
});

test("what the other way leaves open is not tried", () => {
  const untuned = defaultsFor(variants, {} as GPUDevice);
  const chosen = (passes: number, kernel: string, name: string, value: number) =>
    variants.fits(withValue(withValue(untuned, "compact", "PASSES", passes), kernel, name, value));
  expect(chosen(1, "lookBack", "SPINS", 256)).toBe(true);
  expect(chosen(1, "move", "WORKGROUP", 64)).toBe(false);
  expect(chosen(2, "lookBack", "SPINS", 256)).toBe(false);
  expect(chosen(2, "move", "WORKGROUP", 64)).toBe(true);
});
