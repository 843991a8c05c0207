import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import type { FidelityReport } from "../../../bench/fidelity/report.ts";
import { runFidelity } from "../../../bench/fidelity/run.ts";
import { UsageError } from "../../../viewer/report/failure.ts";

// The command `bench fidelity`: its output, and the arguments that it refuses.

const folder = mkdtempSync(join(tmpdir(), "depthloom-fidelity-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs `bench fidelity` and returns the report that it prints. */
async function run(options: Partial<Parameters<typeof runFidelity>[0]>): Promise<FidelityReport> {
  const texts: string[] = [];
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => texts.push(String(text)) > 0);
  try {
    expect(await runFidelity({ recordings: [], truth: [], set: [], json: true, ...options }, () => {})).toBe(0);
  } finally {
    write.mockRestore();
  }
  return JSON.parse(texts.join("")) as FidelityReport;
}

test("`bench fidelity` measures every filter and a chosen chain on the room as five simulated cameras see it", async () => {
  const html = join(folder, "page.html");
  const report = await run({
    quick: true,
    html,
    set: ["median.size=5"],
    stages: "median",
    size: { width: 40, height: 30 },
    frames: 6,
  });
  expect(report.sets.map(({ name }) => name.split(",")[0])).toEqual([
    "kinect-v1",
    "kinect-v1",
    "kinect-v2",
    "azure-kinect",
    "realsense",
    "phone",
  ]);
  for (const { rows } of report.sets) {
    expect(rows.map(({ chain }) => chain).slice(0, 5)).toEqual([
      "raw",
      "ours, spatial",
      "ours",
      "asked for",
      "OpenCV bilateral",
    ]);
    for (const { figures } of rows) expect(figures.truth?.all.rmse).toBeGreaterThan(0);
    // Figures that were not measured are absent.
    expect(rows[1]?.figures.invented ?? 0).toBe(0);
  }
  expect(report.sets.some(({ rows }) => rows[1]?.figures.invented === 0)).toBe(true);
  expect(readFileSync(html, "utf8")).toMatch(/<table>/);
});

test("`bench fidelity` refuses a truth without a recording, stages without a filter and unknown stages", async () => {
  await expect(run({ truth: ["x"] })).rejects.toThrow(UsageError);
  await expect(run({ stages: "compact" })).rejects.toThrow(/none of them is a filter/);
  await expect(run({ stages: "medium" })).rejects.toThrow(/there is no stage "medium"/);
});
