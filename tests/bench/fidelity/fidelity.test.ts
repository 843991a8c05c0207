import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import type { Chain } from "../../../bench/fidelity/chains.ts";
import { verdictsOf } from "../../../bench/fidelity/goals.ts";
import type { Depth } from "../../../bench/fidelity/image.ts";
import { measureSet } from "../../../bench/fidelity/measure.ts";
import type { DataSet } from "../../../bench/fidelity/sets.ts";
import { image } from "../../../sources/core/frame.ts";
import { Field } from "../../../sources/synthetic/sensors/field.ts";
import { depthPng } from "../../../sources/write/index.ts";

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
const figures = (set: DataSet, outs: readonly Float32Array[]) => measureSet(set, [gives(outs)]).rows[0].figures;

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

  test("of a mean of four frames show ghosts", () => {
    const outs = inputs.map((_, t) =>
      inputs[t].map((_, i) => {
        const last = inputs.slice(Math.max(0, t - 3), t + 1);
        return last.reduce((sum, z) => sum + z[i], 0) / last.length;
      }),
    );
    const { still } = figures(set, outs);
    expect(still?.ghost).toBeGreaterThan(0.9);
    expect(still?.changedP95).toBeGreaterThan(300);
  });

  test("include the known bias, lost share and invented share", () => {
    const three = figures(
      set,
      inputs.map((z) => z.map((mm) => mm + 3)),
    );
    expect((three.still?.bias ?? 0) - (three.still?.biasRaw ?? 0)).toBeCloseTo(3, 3);
    const holes = raw.map((units) => units.map((u, i) => (i % 4 === 0 ? 0 : u)));
    expect(figures(set, holes.map(mmOf)).lost).toBeCloseTo(0.25, 9);
    expect(figures(setOf(holes), inputs).invented).toBe(1);
  });
});

describe("the figures against the truth", () => {
  const step = frame((x) => (x < 48 ? 1500 : 2000));
  const raw = [1, 2].map((seed) => {
    const white = noise.draw(seed).white.slice();
    return frame((x, _, i) => (x < 48 ? 1500 : 2000) + 4 * white[i]);
  });
  const set = setOf(raw, { truth: [step, step] });

  test("of the truth itself are no error, no flying pixel, and edges 0.8 px wide", () => {
    const { truth } = figures(set, [mmOf(step), mmOf(step)]);
    expect(truth?.all).toMatchObject({ rmse: 0, bias: 0, lost: 0 });
    expect(Math.abs((truth?.flat.rmseRaw ?? 0) - 4)).toBeLessThan(0.1);
    expect(truth).toMatchObject({ flying: 0, flyingRaw: 0 });
    expect(truth?.edgeWidth.out).toBeCloseTo(0.8, 2);
  });

  test("count one flying column as an eighth of the edge's pixels", () => {
    const hangs = mmOf(step).map((mm, i) => (i % SIZE.width === 48 ? 1750 : mm));
    const { truth, between } = figures(set, [hangs, hangs]);
    expect(truth?.flying).toBeCloseTo(1 / 8, 3);
    expect(between.out).toBeCloseTo(1 / 6, 2);
    expect(between.raw).toBe(0);
    expect(truth?.edgeWidth.out).toBeGreaterThan(1);
  });

  test("report a missed goal as missed, and no goal that does not apply to the set", () => {
    const { rows } = measureSet(set, [gives(raw.map(mmOf))]);
    const verdicts = verdictsOf(set, rows);
    expect(verdicts.find(({ what }) => what === "flat RMSE, of raw")).toMatchObject({ value: 1, reached: false });
    expect(verdicts.find(({ what }) => what === "invented")).toMatchObject({ reached: true });
    expect(verdicts.some(({ what }) => what.startsWith("jitter"))).toBe(false);
  });
});

