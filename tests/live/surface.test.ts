import { afterEach, expect, test, vi } from "vitest";
import { initialSettings } from "../../viewer/live/state/settings.ts";
import { CpuSurface } from "../../viewer/live/view/surface/cpuSurface.ts";

// How many pixels the CPU's canvas has.

afterEach(() => void vi.unstubAllGlobals());

const surface = (screen: number) => {
  vi.stubGlobal("devicePixelRatio", screen);
  vi.stubGlobal("ImageData", class {});
  return new CpuSurface({ getContext: () => ({}) } as unknown as HTMLCanvasElement);
};

test("a full picture on the CPU has each of the window's pixels, and each of a dense screen's", () => {
  expect(surface(1).resize(1152, 854)).toBe(1);
  expect(surface(2).resize(600, 400)).toBe(2);
});

test("no picture has more than 2560 × 1440 pixels", () => {
  const density = surface(3).resize(1600, 1200);
  expect(1600 * density * 1200 * density).toBeCloseTo(2560 * 1440, 0);
});

test("the CPU begins at half of the resolution, and says so", () => {
  expect(initialSettings("cpu").detail).toBe(0.5);
});
