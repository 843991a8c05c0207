import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countValid, type DepthArray } from "../core/frame.ts";
import { bilateralGrid } from "../stages/bilateralGrid/index.ts";
import { build } from "../stages/bilateralGrid/means/build.ts";
import { gridTwin } from "../stages/bilateralGrid/means/cpu.ts";
import { type GridParameters, gridShape } from "../stages/bilateralGrid/means/grid.ts";
import { RANGE_PAD, RAW_PAD } from "../stages/bilateralGrid/means/layout.ts";
import { gridScratch } from "../stages/bilateralGrid/means/scratch.ts";
import { AGAIN } from "../stages/core/resources.ts";
import { furnish, normalFrom, painted, rooms } from "./bilateralGrid/frames.ts";
import { denseGrid } from "./bilateralGrid/reference.ts";
import { firstFrame, testOnFrames, unitOf } from "./fullFrames.ts";
import { expectImage, image } from "./gpu.ts";
import { QUICK } from "./mode.ts";

const SEED = 20260102;
const MM = 0.001;
const UNITS = [0.001, 0.0002, 0.000125];
const defaults: GridParameters = { sigmaSpacePx: 16, sigmaDepthMm: 50, sigmaDepthPerM2Mm: 0, maxDepthM: 10 };

/** The twin's output for a frame. */
function filter(depth: DepthArray, changes: Partial<GridParameters> = {}, metresPerUnit = MM): Uint16Array {
  const [height, width] = depth.shape;
  const frame = { depth, color: undefined, points: undefined, picture: undefined };
  gridTwin(gridShape(width, height, metresPerUnit, { ...defaults, ...changes })).run(frame, AGAIN);
  return frame.depth.data;
}

const parameters: fc.Arbitrary<Partial<GridParameters>> = fc.constantFrom(
  {},
  { sigmaSpacePx: 4 },
  { sigmaSpacePx: 10, sigmaDepthMm: 20, sigmaDepthPerM2Mm: 5 },
  { sigmaSpacePx: 64, sigmaDepthMm: 300 },
  { sigmaSpacePx: 6, sigmaDepthMm: 1, maxDepthM: 4 },
);
const smallRooms = rooms([
  [1, 1],
  [17, 5],
  [31, 23],
  [40, 33],
]);

describe("the bilateral grid", () => {
  test("counts the pixels of each cell and sums their offsets within the cell", () => {
    // A tile of 4 × 4 and the pixel beside it: three pixels in cell 2, one in cell 5, one past the axis, the rest invalid.
    const depth = image([100, 149, 0, 0, 260, 299, 0, 10001, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 0], 5);
    const shape = gridShape(5, 4, MM, { ...defaults, sigmaSpacePx: 4 });
    const scratch = gridScratch(shape);
    build(depth, shape, scratch);
    const word = (column: number, cell: number) => scratch.grid.get(0, column, 0, cell + RAW_PAD) >>> 0;
    const range = (column: number) => scratch.ranges.get(RANGE_PAD, RANGE_PAD + column);
    const one = 2 ** shape.countBit;
    expect([range(0), range(1)]).toEqual([2 | (5 << 16), 5 | (5 << 16)]);
    expect([2, 3, 4, 5].map((cell) => word(0, cell))).toEqual([3 * one + 0 + 49 + 0, 0, 0, one + 49]);
    expect(word(1, 5)).toBe(one + 10);
  });

  test("gives the output of a plain, dense implementation of the paper", () => {
    fc.assert(
      fc.property(smallRooms, parameters, fc.constantFrom(...UNITS), (room, changes, metresPerUnit) => {
        const depth = furnish(room);
        const shape = gridShape(room.width, room.height, metresPerUnit, { ...defaults, ...changes });
        fc.pre(shape.axis.cells < 1000);
        // Positions between cells are kept to 1/65536 of a cell, sums to f32.
        const tolerance = 0.51 + shape.axis.maxOffset / 2 ** 13;
        const name = `${JSON.stringify([room, changes, metresPerUnit])}`;
        const layout = { width: room.width, tolerance, name };
        expectImage(filter(depth, changes, metresPerUnit), denseGrid(depth, shape), layout);
      }),
      { seed: SEED, numRuns: QUICK ? 20 : 60 },
    );
  });
});

