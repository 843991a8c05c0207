import { describe, expect, test } from "vitest";
import { createKernel } from "../../stages/core/author.ts";
import { defineStage } from "../../stages/core/define.ts";
import { createDepthImage, type FrameContext } from "../../stages/core/resources.ts";
import { temporal } from "../../stages/temporal/index.ts";
import { useGpu } from "../../tests/gpu.ts";
import { compareWithOurs } from "../agreement.ts";
import { type Case, parseCase } from "../cases.ts";
import { makeInput } from "../frames.ts";
import { checkLane } from "../measure/check.ts";
import { timeOnCpu } from "../measure/cpu.ts";
import { CHECKED_HISTORY, filmed, HISTORY } from "../measure/film.ts";
import { timeOnGpu } from "../measure/gpu.ts";
import { buildLanes } from "../measure/lanes.ts";
import { planOf } from "../plan.ts";
import { ratiosOf } from "../ratios.ts";
import { stagePage } from "../report/stageReport.ts";
import { type PeerResult, type Report, type Result, spreadOf } from "../types.ts";

const effort = { trials: 3, targetUs: 100, budgetMs: 100 };
const options = { stage: undefined, backend: "all", adapter: "software", mode: "robust" } as const;

test("spreadOf gives the median and the 10th and 90th percentiles of unsorted times", () => {
  expect(spreadOf([5, 1, 2, 3, 4])).toEqual({ medianUs: 3, p10Us: 1, p90Us: 5 });
  expect(spreadOf([7])).toEqual({ medianUs: 7, p10Us: 7, p90Us: 7 });
});

describe("the cases of `bench`", () => {
  test("are parsed from stages with their parameters, joined by +", () => {
    const one = parseCase("copy+median:size=5");
    expect([one.stage, one.variant]).toEqual(["copy+median", "median size=5"]);
    expect(one.timed[1]?.parameters.size).toBe(5);
  });

  test.each([
    ["medain", 'there is no stage "medain" to measure; there are empty, copy, '],
    ["median:5", "median:5: parameters are written median:parameter=value"],
    ["median:size=4", "median.size must be one of 3, 5"],
  ])("refuse %s with a message", (text, message) => {
    expect(() => parseCase(text)).toThrow(message);
  });

  test("run on their own data, or on the data of --data", () => {
    const labels = (data?: string) =>
      planOf({ ...options, stage: "median", quick: true, ...(data && { data }) }, true).map(({ label }) => label);
    expect(labels()).toEqual(["640x480 structured", "640x480 random80"]);
    expect(labels("filled")).toEqual(["640x480 filled"]);
    expect(() => labels("noise")).toThrow('there is no data "noise"; there are structured,');
  });
});

/** A wrong stage that copies all rows except the last. */
const forgetful = defineStage({
  name: "forgetful",
  summary: "leaves the last row unwritten",
  schema: {},
  async build({ device, input }) {
    const { width, height } = input.depth;
    const depth = createDepthImage(device, "forgetful", width, height);
    const words = (width * (height - 1)) / 2;
    const kernel = await createKernel(device, {
      label: "forgetful",
      code: `
        override WORDS: u32;
        @group(0) @binding(0) var<storage, read> source: array<u32>;
        @group(0) @binding(1) var<storage, read_write> sink: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
          if (id.x < WORDS) { sink[id.x] = source[id.x]; }
        }`,
      constants: { WORDS: words },
      resources: { source: input.depth.buffer, sink: depth.buffer },
    });
    return {
      output: { depth },
      encode: (pass) => kernel.dispatch(pass, Math.ceil(words / 64)),
      destroy: () => depth.buffer.destroy(),
    };
  },
  twin: () => ({ run() {} }),
});

