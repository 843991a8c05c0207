import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { useGpu } from "../../../tests/gpu.ts";
import { useFolder } from "../../../tests/sources/fixtures.ts";
import { type DeviceReport, textOf } from "../../deviceReport/document.ts";
import { STUDIES } from "../../deviceReport/list.ts";
import { type MeasureOptions, measureDevice, type Progress } from "../../deviceReport/measure.ts";
import { deviceReportPage } from "../../deviceReport/page.ts";
import { makeReport } from "../../deviceReport/report.ts";
import type { ListedStudy } from "../../study.ts";
import type { Adapter } from "../../types.ts";
import { fakeGpu, fakeStudy } from "./fakes.ts";

const opened = useGpu();
const disk = useFolder();
// Keeps measured ceilings out of the user's own cache folder.
beforeAll(() => void vi.stubEnv("XDG_CACHE_HOME", disk.folder({})));
afterAll(() => void vi.unstubAllEnvs());
const place = { program: "Node 20", system: "linux <6>", cpu: "a & b", cores: 2, memoryGb: null };
const options = { budgetS: 30, signal: new AbortController().signal, onProgress() {}, log() {} };

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

// The bundled file that measures on a machine without npm, and its `report`. It is built inside the repository, where it finds `webgpu`.

const root = fileURLToPath(new URL("../../..", import.meta.url));
let folder = "";
beforeAll(async () => {
  mkdirSync(join(root, "test-output"), { recursive: true });
  folder = mkdtempSync(join(root, "test-output/bundle-"));
  const configFile = join(root, "bench/vite.bundle.ts");
  await build({ root, configFile, logLevel: "silent", build: { outDir: folder } });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the bundle; `onError` sees what it has written to standard error so far. */
function run(args: readonly string[], onError: (text: string, stop: () => void) => void = () => {}) {
  return new Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }>(
    (resolve) => {
      const child = spawn(process.execPath, [join(folder, "bench.js"), ...args], { cwd: folder });
      const texts = { stdout: "", stderr: "" };
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        texts.stdout += text;
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        texts.stderr += text;
        onError(texts.stderr, () => child.kill("SIGINT"));
      });
      child.on("close", (status) => resolve({ status, ...texts }));
    },
  );
}

test("`report` writes its results so far on Ctrl-C, marked as incomplete", async () => {
  const args = ["report", "--adapter", "software", "--budget", "30", "--out", "r.html", "--json", "r.json"];
  // Sent once: a second Ctrl-C would end the program at once.
  let isStopped = false;
  const { status, stdout, stderr } = await run(args, (text, stop) => {
    if (isStopped || text.split("\n").length <= 3) return;
    isStopped = true;
    stop();
  });
  expect(stderr).toMatch(/^The stages’ kernels: empty, 640 × 480 \(\d+ parts and 1 study left, 30 s\)/);
  expect(status).toBe(130);
  expect(stdout).toMatch(/Incomplete: it was stopped by hand\n$/);
  const { endedEarly, studies, place } = JSON.parse(readFileSync(join(folder, "r.json"), "utf8")) as DeviceReport;
  expect([endedEarly, place.program]).toEqual(["it was stopped by hand", `Node ${process.versions.node}`]);
  expect(studies[0]?.measured).toBeGreaterThan(0);
  expect(readFileSync(join(folder, "r.html"), "utf8")).toContain("<b>Incomplete:</b> it was stopped by hand.");
});

/** A clock that goes on by `pass` alone. */
function fakeClock() {
  let ms = 1000;
  return {
    now: () => ms,
    pass(seconds: number) {
      ms += seconds * 1000;
    },
  };
}

/** Measures with a fake device. Returns the results, every progress report, and the number of parts measured of each study. */
async function measure(studies: readonly ListedStudy[], changes: Partial<MeasureOptions>, { gpu } = fakeGpu()) {
  const progress: Progress[] = [];
  const options = { studies, budgetS: 100, signal: new AbortController().signal, log() {}, ...changes };
  const measured = await measureDevice(gpu, { onProgress: (now) => progress.push(now), ...options });
  return { ...measured, progress, counts: measured.studies.map(({ report }) => report.measured) };
}

test("measureDevice measures every part when time suffices, and reports the parts and time that are left", async () => {
  const clock = fakeClock();
  const studies = [fakeStudy("a", 2, () => clock.pass(3)), fakeStudy("b", 1, () => clock.pass(4))];
  const { counts, tookS, endedEarly, progress, studies: done } = await measure(studies, { now: clock.now });
  expect([counts, tookS, endedEarly]).toEqual([[2, 1], 10, null]);
  expect(progress).toEqual([
    { study: "Study a", part: "a 0", partsLeft: 2, studiesLeft: 1, share: 0, leftS: 100 },
    { study: "Study a", part: "a 1", partsLeft: 1, studiesLeft: 1, share: 0.03, leftS: 97 },
    { study: "Study b", part: "b 0", partsLeft: 1, studiesLeft: 0, share: 0.06, leftS: 94 },
  ]);
  expect(done[0]?.report).toMatchObject({ planned: 2, leftOut: null, right: true, tookS: 6, notes: [] });
  expect(done[0]?.report.measurements).toMatchObject({ labels: ["a 0", "a 1"] });
  expect(done[0]?.sections.map(String)).toEqual(["<section><h2>a 0,a 1</h2></section>"]);
});

test("a part that would take too long is left out, and a shorter part after it is measured", async () => {
  const clock = fakeClock();
  const costs = [4, 16, 2, 64, 1];
  const parts = () =>
    costs.map((cost) => ({
      label: `of ${cost}`,
      cost,
      async measure() {
        clock.pass(cost);
        return { labels: [`of ${cost}`], rows: [], notes: [] };
      },
    }));
  const { studies, tookS } = await measure([fakeStudy("a", 0, () => {}, { parts })], { now: clock.now, budgetS: 8 });
  expect([studies[0]?.report.measurements, tookS]).toMatchObject([{ labels: ["of 4", "of 2", "of 1"] }, 7]);
  expect(studies[0]?.report.notes).toEqual(["left out for want of time: of 16; of 64"]);
});

test("an abort stops the measurement at once, even in a part that hangs; results are kept, the rest is noted", async () => {
  const stop = new AbortController();
  const studies = [
    fakeStudy("a", 3, (part) => {
      if (part < 2) return;
      stop.abort();
      return new Promise(() => {});
    }),
    fakeStudy("b", 3, () => {}),
  ];
  const { counts, endedEarly, studies: done } = await measure(studies, { signal: stop.signal });
  expect([counts, endedEarly]).toEqual([[2, 0], "it was stopped by hand"]);
  expect(done[0]?.report).toMatchObject({ planned: 3, leftOut: null, measurements: { labels: ["a 0", "a 1"] } });
  expect(done[1]?.report).toMatchObject({ leftOut: "it was stopped by hand", right: null, measurements: null });
});

test("a lost GPU ends the measurement with a one-line reason, and earlier results are kept", async () => {
  const fake = fakeGpu();
  const studies = [
    fakeStudy("a", 3, (part) => {
      if (part < 1) return;
      fake.lose("it was unplugged\nbacktrace");
      throw new Error("mapping failed");
    }),
    fakeStudy("b", 3, () => {}),
  ];
  const { counts, endedEarly, studies: done } = await measure(studies, {}, fake);
  expect(counts).toEqual([1, 0]);
  expect(endedEarly).toBe(
    "the GPU was lost (it was unplugged): measure again, with a smaller budget if it is lost again",
  );
  expect(done[0]?.report.notes).toEqual([]);
});