describe("bilateralGrid with `fit: constant`", () => {
  test("leaves a flat surface exactly where it is, at any depth, unit and sigma", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 65535 }), fc.constantFrom(...UNITS), parameters, (flat, unit, changes) => {
        const depth = painted(37, 29, (x, y) => (x % 11 === 3 && y % 7 < 3 ? 0 : flat));
        const name = JSON.stringify([flat, unit, changes]);
        expectImage(filter(depth, changes, unit), depth.data, { width: 37, name });
      }),
      { seed: SEED, numRuns: QUICK ? 60 : 200 },
    );
  });

  test("leaves a flat surface where it is when sums and counts do not fit in one word", () => {
    const changes = { sigmaSpacePx: 64, sigmaDepthMm: 1000 };
    const shape = gridShape(256, 192, 0.0002, { ...defaults, ...changes });
    expect(shape.planes).toBe(2);
    const depth = painted(256, 192, () => 14999);
    expectImage(filter(depth, changes, 0.0002), depth.data, { width: 256 });
    const scratch = gridScratch(shape);
    build(depth, shape, scratch);
    expect([0, 1].map((plane) => scratch.grid.get(0, 0, plane, 2 + RAW_PAD))).toEqual([4096 * 4999, 4096]);
  });

  // Along each axis Σw²/σ of the noise's variance is left, with 1 4 6 4 1 of 16 mixed linearly with its neighbours as
  // weights: 0.256 on average over a cell. In the middle of a depth cell no more is left. On the border of two cells, each holds
  // half of the pixels, ±0.8 s off; blurred, ±0.16 s, so that a pixel's own deviation counts for 0.32 s/σ.
  test.each([
    ["the middle of a cell", 20500, 0],
    ["the border of a cell", 20000, 0.32 * 0.1],
  ])("reduces the noise of a flat surface in %s by the factor that the kernel's weights give", (_where, flat, own) => {
    const [width, height, noise] = [320, 240, 100];
    const random = normalFrom(SEED);
    const depth = painted(width, height, () => flat + noise * random());
    const got = filter(depth, { sigmaDepthMm: 200 }, 0.0002);
    let [sum, squares, n] = [0, 0, 0];
    for (let y = 48; y < height - 48; y++) {
      for (let x = 48; x < width - 48; x++) {
        const off = got[y * width + x] - flat;
        sum += off;
        squares += off * off;
        n++;
      }
    }
    // The mean of the noise over the frame stays, which is not the filter's error.
    expect(Math.abs(sum / n)).toBeLessThan(2);
    const left = Math.sqrt(squares / n - (sum / n) ** 2) / noise;
    const expected = Math.hypot(0.256 / 16, own);
    expect(left / expected).toBeGreaterThan(0.75);
    expect(left / expected).toBeLessThan(1.25);
  });

  test("keeps an edge exactly at a step of 3.5 sigma or more, and nearly at 3 sigma", () => {
    const step = (near: number, by: number) => painted(64, 48, (x, y) => (x + y / 3 > 40 ? near + by : near));
    for (let near = 1000; near < 1050; near += 7) {
      const [exact, close] = [step(near, 176), step(near, 150)];
      expectImage(filter(exact), exact.data, { width: 64, name: `a step of 176 mm from ${near}` });
      // At worst a pixel lies between two cells, the farther of which has a tenth of its weight from across the step.
      expectImage(filter(close), close.data, { width: 64, tolerance: 20, name: `a step of 150 mm from ${near}` });
    }
  });
});

