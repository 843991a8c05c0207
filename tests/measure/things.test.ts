import { expect, test } from "vitest";
import { findThings, weightOf } from "../../measure/index.ts";
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
  expect(findThings(seen(), { known: next })).toEqual({ things: [], nextId: 4 });
  expect(() => findThings([], { known: [] as never })).toThrow(/known must be what findThings gave before/);
});