test("the plane figure is a noisy wall's deviation from the largest plane", () => {
  const normal = [0.0995, 0.199, 0.975];
  const away = (x: number, y: number) =>
    1950 / (normal[0] * ((x - 47.5) / 80) + normal[1] * ((y - 35.5) / 80) + normal[2]);
  const raw = Array.from({ length: 8 }, (_, t) => {
    const white = noise.draw(t + 1).white.slice();
    return frame((x, y, i) => (y < 12 ? 1000 : away(x, y) * (1 + (4 * white[i]) / 1950)));
  });
  const { plane } = figures(
    setOf(raw, { fixed: true }),
    raw.map(() => mmOf(frame(away))),
  );
  expect(plane?.out).toBeLessThan(0.1);
  expect(Math.abs((plane?.raw ?? 0) - 4)).toBeLessThan(0.1);
});

describe("the figures beside another program", () => {
  const folder = mkdtempSync(join(tmpdir(), "depthloom-fidelity-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const python = "/usr/bin/python3";
  const script = fileURLToPath(new URL("../../../../shared/measure/fidelity.py", import.meta.url));
  const havePython = () => {
    try {
      execFileSync(python, ["-c", "import cv2, numpy"], { stdio: "ignore" });
      return existsSync(script);
    } catch {
      return false;
    }
  };

  test.skipIf(!havePython())("equal those of fidelity.py, where Python has OpenCV", async () => {
    const raw = Array.from({ length: 12 }, (_, t) => {
      const white = noise.draw(t + 1).white.slice();
      return frame((x, y, i) => {
        const near = (x - 24 - 2 * t) ** 2 + (y - 36) ** 2 < 256;
        return i % 97 === 0 ? 0 : (near ? 1100 : x > 76 ? 1600 : wall(x, y)) + 6 * white[i];
      });
    });
    const truth = raw.map((_, t) =>
      frame((x, y) => ((x - 24 - 2 * t) ** 2 + (y - 36) ** 2 < 256 ? 1100 : x > 76 ? 1600 : wall(x, y))),
    );
    // An output with half of the noise, and one flying column.
    const out = raw.map((units, t) =>
      units.map((u, i) => (u === 0 ? 0 : i % SIZE.width === 75 ? 8900 : Math.round((u + truth[t][i]) / 2))),
    );
    const set = setOf(raw, { truth });
    const write = async (name: string, frames: readonly Uint16Array[]) => {
      mkdirSync(join(folder, name));
      for (const [t, units] of frames.entries()) {
        const png = await depthPng(image(new Uint16Array(units), [SIZE.height, SIZE.width]));
        writeFileSync(join(folder, name, `${String(t).padStart(3, "0")}.png`), png);
      }
      return join(folder, name);
    };
    const args = [
      "--raw",
      await write("raw", raw),
      "--out",
      await write("out", out),
      "--gt",
      await write("truth", truth),
    ];
    const text = execFileSync(python, [script, ...args, "--mm-per-unit", "0.2,0.2,0.2", "--json"], {
      encoding: "utf8",
    });
    const theirs = JSON.parse(text) as {
      gt: Record<"all" | "flat" | "edge", { rmse: number; mae50: number; bias: number; lost: number }> & {
        flying: number;
        edge_width: { n: number; out: number };
      };
      between: { out: number };
    };
    const mine = figures(set, out.map(mmOf));
    for (const part of ["all", "flat", "edge"] as const) {
      expect(mine.truth?.[part].rmse).toBeCloseTo(theirs.gt[part].rmse, 3);
      expect(mine.truth?.[part].mae50).toBeCloseTo(theirs.gt[part].mae50, 6);
      expect(mine.truth?.[part].bias).toBeCloseTo(theirs.gt[part].bias, 3);
      expect(mine.truth?.[part].lost).toBeCloseTo(theirs.gt[part].lost, 9);
    }
    expect(mine.truth?.flying).toBeGreaterThan(0);
    expect(mine.truth?.flying).toBeCloseTo(theirs.gt.flying, 6);
    expect(mine.truth?.edgeWidth.n).toBe(theirs.gt.edge_width.n);
    expect(mine.truth?.edgeWidth.out).toBeCloseTo(theirs.gt.edge_width.out, 3);
    expect(mine.between.out).toBeCloseTo(theirs.between.out, 4);
  });
});