describe("bilateralGrid's pixels", () => {
  test("stay valid or invalid, and keep their depth past maxDepthM", () => {
    fc.assert(
      fc.property(smallRooms, parameters, (room, changes) => {
        const depth = furnish(room);
        const farthest = (changes.maxDepthM ?? 10) * 1000;
        filter(depth, changes).forEach((value, i) => {
          const given = depth.data[i];
          const where = `(x ${i % room.width}, y ${Math.floor(i / room.width)}) was ${given} and is ${value}`;
          if ((given === 0) !== (value === 0)) throw new Error(where);
          if (given > farthest && value !== given) throw new Error(`${where}, past ${farthest}`);
          if (given > 0 && given <= farthest && value > farthest) throw new Error(`${where}, drawn past ${farthest}`);
        });
      }),
      { seed: SEED, numRuns: 100 },
    );
  });

  test("are not drawn by holes or by pixels past maxDepthM", () => {
    const wall = painted(64, 64, () => 9990);
    const holed = painted(64, 64, (x) => (x < 30 ? 9990 : x < 40 ? 0 : 10001));
    const got = filter(holed);
    expect(new Set(got)).toEqual(new Set([9990, 0, 10001]));
    expect(countValid(wall)).toBe(64 * 64);
  });
});

describe("the stage bilateralGrid", () => {
  test("leaves its input array unchanged and gives equal output for equal frames, whatever ran in between", () => {
    const twin = bilateralGrid({ fit: "constant", sigmaSpacePx: 4 }).twin({
      metresPerUnit: MM,
      intrinsics: { fx: 1, fy: 1, cx: 0, cy: 0, width: 31, height: 23 },
    });
    const run = (depth: DepthArray) => {
      const frame = { depth, color: undefined, points: undefined, picture: undefined };
      twin.run(frame, AGAIN);
      return frame.depth.data.slice();
    };
    const room = { width: 31, height: 23, near: 500, far: 9000, roughness: 0.1, holeShare: 0.2, seed: 1 };
    const [one, other] = [furnish(room), furnish({ ...room, seed: 2, roughness: 1 })];
    const given = one.data.slice();
    const first = run(one);
    run(other);
    expectImage(run(one), first, { width: 31 });
    expectImage(one.data, given, { width: 31 });
  });

  test("changes its default sigmas with `fit`, except for those that the user set", () => {
    const planes = { fit: "plane", sigmaSpacePx: 8, sigmaDepthMm: 3, sigmaDepthPerM2Mm: 2, softness: 0, maxDepthM: 10 };
    const means = { ...planes, fit: "constant", sigmaSpacePx: 16, sigmaDepthMm: 50, sigmaDepthPerM2Mm: 0 };
    expect(bilateralGrid().parameters).toEqual(planes);
    expect(bilateralGrid({ fit: "constant" }).parameters).toEqual(means);
    const stage = bilateralGrid({ sigmaDepthMm: 7 });
    const { changes, revision } = stage;
    stage.set({ fit: "constant" });
    expect(stage.parameters).toEqual({ ...means, sigmaDepthMm: 7 });
    expect([stage.changes - changes, stage.revision - revision]).toEqual([1, 1]);
    stage.set({ sigmaSpacePx: 12 });
    stage.set({ fit: "plane" });
    expect(stage.parameters).toEqual({ ...planes, sigmaDepthMm: 7, sigmaSpacePx: 12 });
  });
});

testOnFrames(
  "bilateralGrid keeps pixels of a full frame of %s valid or invalid and within 3.5 sigma of their depth",
  (name) => {
    const depth = firstFrame(name);
    const unit = unitOf(name);
    const got = filter(depth, {}, unit);
    let off = 0;
    got.forEach((value, i) => {
      const given = depth.data[i];
      if ((given === 0) !== (value === 0)) throw new Error(`pixel ${i} was ${given} and is ${value}`);
      off = Math.max(off, Math.abs(value - given) * unit);
    });
    // Nothing moves by more than the kernel's reach, 3.5 sigma.
    expect(off).toBeGreaterThan(0);
    expect(off).toBeLessThan(0.175);
  },
);
