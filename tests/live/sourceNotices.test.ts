import { expect, test } from "vitest";
import type { Source } from "../../sources/index.ts";
import { LiveNotice } from "../../viewer/live/source/sourceNotices.ts";

test("a silent stream is told of once, however long it is silent, and again after frames have come", () => {
  const told: string[] = [];
  const messages = { show: (_: string, __: string, text: string) => told.push(text), clear: () => told.push("") };
  const notice = new LiveNotice(messages as never);
  const report = { state: "live", silentMs: 0, latencyMs: null };
  const source = { name: "camera", format: "raw depth", fps: 30, report } as unknown as Source;
  const after = (silentMs: number, nowMs: number) => {
    report.silentMs = silentMs;
    notice.update(source, true, nowMs);
  };
  for (let s = 1; s < 20; s++) after(1000 * s, 1000 * s);
  after(10, 20_000);
  after(5000, 25_000);
  expect(told).toEqual([expect.stringMatching("no frame"), "", expect.stringMatching("no frame")]);
});
