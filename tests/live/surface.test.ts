import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import type { Gpu, ProcessedFrame } from "../../pipeline/index.ts";
import { initialSettings } from "../../viewer/live/state/settings.ts";
import { CpuSurface } from "../../viewer/live/view/surface/cpuSurface.ts";
import { RecoveringSurface } from "../../viewer/live/view/surface/recoveringSurface.ts";

// The number of pixels of the CPU's canvas, and what a canvas shows while code is missing.

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

test("code that cannot be fetched is told once and asked for again, and no earlier picture stands where points were to come", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  vi.stubGlobal("devicePixelRatio", 1);
  const canvas = { width: 640, getContext: () => ({}) } as unknown as HTMLCanvasElement;
  const told: unknown[] = [];
  const lost = new TypeError("Failed to fetch dynamically imported module");
  let code: () => Promise<never> = () => Promise.reject(lost);
  const drawn = new RecoveringSurface(
    canvas,
    {} as Gpu,
    (error) => told.push(error),
    () => code(),
  );
  const points = { view: "points", veil: { strength: 0 }, guides: [] } as never;
  const draw = async () => {
    drawn.draw({} as never, points);
    await vi.advanceTimersByTimeAsync(10);
  };
  drawn.show({ gpu: {} } as ProcessedFrame);
  await draw();
  expect([told, drawn.isLoading, canvas.width]).toEqual([[lost], false, 640]);
  await draw();
  expect(canvas.width).toBe(1);
  let tries = 0;
  code = async () => {
    tries++;
    throw lost;
  };
  await vi.advanceTimersByTimeAsync(5000);
  await draw();
  await draw();
  expect([tries, told]).toEqual([1, [lost]]);
  const shown: unknown[] = [];
  const scene = { show: (frame: unknown) => shown.push(frame), draw() {}, destroy() {}, resize: () => 1 };
  code = async () => ({ GpuSurface: { open: async () => scene } }) as never;
  await vi.advanceTimersByTimeAsync(5000);
  await draw();
  drawn.show({ gpu: {} } as ProcessedFrame);
  expect([told, shown.length]).toEqual([[lost, undefined], 1]);
});
