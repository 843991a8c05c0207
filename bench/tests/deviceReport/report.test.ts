import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { useGpu } from "../../../tests/gpu.ts";
import { useFolder } from "../../../tests/sources/fixtures.ts";
import { type DeviceReport, textOf } from "../../deviceReport/document.ts";
import { type MeasureOptions, measureDevice, type Progress } from "../../deviceReport/measure.ts";
import { deviceReportPage } from "../../deviceReport/page.ts";
import { makeReport } from "../../deviceReport/report.ts";
import { stages } from "../../deviceReport/stages.ts";
import type { Found, Study } from "../../study.ts";
import type { Adapter } from "../../types.ts";
import { fakeGpu, fakeStudy } from "./fakes.ts";

const opened = useGpu();
const disk = useFolder();
// Keeps measured ceilings out of the user's own cache folder.
beforeAll(() => void vi.stubEnv("XDG_CACHE_HOME", disk.folder({})));
afterAll(() => void vi.unstubAllEnvs());
const place = { program: "Node 20", system: "linux <6>", cpu: "a & b", cores: 2, memoryGb: null };
const options = { budgetS: 30, signal: new AbortController().signal, onProgress() {}, log() {} };

test("the device report has place, adapter, date, duration and the study's results", async () => {
  const { report, html } = await makeReport(opened.gpu, place, fakeStudy(2), options);
  expect(JSON.parse(JSON.stringify(report))).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    date: expect.stringMatching(/^20\d\d-.*Z$/),
    place,
    adapter: expect.objectContaining({ software: opened.gpu.software, clock: "gpu" }),
    budgetS: 30,
    tookS: expect.any(Number),
    endedEarly: null,
    studies: [
      {
        name: "a",
        title: "Study a",
        question: "What of a?",
        unit: "trifles",
        measured: 2,
        planned: 2,
        leftOut: null,
        right: true,
        tookS: expect.any(Number),
        figures: { "a is <simple>": "2 parts" },
        notes: [],
        measurements: { labels: ["a 0", "a 1"], rows: [], notes: [] },
      },
    ],
  });
  expect(html).toContain('id="a"><h2>Study a</h2>');
  expect(html).toContain("<section><h2>a 0,a 1</h2></section>");
  expect(html).toContain("a is &lt;simple&gt;");
  expect(html).toContain("a &amp; b; 2 cores; linux &lt;6&gt;; Node 20");
});

test("the device report says why nothing was measured", async () => {
  const study = fakeStudy(1, () => Promise.reject(new Error("no memory")));
  const { report, html } = await makeReport(opened.gpu, place, study, options);
  const leftOut = "a 0: left out: no memory";
  expect(report.studies).toMatchObject([
    { measured: 0, leftOut, right: null, figures: {}, notes: [leftOut], measurements: null },
  ]);
  expect(html).toContain(`Left out: ${leftOut}`);
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
    const page = deviceReportPage(report, []);
    expect(page).toContain("<title>Depthloom on A card</title>");
    expect(page).toContain("2026-01-02 03:04 UTC; Depthloom 0.1.0");
    expect(page).toContain("<b>Incomplete:</b> it was stopped by hand.");
    expect(page).toContain("left out: 8192 invocations");
    expect(page).toContain('<tr><td>a / &lt;b&gt;</td><td class="number">2.00</td></tr>');
  });
});

