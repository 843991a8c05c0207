import { expect, test, vi } from "vitest";
import { loadPlotter } from "../../viewer/live/panes/plot/plotter.ts";

test("where the plotting library could not be fetched, the next plot fetches it", async () => {
  vi.stubGlobal("navigator", { language: "en" });
  vi.doMock("uplot", () => {
    throw new Error("no network");
  });
  await expect(loadPlotter()).rejects.toThrow();
  vi.doMock("uplot", () => ({ default: "it" }));
  expect(await loadPlotter()).toBe("it");
  vi.unstubAllGlobals();
});
