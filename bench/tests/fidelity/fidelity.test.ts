import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { RequestError } from "../../../run/report/failure.ts";
import { Field } from "../../../sources/synthetic/sensors/field.ts";
import { type Chain, ours, presetChains, RAW } from "../../fidelity/chains.ts";
import { figuresOf, measureCurved } from "../../fidelity/curved.ts";
import { curvedScenes, THINGS } from "../../fidelity/curvedScene.ts";
import type { Depth } from "../../fidelity/image.ts";
import { measureSet } from "../../fidelity/measure.ts";
import { keptOf, SHAPE, walls, wavy } from "../../fidelity/relief.ts";
import type { FidelityReport } from "../../fidelity/report.ts";
import { runFidelity } from "../../fidelity/run.ts";
import { type DataSet, syntheticSets } from "../../fidelity/sets.ts";

// The figures of `bench fidelity` on frames with known errors, and beside the same figures by a Python program where it is present.

const SIZE = { width: 96, height: 72 };
const INTRINSICS = { fx: 80, fy: 80, cx: 47.5, cy: 35.5, ...SIZE };
/** 0.2 mm, so small that its rounding affects no figure. */
const UNIT = 0.0002;

/** A frame in whole units from a function of the pixel in mm. */
const frame = (mm: (x: number, y: number, i: number) => number) =>
  Uint16Array.from({ length: SIZE.width * SIZE.height }, (_, i) =>
    Math.round(mm(i % SIZE.width, Math.floor(i / SIZE.width), i) / (UNIT * 1000)),
  );
const noise = new Field(SIZE.width, SIZE.height, { near: 0.5, decay: 0.5 });
const wall = (x: number, y: number) => 2000 + 0.3 * x + 0.5 * y;

const setOf = (raw: readonly Uint16Array[], more: Partial<DataSet> = {}): DataSet => ({
  ...{ name: "test", intrinsics: INTRINSICS, metresPerUnit: UNIT, truth: undefined, fixed: false, raw },
  ...more,
});

/** A filter whose outputs are given, in mm. */
const gives = (outs: readonly Float32Array[]): Chain => ({
  ...{ name: "given", what: "", kind: "spatial", remembers: true },
  start:
    () =>
    (_, { index }): Depth => ({ ...SIZE, mm: outs[index] }),
});
const mmOf = (units: Uint16Array) => Float32Array.from(units, (u) => u * UNIT * 1000);
const figures = (set: DataSet, outs: readonly Float32Array[]) => measureSet(set, [gives(outs)])[0].figures;

describe("the figures over time", () => {
  /** A box crosses a wall with 5 mm of white noise by six pixels a frame, and leaves the image. */
  const raw = Array.from({ length: 44 }, (_, t) => {
    const white = noise.draw(t + 1).white.slice();
    const left = 4 + 6 * t;
    return frame((x, y, i) => {
      const inBox = x >= left && x < left + 20 && y >= 20 && y < 52;
      return inBox ? 1200 + 3 * white[i] : wall(x, y) + 5 * white[i];
    });
  });
  const set = setOf(raw, { fixed: true });
  const inputs = raw.map(mmOf);

  test("of raw depth are a jitter of 1, no ghosts, and a grain equal to the noise", () => {
    const { still } = figures(set, inputs);
    expect(still).toMatchObject({ jitterRatio: 1, jitterRmsRatio: 1, ghost: 0, changedP95: 0 });
    expect(still?.jitter["2-3"]).toMatchObject({ raw: expect.closeTo(5, 0) });
    expect(Math.abs((still?.grainRaw ?? 0) - 5)).toBeLessThan(0.2);
  });

  test("of a recursive mean that restarts at depth jumps are the jitter of its gain, and no ghosts", () => {
    let mean = inputs[0];
    const outs = inputs.map((z) => {
      mean = z.map((now, i) => (Math.abs(now - mean[i]) > 100 ? now : 0.2 * now + 0.8 * mean[i]));
      return mean;
    });
    const { still } = figures(set, outs);
    expect(Math.abs((still?.jitterRatio ?? 0) - Math.sqrt(0.2 / 1.8))).toBeLessThan(0.1);
    expect(still?.ghost).toBe(0);
  });
});