test("with hardly any time one part is measured, is right and gets its page", async () => {
  const { report, html } = await makeReport(opened.gpu, place, stages, { ...options, budgetS: 0.001 });
  const [told] = report.studies;
  expect(told).toMatchObject({ measured: 1, right: true, leftOut: null });
  expect(told.planned).toBeGreaterThan(1);
  expect(told.figures.dispatch).toMatch(/^\S+ µs, one after another$/);
  expect(told.notes.filter((note) => /WRONG|WebGPU/.test(note))).toEqual([]);
  expect(html.match(/<section/g)?.length).toBeGreaterThan(1);
  expect(html).not.toMatch(/<script|https?:|src=|<link|@import|NaN|undefined|style=|Infinity/);
}, 180_000);

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
  expect(stderr).toMatch(/^The stages’ kernels: the device’s limits \(\d+ parts left, 30 s\)/);
  expect(status).toBe(130);
  expect(stdout).toMatch(/Incomplete: it was stopped by hand\n$/);
  const { endedEarly, studies, place } = JSON.parse(readFileSync(join(folder, "r.json"), "utf8")) as DeviceReport;
  expect([endedEarly, place.program]).toEqual(["it was stopped by hand", `Node ${process.versions.node}`]);
  expect(studies[0].measured).toBeGreaterThan(0);
  expect(readFileSync(join(folder, "r.html"), "utf8")).toContain("<b>Incomplete:</b> it was stopped by hand.");
});

/** A clock that goes on by `pass` alone. */
function fakeClock() {
  let ms = 1000;
  return { now: () => ms, pass: (seconds: number) => (ms += seconds * 1000) };
}

/** Measures with a fake device. Returns the results, and every progress report. */
async function measure<Of extends Found>(study: Study<Of>, changes: Partial<MeasureOptions>, { gpu } = fakeGpu()) {
  const progress: Progress[] = [];
  const options = { budgetS: 100, signal: new AbortController().signal, log() {}, ...changes };
  const measured = await measureDevice(gpu, study, { onProgress: (now) => progress.push(now), ...options });
  return { ...measured, progress };
}

test("measureDevice measures every part when time suffices, and reports the parts and time that are left", async () => {
  const clock = fakeClock();
  const timed = fakeStudy(2, () => void clock.pass(3));
  const { study, sections, endedEarly, progress } = await measure(timed, { now: clock.now });
  expect(progress).toEqual([
    { study: "Study a", part: "a 0", partsLeft: 2, leftS: 100 },
    { study: "Study a", part: "a 1", partsLeft: 1, leftS: 97 },
  ]);
  expect(study).toMatchObject({ measured: 2, planned: 2, leftOut: null, right: true, tookS: 6, notes: [] });
  expect(study.measurements).toMatchObject({ labels: ["a 0", "a 1"] });
  expect(sections.map(String)).toEqual(["<section><h2>a 0,a 1</h2></section>"]);
  expect(endedEarly).toBeNull();
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
  const { study } = await measure(fakeStudy(0, undefined, { parts }), { now: clock.now, budgetS: 8 });
  expect([study.measurements, study.tookS]).toMatchObject([{ labels: ["of 4", "of 2", "of 1"] }, 7]);
  expect(study.notes).toEqual(["left out for want of time: of 16; of 64"]);
});

test("an abort stops the measurement at once, even in a part that hangs; results are kept, the rest is noted", async () => {
  const stop = new AbortController();
  const hanging = fakeStudy(4, (part) => {
    if (part < 2) return;
    stop.abort();
    return new Promise(() => {});
  });
  const { study, endedEarly } = await measure(hanging, { signal: stop.signal });
  expect(endedEarly).toBe("it was stopped by hand");
  expect(study).toMatchObject({ measured: 2, planned: 4, leftOut: null, measurements: { labels: ["a 0", "a 1"] } });
  const none = await measure(fakeStudy(3), { signal: stop.signal });
  expect(none.study).toMatchObject({ leftOut: "it was stopped by hand", right: null, measurements: null });
});

test("a lost GPU ends the measurement with a one-line reason, and earlier results are kept", async () => {
  const fake = fakeGpu();
  const unplugged = fakeStudy(3, (part) => {
    if (part < 1) return;
    fake.lose("it was unplugged\nbacktrace");
    throw new Error("mapping failed");
  });
  const { study, endedEarly } = await measure(unplugged, {}, fake);
  expect([study.measured, study.notes]).toEqual([1, []]);
  expect(endedEarly).toBe(
    "the GPU was lost (it was unplugged): measure again, with a smaller budget if it is lost again",
  );
});
