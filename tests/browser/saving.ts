import { decode } from "fast-png";
import { expect, test } from "vitest";
import type { AppPage } from "./appPage.ts";

/** Tests of the save menu with WebGPU: the numbers, and the picture itself. `stages` are the stages that run. */
export function savingTests(opened: { readonly it: AppPage }, stages: readonly string[]): void {
  test("saves the latencies as JSON and as a trace", async () => {
    const { it } = opened;
    const report = JSON.parse(`${await it.saved("JSON")}`);
    expect(report).toMatchObject({ backend: "webgpu", frame: { clock: "gpu" }, budgetMs: 33.333333 });
    expect(report.stages.map((stage: { name: string }) => stage.name)).toEqual(stages);
    const trace = JSON.parse(`${await it.saved("Trace")}`);
    expect(trace.traceEvents.some((event: { name: string }) => event.name === "dofSplat")).toBe(true);
  });

  test("saves the picture with the colours of the screen", async () => {
    const { it } = opened;
    await it.pause();
    await it.page.locator(".menu.save > summary").click();
    const { width, height, data, channels } = decode(await it.saved("Picture (PNG)"));
    const { width: wide, height: high } = (await it.canvas.boundingBox()) ?? {};
    expect([width, height]).toEqual([wide, high]);
    // The column, and the wall on both sides of it.
    for (const [x, y] of [
      [0.35, 0.3],
      [0.2, 0.3],
      [0.8, 0.3],
    ] as const) {
      const at = (Math.round(y * height) * width + Math.round(x * width)) * channels;
      const seen = await it.color(x, y, 1);
      expect(Math.max(...seen)).toBeGreaterThan(40);
      seen.forEach((value, c) => void expect(Math.abs((data[at + c] ?? 0) - value)).toBeLessThan(12));
    }
  });
}
