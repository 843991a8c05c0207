import fc from "fast-check";
import { expect, test } from "vitest";
import type { DepthArray } from "../../sources/core/frame.ts";
import { planeTwin } from "../../stages/bilateralGrid/planes/cpu.ts";
import { type PlaneParameters, type PlaneShape, planeShape } from "../../stages/bilateralGrid/planes/shape.ts";
import { createSimdPlanes } from "../../stages/bilateralGrid/planes/simd.ts";
import { AGAIN } from "../../stages/core/frameContext.ts";
import { expectImage } from "../compare.ts";
import { firstFrame, testOnFrames, unitOf } from "../fullFrames.ts";
import { image } from "../recipes.ts";
import { furnish, painted, rooms } from "./frames.ts";
import { expectPlane, planes, slanted } from "./slants.ts";

// `fit: "plane"` in WebAssembly computes in f32, the twin in f64: depth differs by one unit at most, at ties.

const SEED = 20261122;
const defaults: PlaneParameters = { sigmaSpacePx: 8, sigmaDepthMm: 5, sigmaDepthPerM2Mm: 1.75, maxDepthM: 10 };

const parameters: fc.Arbitrary<Partial<PlaneParameters>> = fc.constantFrom(
  {},
  {},
  { sigmaSpacePx: 2 },
  { sigmaSpacePx: 3, sigmaDepthMm: 50 },
  { sigmaSpacePx: 7, softness: 0.7 },
  { sigmaSpacePx: 10, sigmaDepthMm: 1, sigmaDepthPerM2Mm: 0, maxDepthM: 4 },
  { sigmaSpacePx: 13, sigmaDepthMm: 20, sigmaDepthPerM2Mm: 5 },
  { sigmaSpacePx: 64, sigmaDepthMm: 300, maxDepthM: 4 },
);
/** Tiles of 8 and one more or less among them. */
const someRooms = rooms([
  [1, 1],
  [3, 1],
  [1, 9],
  [7, 8],
  [8, 7],
  [9, 9],
  [17, 5],
  [31, 33],
  [64, 40],
]);

function open(shape: PlaneShape): (input: DepthArray) => DepthArray {
  const filter = createSimdPlanes(shape)?.filter;
  if (!filter) throw new Error("no vectors in this engine");
  return filter;
}

/** Gives the share of pixels that differ. */
function expectTwin(filter: (input: DepthArray) => DepthArray, depth: DepthArray, shape: PlaneShape, name: string) {
  const { width } = shape;
  const got = filter(depth).data;
  const frame = { depth, color: undefined, points: undefined, picture: undefined };
  planeTwin(shape).run(frame, AGAIN);
  const expected = frame.depth.data;
  expectImage(got, expected, { width, tolerance: 1, name });
  const isValid = (values: Uint16Array) => values.map((value) => Number(value !== 0));
  expectImage(isValid(got), isValid(expected), { width, name: `valid pixels, ${name}` });
  return got.reduce((count, value, i) => count + Number(value !== expected[i]), 0) / got.length;
}

test("`fit: plane` in WebAssembly agrees with the twin on any frame, size and sigma, and repeats its output", () => {
  const units = fc.constantFrom(0.001, 0.0002);
  fc.assert(
    fc.property(someRooms, fc.nat(), parameters, units, (room, seed, changes, unit) => {
      const shape = planeShape(room.width, room.height, unit, { ...defaults, ...changes });
      const filter = open(shape);
      const [one, other] = [furnish(room), furnish({ ...room, seed })];
      const name = JSON.stringify([room, seed, changes, unit]);
      const given = one.data.slice();
      expectTwin(filter, one, shape, name);
      const first = filter(one).data.slice();
      expectTwin(filter, other, shape, `the second frame, ${name}`);
      expectImage(filter(one).data, first, { width: room.width, name: `again, ${name}` });
      expectImage(one.data, given, { width: room.width, name: `what was given, ${name}` });
    }),
    { seed: SEED, numRuns: 60 },
  );
});

test("`fit: plane` in WebAssembly leaves a plane where it is, also at holes and the border, at any slant", () => {
  const sizes = fc.constantFrom<Partial<PlaneParameters>>({}, {}, { sigmaSpacePx: 4 }, { sigmaSpacePx: 7 });
  fc.assert(
    fc.property(planes, sizes, (plane, changes) => {
      const { width, height, unit } = plane;
      const exact = slanted(plane);
      const filter = open(planeShape(width, height, unit, { ...defaults, ...changes }));
      expectPlane(filter(image(exact.map(Math.round), width)).data, exact, plane);
    }),
    { seed: SEED, numRuns: 60 },
  );
});

test("`fit: plane` in WebAssembly agrees with the twin for all 65,536 depths", () => {
  const depth = painted(256, 256, (x, y) => y * 256 + x);
  for (const unit of [0.001, 0.0002, 0.000125]) {
    for (const sigmaDepthPerM2Mm of [0, 1.75]) {
      const shape = planeShape(256, 256, unit, { ...defaults, sigmaDepthPerM2Mm });
      expectTwin(open(shape), depth, shape, `${unit} m, ${sigmaDepthPerM2Mm} mm per m²`);
    }
  }
});

test("`fit: plane` in WebAssembly gives filters of several sizes each their own memory, which does not grow", () => {
  const room = { near: 500, far: 4000, roughness: 0.01, holeShare: 0.1, seed: 5 };
  const all = [40, 41, 48, 63].map((width) => {
    const shape = planeShape(width, 30, 0.001, defaults);
    const depth = furnish({ ...room, width, height: 30 });
    return { shape, depth, filter: open(shape) };
  });
  const first = all.map(({ depth, filter }) => filter(depth));
  const bytes = first.map(({ data }) => data.buffer.byteLength);
  for (let frame = 0; frame < 3; frame++) {
    for (const { shape, depth, filter } of all) expectTwin(filter, depth, shape, `${shape.width} px`);
  }
  expect(all.map(({ depth, filter }) => filter(depth))).toEqual(first);
  expect(first.map(({ data }) => data.buffer.byteLength)).toEqual(bytes);
});

testOnFrames("`fit: plane` in WebAssembly agrees with the twin on a full frame of %s", (name) => {
  const depth = firstFrame(name);
  const [height, width] = depth.shape;
  const unit = unitOf(name);
  const shape = planeShape(width, height, unit, defaults);
  // Ties are rare: 1 pixel in 2,600 at most, here.
  expect(expectTwin(open(shape), depth, shape, name)).toBeLessThan(1 / 1000);
});
