import { afterEach, expect, test, vi } from "vitest";
import { initialSettings } from "../../viewer/live/state/settings.ts";
import { CpuSurface } from "../../viewer/live/view/surface/cpuSurface.ts";

// The number of pixels of the CPU's canvas.

afterEach(() => void vi.unstubAllGlobals());

const surface = (screen: number) => {
  vi.stubGlobal("devicePixelRatio", screen);
  vi.stubGlobal("ImageData", class {});
  return new CpuSurface({ getContext: () => ({}) } as unknown as HTMLCanvasElement);
};

test("the CPU's canvas has one pixel for each device pixel of the window, also on a dense screen", () => {
  expect(surface(1).resize(1152, 854)).toBe(1);
  expect(surface(2).resize(600, 400)).toBe(2);
});

test("the CPU's canvas has at most 2560 × 1440 pixels", () => {
  const density = surface(3).resize(1600, 1200);
  expect(1600 * density * 1200 * density).toBeCloseTo(2560 * 1440, 0);
});

test("the resolution setting starts at half on the CPU", () => {
  expect(initialSettings("cpu").detail).toBe(0.5);
});
