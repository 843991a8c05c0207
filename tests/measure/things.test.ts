import { expect, test } from "vitest";
import { image } from "../../core/frame.ts";
import { findThings, weightOf } from "../../measure/index.ts";
import { syntheticRoom } from "../../sources/index.ts";
import { cameraAt, floor, framesOf, parcel } from "./world.ts";

const camera = cameraAt([0, 0, 0], 1.4, 0.1, 0);
const seen = (...things: ReturnType<typeof parcel>[]) => framesOf([floor, ...things], camera);
/** The ids of things by their lengths in centimetres. */
const idsOf = ({ things }: ReturnType<typeof findThings>) =>
  Object.fromEntries(things.map(({ id, length }) => [Math.round((length.value ?? 0) / 10), id]));

test("every thing on the floor is found and measured, and keeps its id while it moves; a new one gets a new id", () => {
  const first = findThings(seen(parcel([0.3, 0.2, 0.2], 0.3, -0.3), parcel([0.2, 0.12, 0.15], 1, 0.3)));
  expect(idsOf(first)).toEqual({ 30: 1, 20: 2 });
  const moved = seen(parcel([0.2, 0.12, 0.15], 1.1, 0.24, 0.05), parcel([0.4, 0.15, 0.3], 0, -0.3, -0.32));
  const next = findThings(moved, { known: first });
  // The one with id 1 went; what came lies too far from where it lay.
  expect(idsOf(next)).toEqual({ 20: 2, 40: 3 });
  const [large] = next.things;
  // 40 × 30 × 15 cm over 5000.
  expect(large && weightOf(large, 5000)).toMatchObject({ value: expect.closeTo(3.6, 1), unit: "kg" });
  expect(large?.height.value).toBeCloseTo(150, 0);
  expect(findThings(seen(), { known: next })).toMatchObject({ things: [], nextId: 4 });
  // Without a floor nothing is known to be there; the ids come back with the floor.
  const dark = seen().map((frame) => ({
    ...frame,
    depth: image(new Uint16Array(frame.depth.data.length), [...frame.depth.shape]),
  }));
  const lost = findThings(dark, { known: next });
  expect([lost.things, lost.warnings]).toEqual([[], [expect.stringContaining("no floor was found")]]);
  expect(idsOf(findThings(moved, { known: lost }))).toEqual({ 20: 2, 40: 3 });
  expect(() => findThings([], { known: [] as never })).toThrow(/known must be what findThings gave before/);
});

test("the two parcels of the synthetic scene have the sizes that the docs tell", async () => {
  const parcels = syntheticRoom({ scene: "parcel", color: false });
  const { things } = findThings(await Promise.all([0, 1, 2, 3].map((index) => parcels.read(index))));
  const truths = [
    [400, 300, 200],
    [250, 180, 120],
  ];
  const off = things.map(({ length, width, height }, k) =>
    [length, width, height].map(({ value, plusMinus }, n) => Math.abs((value ?? 0) - truths[k][n]) / (plusMinus ?? 0)),
  );
  expect(off.map((ratios) => Math.max(...ratios) < 1)).toEqual([true, true]);
});

test("of two things whose step is just a jump, each pixel belongs to one, whichever is found first", () => {
  // On a floor 1.4 m below, tops 1.000 and 1.0405 m away: the step is 4.05 % of the nearer distance, and 3.9 % of the farther one.
  const depth = image(new Uint16Array(120 * 90).fill(14_000), [90, 120]);
  for (let y = 30; y < 60; y++) for (let x = 30; x < 90; x++) depth.set(y, x, x < 60 ? 10_000 : 10_405);
  const intrinsics = { fx: 100, fy: 100, cx: 59.5, cy: 44.5, width: 120, height: 90 };
  const { things } = findThings([{ depth, metresPerUnit: 0.0001, intrinsics, timestamp: 0, index: 0 }]);
  expect(things.map(({ areaM2 }) => areaM2)).toEqual([expect.closeTo(0.0974, 3), expect.closeTo(0.09, 3)]);
});