describe("a benchmark on the GPU", () => {
  const gpu = useGpu();

  async function measure(one: Case, images = 2) {
    const input = filmed(one, await makeInput("random50", { width: 64, height: 48 }, images));
    const lanes = await buildLanes(gpu.gpu, one, input);
    const timings = await timeOnGpu(gpu.gpu, lanes, effort);
    const verdicts = [];
    for (const lane of lanes) verdicts.push(await checkLane(gpu.gpu, input.shape, lane, lanes));
    for (const lane of lanes) lane.destroy();
    return { timings, faults: verdicts.flatMap(({ faults }) => faults), bytes: verdicts[0]?.bytes };
  }

  test("checks the output of every image, and times them in one pass and in submits of their own", async () => {
    const { timings, faults, bytes } = await measure(parseCase("copy"), 3);
    expect(faults).toEqual([]);
    expect(bytes).toBe(64 * 48 * 4);
    expect(timings.map(({ method, clock }) => [method, clock])).toEqual([
      ["pass", "gpu"],
      ["submit", "wall"],
    ]);
    expect((timings[0]?.repeats ?? 1) % 3).toBe(0);
    for (const { medianUs, p10Us, p90Us } of timings) {
      expect(p10Us).toBeGreaterThan(0);
      expect(p10Us).toBeLessThanOrEqual(medianUs);
      expect(medianUs).toBeLessThanOrEqual(p90Us);
    }
  });

  test("times a stage with a memory after many frames, and checks it on frames that its twin sees, too", async () => {
    const stage = temporal();
    const moments: FrameContext[] = [];
    const build: typeof stage.build = async (options) => {
      const built = await stage.build(options);
      return { ...built, encode: (pass, context) => built.encode(pass, moments[moments.push(context) - 1]) };
    };
    const one = { ...parseCase("copy"), timed: [{ ...stage, build }] };
    const input = filmed(one, await makeInput("random50", { width: 64, height: 48 }, 1));
    expect(new Set(input.images.map((image) => image.join())).size).toBe(4);
    const lanes = await buildLanes(gpu.gpu, one, input);
    expect(moments.length).toBeGreaterThanOrEqual(HISTORY);
    await timeOnGpu(gpu.gpu, lanes, effort);
    expect(moments.every(({ fresh, follows, index }, i) => fresh && index === i && follows === i > 0)).toBe(true);
    const timed = moments.length;
    for (const lane of lanes.slice(0, 2)) {
      expect(await checkLane(gpu.gpu, input.shape, lane, lanes)).toEqual({ faults: [], bytes: 64 * 48 * 4 });
    }
    const checked = moments.slice(timed).map(({ follows }) => follows);
    const film = [false, ...Array.from({ length: CHECKED_HISTORY }, () => true)];
    expect(checked).toEqual([...film, ...film]);
    for (const lane of lanes) lane.destroy();
  });

  test("finds unwritten pixels, though a fresh buffer and invalid depth are both 0", async () => {
    const stage = forgetful();
    const one = { stage: stage.name, variant: "default", before: [], timed: [stage], data: [] };
    const { faults } = await measure(one);
    expect(faults[0]).toBe(
      "forgetful: 64 of 3072 pixels of depth differ from the twin's, the first at (0, 47): 48879, not 0",
    );
  });
});

test("filmed repeats a recording to and fro, or makes noisy copies, and leaves stages without a memory their input", async () => {
  const input = await makeInput("structured", { width: 32, height: 24 }, 3);
  const [a, b, c] = input.images;
  expect(filmed(parseCase("median"), input)).toBe(input);
  const one = parseCase("median+temporal");
  expect(filmed(one, { ...input, follows: true }).images).toEqual([a, b, c, b]);
  expect(filmed(one, { ...input, images: [a, b], follows: true }).images).toEqual([a, b]);
  const { images } = filmed(one, input);
  expect(images).toHaveLength(4);
  for (const image of images) {
    expect(image.every((depth, i) => depth > 0 === a[i] > 0 && Math.abs(depth - a[i]) < 0.03 * a[i] + 10)).toBe(true);
    expect(image).not.toEqual(a);
  }
});

test("a CPU benchmark times a twin with a memory on consecutive frames", async () => {
  const stage = temporal();
  const moments: FrameContext[] = [];
  const twin: typeof stage.twin = (shape) => {
    const { run } = stage.twin(shape);
    return { run: (frame, context) => run(frame, moments[moments.push(context) - 1]) };
  };
  const one = { ...parseCase("median"), timed: [{ ...stage, twin }] };
  const input = filmed(one, await makeInput("structured", { width: 64, height: 48 }, 1));
  const { checked, bytes } = timeOnCpu(one, input, effort);
  expect([checked, bytes]).toEqual([true, 64 * 48 * 4]);
  // The film begins once for the times, and once more for the check.
  expect(moments.filter(({ follows }) => !follows)).toHaveLength(2);
  expect(moments.slice(1, HISTORY + effort.trials).every(({ fresh, follows }) => fresh && follows)).toBe(true);
});

