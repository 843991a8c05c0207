import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type DeviceReport, textOf } from "../../../bench/deviceReport/document.ts";
import { STUDIES } from "../../../bench/deviceReport/list.ts";
import { deviceReportPage } from "../../../bench/deviceReport/page.ts";
import { makeReport } from "../../../bench/deviceReport/report.ts";
import type { Adapter } from "../../../bench/types.ts";
import { useGpu } from "../../gpu.ts";
import { useFolder } from "../../sources/fixtures.ts";
import { fakeStudy } from "./fakes.ts";

const opened = useGpu();
const disk = useFolder();
// Keeps measured ceilings out of the user's own cache folder.
beforeAll(() => void vi.stubEnv("XDG_CACHE_HOME", disk.folder({})));
afterAll(() => void vi.unstubAllEnvs());
const place = { program: "Node 20", system: "linux <6>", cpu: "a & b", cores: 2, memoryGb: null };
const options = { budgetS: 30, large: false, signal: new AbortController().signal, onProgress() {}, log() {} };

test("the device report has place, adapter, date, duration and the results of each study", async () => {
  const studies = [fakeStudy("a", 2, () => {}), fakeStudy("b", 1, () => Promise.reject(new Error("no memory")))];
  const { report, html } = await makeReport(opened.gpu, place, { ...options, studies });
  expect(JSON.parse(JSON.stringify(report))).toEqual({
    ...{ version: expect.stringMatching(/^\d+\.\d+\.\d+/), date: expect.stringMatching(/^20\d\d-.*Z$/), place },
    adapter: expect.objectContaining({ software: opened.gpu.software, clock: "gpu" }),
    ...{ budgetS: 30, tookS: expect.any(Number), endedEarly: null },
    studies: [
      {
        ...{ name: "a", title: "Study a", question: "What of a?", unit: "trifles", measured: 2, planned: 2 },
        ...{ leftOut: null, right: true },
        tookS: expect.any(Number),
        figures: { "a is <simple>": "2 parts" },
        notes: [],
        measurements: { labels: ["a 0", "a 1"], rows: [], notes: [] },
      },
      {
        ...{ name: "b", title: "Study b", question: "What of b?", unit: "trifles", measured: 0, planned: 1 },
        ...{ leftOut: "b 0: left out: no memory", right: null, tookS: expect.any(Number), figures: {} },
        ...{ notes: ["b 0: left out: no memory"], measurements: null },
      },
    ],
  });
  expect(html).toContain('<a href="#b">Study b</a> <span>Left out: b 0: left out: no memory</span>');
  expect(html).toContain('id="a"><h2>Study a</h2>');
  expect(html).toContain("<section><h2>a 0,a 1</h2></section>");
  expect(html).toContain("a is &lt;simple&gt;");
  expect(html).toContain("a &amp; b; 2 cores; linux &lt;6&gt;; Node 20");
});

describe("the page and the text of a device report", () => {
  const study = {
    ...{
      name: "a",
      title: "Study a",
      question: "What?",
      unit: "trifles",
      measured: 3,
      planned: 9,
      leftOut: null,
      right: true,
      tookS: 4,
    },
    figures: { "a / <b>": "2.00" },
    ...{ notes: ["left out: 8192 invocations"], measurements: null },
  };
  const adapter: Adapter = {
    ...{ vendor: "nobody", description: "A card", software: false, clock: "gpu", clockResolutionUs: 0.001 },
    ...{ subgroupSizes: "32 to 32", invocationsPerWorkgroup: 1024, workgroupMemory: 49152 },
  };
  const report: DeviceReport = {
    ...{ version: "0.1.0", date: "2026-01-02T03:04:05.000Z", place, adapter, budgetS: 60, tookS: 61 },
    ...{ endedEarly: "it was stopped by hand", studies: [study] },
  };

  test("say how much was sampled, the figures, and that the report is incomplete", () => {
    expect(textOf(report).split("\n")).toEqual([
      "Study a: 3 of 9 trifles, in 4 s; a larger budget than 60 s measures more.",
      "  a / <b>: 2.00",
      "Incomplete: it was stopped by hand",
    ]);
    const page = deviceReportPage(report, new Map());
    expect(page).toContain("<title>Depthloom on A card</title>");
    expect(page).toContain("2026-01-02 03:04 UTC; Depthloom 0.1.0");
    expect(page).toContain("<b>Incomplete:</b> it was stopped by hand.");
    expect(page).toContain("left out: 8192 invocations");
    expect(page).toContain('<tr><td>a / &lt;b&gt;</td><td class="number">2.00</td></tr>');
  });
});

describe("with hardly any time, one part is measured, is right and gets its page, of the study", () => {
  test.each(STUDIES.map((study) => [study.name, study] as const))(
    "%s",
    async (_, study) => {
      const { report, html } = await makeReport(opened.gpu, place, { ...options, budgetS: 0.001, studies: [study] });
      const [told] = report.studies;
      expect(told).toMatchObject({ measured: 1, right: true, leftOut: null });
      expect(told?.planned).toBeGreaterThan(1);
      expect(Object.keys(told?.figures ?? {}).length).toBeGreaterThanOrEqual(study.name === "stages" ? 0 : 1);
      expect(told?.notes.filter((note) => /WRONG|WebGPU/.test(note))).toEqual([]);
      // More than the section that introduces the study.
      expect(html.match(/<section/g)?.length).toBeGreaterThan(1);
      expect(html).not.toMatch(/<script|https?:|src=|<link|@import|NaN|undefined|style=|Infinity/);
    },
    180_000,
  );
});
