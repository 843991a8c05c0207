import { describe, expect, test } from "vitest";
import { depthAxis, OFF_AXIS, type RangeSigma } from "../../stages/bilateralGrid/depthAxis.ts";

const MM = 0.001;
const axisOf = (changes: Partial<RangeSigma>, metresPerUnit: number) =>
  depthAxis({ sigmaDepthMm: 50, sigmaDepthPerM2Mm: 0, maxDepthM: 10, ...changes }, metresPerUnit);

describe("bilateralGrid's depth axis", () => {
  test.each([
    [50, 0.001, 50, 201],
    [50, 0.0002, 250, 201],
    [50, 0.000125, 400, 164],
    [33.3, 0.000125, 266.4, 247],
  ])("with a sigma of %f mm, at %f m a unit, has cells of %f units", (sigmaDepthMm, metresPerUnit, units, cells) => {
    const axis = axisOf({ sigmaDepthMm }, metresPerUnit);
    expect(axis.cells).toBe(cells);
    expect([...axis.bases]).toEqual(Array.from({ length: cells + 1 }, (_, c) => Math.round(c * units)));
  });

  test("has tables that agree with its borders for every depth", () => {
    const { bases, farthest, cellOf, positionOf } = axisOf({ sigmaDepthMm: 7, sigmaDepthPerM2Mm: 2 }, 0.0002);
    expect(farthest).toBe(50000);
    for (let depth = 0; depth < 65536; depth++) {
      const off = depth === 0 || depth > farthest;
      const cell = bases.findLastIndex((base) => base <= depth);
      const [base, next] = [bases[cell], bases[cell + 1]];
      const entry = off ? OFF_AXIS : (cell << 16) | (depth - base);
      if (cellOf[depth] !== entry) throw new Error(`depth ${depth}: expected ${entry}, got ${cellOf[depth]}`);
      // The position between cell centres, counted from the centre before the first.
      const place = off ? -1 / 65536 : cell + 1 + (depth - (base + next - 1) / 2) / (next - base);
      if (Math.abs(positionOf[depth] / 65536 - place) > 1 / 65536) {
        throw new Error(`depth ${depth}: expected ${place * 65536}, got ${positionOf[depth]}`);
      }
    }
  });

  test("has cells of one sigma, a + b·z², at every depth", () => {
    const [a, b] = [10, 3];
    const { bases, cells } = axisOf({ sigmaDepthMm: a, sigmaDepthPerM2Mm: b }, MM);
    expect(cells).toBe(Math.ceil((1000 * Math.atan(10 * Math.sqrt(b / a))) / Math.sqrt(a * b)));
    for (let cell = 0; cell < cells - 1; cell++) {
      const metres = (bases[cell] + bases[cell + 1]) / 2000;
      const sigma = a + b * metres ** 2;
      // Borders are whole units, and the mean of a square is a little more than the square of the mean.
      expect(Math.abs(bases[cell + 1] - bases[cell] - sigma)).toBeLessThan(1 + 0.05 * sigma);
    }
  });

  test.each([
    [50, 0, 0.0002, 250],
    [1, 0, MM, 1],
    [50, 0, MM, 50],
    [300, 0, 0.00005, 6000],
    [33.3, 0, 0.000125, 0],
    [50, 1, MM, 0],
  ])(
    "with sigma %f + %f z² mm at %f m a unit has cells of %i units, and arithmetic on f32 finds them",
    (a, b, unit, width) => {
      const axis = axisOf({ sigmaDepthMm: a, sigmaDepthPerM2Mm: b }, unit);
      expect(axis.width).toBe(width);
      if (width === 0) return;
      // As the kernels compute it, with a division that is off by the 2.5 units in the last place that WGSL allows.
      const { fround } = Math;
      for (let depth = 1; depth <= axis.farthest; depth++) {
        const share = fround((depth + 0.5) / width);
        for (const off of [-3, 0, 3]) {
          const cell = Math.floor(fround(share + off * 2 ** -23 * share));
          if (cell !== axis.cellOf[depth] >> 16) throw new Error(`depth ${depth}: not in cell ${cell}`);
        }
      }
    },
  );
});