describe("a peer's output", () => {
  const bytesOf = (data: Uint16Array | Uint32Array) => Buffer.from(data.buffer);

  test("of words is compared with the valid values in raster order", async () => {
    const input = await makeInput("random50", { width: 16, height: 8 }, 1);
    const valid = [...(input.images[0] ?? [])].filter((depth) => depth > 0);
    const right = bytesOf(Uint32Array.from([valid.length, 0, 0, 0, ...valid]));
    expect(compareWithOurs("words", "CUB", right, input).agrees).toBe(true);
    const swapped = Uint32Array.from([valid.length, 0, 0, 0, ...valid.slice(1), valid[0]]);
    expect(compareWithOurs("words", "CUB", bytesOf(swapped), input).agrees).toBe(false);
  });

  test("of a median is compared only where the window has no hole, and not on lines that ours keeps", async () => {
    const input = await makeInput("random80", { width: 64, height: 48 }, 1);
    const [image = new Uint16Array()] = input.images;
    const ours = new Uint16Array(image.length);
    // A plain median that takes invalid pixels for zeros, as the peers do.
    for (let y = 1; y < 47; y++) {
      for (let x = 1; x < 63; x++) {
        const window = [-65, -64, -63, -1, 0, 1, 63, 64, 65].map((by) => image[y * 64 + x + by]);
        ours[y * 64 + x] = window.sort((a, b) => a - b)[4];
      }
    }
    const { agrees, comparison } = compareWithOurs("depth", "3x3", bytesOf(ours), input);
    expect(agrees).toBe(true);
    const compared = Number(comparison.split(" ")[0]);
    expect(compared).toBeGreaterThan(100);
    expect(compared).toBeLessThan(62 * 46);
    ours.fill(1);
    expect(compareWithOurs("depth", "3x3", bytesOf(ours), input).agrees).toBe(false);
  });
});

describe("the report of `bench`", () => {
  const row: Result = {
    stage: "median",
    variant: "size=3",
    ...{ width: 640, height: 480, elements: 307200, data: "structured", clock: "gpu", repeats: 100, images: 1 },
    ...{ medianUs: 4, p10Us: 3.9, p90Us: 4.4, bytes: 1228800, checked: true, backend: "webgpu", mode: "robust" },
    method: "pass",
  };
  const peer: PeerResult = {
    ...{ name: "NPP nppiFilterMedian_16u_C1R 3x3, graph", stage: "median", width: 640, height: 480, elements: 307200 },
    ...{ data: "structured", bytes: 1228800, program: "npp", agrees: true, comparison: "all equal" },
    ...{ medianUs: 16, p10Us: 15, p90Us: 17 },
  };
  const copy: Result = { ...row, stage: "copy", variant: "default", medianUs: 2 };
  const report: Report = {
    machine: { cpu: "a <cpu>", cores: 2, memoryGb: 8, os: "linux", node: "20", date: "2026-01-01T00:00:00.000Z" },
    adapter: null,
    mode: "robust",
    results: [copy, row],
    peers: [peer],
    ratios: ratiosOf([copy, row], [peer]),
    notes: [],
  };

  test("pairs a row with the peer of the same operation, size and data, and with the copy", () => {
    expect(report.ratios.map(({ name, ours, peer: theirs, ratio }) => [name, ours, theirs, ratio])).toEqual([
      ["median (size=3) / NPP nppiFilterMedian_16u_C1R 3x3, graph, 640x480 structured, robust", 4, 16, 0.25],
      ["median (size=3) / our copy, 640x480 structured, robust", 4, 2, 2],
    ]);
    expect(ratiosOf([row], [{ ...peer, data: "random80" }])).toEqual([]);
    expect(ratiosOf([{ ...row, variant: "size=5" }], [peer])).toEqual([]);
  });

  test("has a page that loads no other file", () => {
    const page = stagePage(report);
    expect(page).toContain("a &lt;cpu&gt;");
    expect(page.match(/<svg/g)?.length).toBe(2);
    expect(page).not.toMatch(/<script|https?:|src=|<link|@import|NaN|undefined/);
  });
});