describe("the figures against the truth", () => {
  const step = frame((x) => (x < 48 ? 1500 : 2000));
  const raw = [1, 2].map((seed) => {
    const white = noise.draw(seed).white.slice();
    return frame((x, _, i) => (x < 48 ? 1500 : 2000) + 4 * white[i]);
  });
  const set = setOf(raw, { truth: [step, step] });

  test("of the truth itself are no error and no flying pixel", () => {
    const { truth } = figures(set, [mmOf(step), mmOf(step)]);
    expect(truth?.all).toMatchObject({ rmse: 0, bias: 0, lost: 0 });
    expect(Math.abs((truth?.flat.rmseRaw ?? 0) - 4)).toBeLessThan(0.1);
    expect(truth).toMatchObject({ flying: 0, flyingRaw: 0 });
  });
});

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
    expect(rows.map(({ chain }) => chain).slice(0, 4)).toEqual(["raw", "ours, spatial", "ours", "asked for"]);
    for (const { figures } of rows) expect(figures.truth?.all.rmse).toBeGreaterThan(0);
    // Figures that were not measured are absent.
    expect(rows[1]?.figures.invented ?? 0).toBe(0);
  }
  expect(report.sets.some(({ rows }) => rows[1]?.figures.invented === 0)).toBe(true);
  expect(readFileSync(html, "utf8")).toMatch(/<table>/);
});

test("`bench fidelity` refuses a truth without a recording, stages without a filter and unknown stages", async () => {
  await expect(run({ truth: ["x"] })).rejects.toThrow(RequestError);
  await expect(run({ stages: "compact" })).rejects.toThrow(/none of them is a filter/);
  await expect(run({ stages: "medium" })).rejects.toThrow(/there is no stage "medium"/);
});

// Curved things before simulated cameras: figures of known errors, and filters that leave curved things rounder than raw depth.

const [close] = curvedScenes();

test("figuresOf gives the truth no error, and depth that is 1 mm off an RMS of 1 mm", () => {
  const { truth } = close;
  const exact = figuresOf(close, truth);
  for (const thing of THINGS) expect(exact[thing]).toEqual({ rms: 0, bend: 0 });
  const off = figuresOf(close, { ...truth, mm: truth.mm.map((z) => z + 1) });
  for (const thing of THINGS) expect(off[thing].rms).toBeCloseTo(1, 4);
});

test("raw depth has the camera's noise, and the default chain leaves balls and faces rounder", () => {
  const [raw, filtered] = measureCurved([RAW, ours()[0]], close).map(({ things }) => things);
  // 0.0025 z²: the ball's middle is 0.5 to 0.6 m away.
  expect(raw.ball.rms).toBeGreaterThan(0.6);
  expect(raw.ball.rms).toBeLessThan(0.9);
  expect(filtered.ball.rms).toBeLessThan(0.3 * raw.ball.rms);
  expect(filtered.face.rms).toBeLessThan(0.5 * raw.face.rms);
  expect(filtered.ball.bend).toBeLessThan(0.2 * raw.ball.bend);
});

test("keptOf finds that raw keeps whole waves, and that our filters keep long waves better than short ones", () => {
  for (const one of walls()) expect(Math.abs(keptOf(RAW, one, 5, 16) - 1)).toBeLessThan(0.06);
  const [white] = walls();
  const [spatial] = ours();
  expect(keptOf(spatial, white, 5, 6)).toBeLessThan(0.8);
  expect(keptOf(spatial, white, 5, 32)).toBeGreaterThan(0.9);
});

// Each camera's preset against the default filters, on that simulated camera.

const [, kinect1] = walls();

test("the Kinect v1's preset holds a wall still for longer than the default, and both keep waves on the wall", () => {
  const [, plain] = ours();
  const [, preset] = presetChains("kinect-v1");
  const { metres } = wavy(kinect1.awayM, 0, 16);
  const jitter = (chain: Chain, frames: number) => {
    const raw = Array.from({ length: frames }, (_, t) => kinect1.look(metres, t));
    const set = { ...SHAPE, name: "wall", raw, truth: undefined, fixed: true };
    return measureSet(set, [chain])[0].figures.still?.jitterRatio;
  };
  expect(jitter(plain, 14)).toBeLessThan(0.12);
  expect(jitter(preset, 40)).toBeLessThan(0.12);
  for (const chain of [plain, preset]) expect(keptOf(chain, kinect1, 5, 16)).toBeGreaterThan(0.85);
});

test("the presets of a stereo camera and a phone beat the default in jitter and error, and lose no more pixels", async () => {
  // The blobs of stereo noise are some pixels wide, so that a small image of them is another scene.
  for (const [sensor, width, height] of [
    ["realsense", 320, 240],
    ["phone", 96, 72],
  ] as const) {
    for await (const set of syntheticSets({ width, height }, 8)) {
      if (set.sensor !== sensor) continue;
      const chains = [ours()[1], presetChains(sensor)[1]];
      const [plain, preset] = measureSet(set, chains).map(({ figures }) => figures);
      // The default follows the noise that it measures, so that it is nearly as good.
      expect(preset.truth?.flat.rmseRatio).toBeLessThan(plain.truth?.flat.rmseRatio ?? 0);
      expect(preset.still?.jitterRmsRatio).toBeLessThan(plain.still?.jitterRmsRatio ?? 0);
      expect(preset.lost).toBeLessThanOrEqual(plain.lost ?? 0);
    }
  }
});
