import { describe, expect, test } from "vitest";
import type { Chain } from "../../../bench/fidelity/chains.ts";
import type { Depth } from "../../../bench/fidelity/image.ts";
import { measureSet } from "../../../bench/fidelity/measure.ts";
import type { DataSet } from "../../../bench/fidelity/sets.ts";
import { Field } from "../../../sources/synthetic/sensors/field.ts";

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
