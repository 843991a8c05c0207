import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { image } from "../../core/frame.ts";
import { findFloor } from "../../measure/find.ts";
import { findThings, SceneBuilder, weightOf } from "../../measure/index.ts";
import { Resting } from "../../measure/resting.ts";
import type { Scene } from "../../measure/scene.ts";
import { openRecording, syntheticRoom } from "../../sources/index.ts";
import { cameraAt, FULL, floor, framesOf, parcel } from "./world.ts";

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

test("a thing that rests keeps its reading, within the ± of another measurement; one that moves is measured again", () => {
  const still = parcel([0.4, 0.15, 0.3], 0, -0.3, -0.32);
  const at = (x: number, ...more: ReturnType<typeof parcel>[]) => [
    floor,
    parcel([0.2, 0.12, 0.15], 1, x),
    still,
    ...more,
  ];
  const frames = (things: ReturnType<typeof at>, count = 1) =>
    framesOf(things, camera, { sensor: "kinect-v2", count, lens: FULL });
  const [one, ...later] = frames(at(0.3), 2);
  const first = findThings([one]);
  const values = (found: typeof first, id: number) => {
    const { length, width, height } = found.things.find((thing) => thing.id === id) ?? first.things[0];
    return [length, width, height];
  };
  for (const frame of later) {
    const next = findThings([frame], { known: first });
    // An answer that no call has given remembers nothing.
    const anew = findThings([frame], { known: { ...first } });
    for (const id of [1, 2]) {
      expect(values(next, id)).toEqual(values(first, id));
      expect(values(anew, id)).not.toEqual(values(first, id));
      for (const [k, { value, plusMinus }] of values(anew, id).entries())
        expect(Math.abs((value ?? 0) - (values(first, id)[k].value ?? 0))).toBeLessThan(plusMinus ?? 0);
    }
  }
  // The smaller one moves by 8 mm; the other rests, until something comes to its side, or something else is asked.
  const [moved] = frames(at(0.308));
  const next = findThings([moved], { known: first });
  expect(values(next, 2)).not.toEqual(values(first, 2));
  expect(values(next, 1)).toEqual(values(first, 1));
  const [joined] = frames(at(0.308, parcel([0.1, 0.1, 0.1], 0, -0.02, -0.32)));
  expect(values(findThings([joined], { known: next }), 1)).not.toEqual(values(first, 1));
  expect(values(findThings([moved], { known: next, accuracy: 0.01 }), 1)).not.toEqual(values(first, 1));
  // `findThings` keeps depths for its newest answers alone, so that a program that logs all answers holds no frames.
  for (let k = 0; k < 16; k++) expect(findThings(stepped()).things).toHaveLength(2);
  expect(values(findThings([moved], { known: next }), 1)).not.toEqual(values(first, 1));
});

test("a thing that rests is measured again where the lens is corrected", () => {
  const before = seen(parcel([0.4, 0.15, 0.3], 0, -0.3, -0.32));
  const corrected = before.map(({ intrinsics: { fx, fy, ...rest }, ...frame }) => ({
    ...frame,
    intrinsics: { ...rest, fx: 1.2 * fx, fy: 1.2 * fy },
  }));
  const lengths = ({ things }: ReturnType<typeof findThings>) => things.map(({ length }) => length.value);
  expect(lengths(findThings(corrected))).toHaveLength(1);
  expect(lengths(findThings(corrected, { known: findThings(before) }))).toEqual(lengths(findThings(corrected)));
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

/** On a floor 1.4 m below, tops 1.000 and 1.0405 m away: the step is 4.05 % of the nearer distance, and 3.9 % of the farther one. */
function stepped(left = 30) {
  const depth = image(new Uint16Array(120 * 90).fill(14_000), [90, 120]);
  for (let y = 30; y < 60; y++) for (let x = left; x < 90; x++) depth.set(y, x, x < 60 ? 10_000 : 10_405);
  const intrinsics = { fx: 100, fy: 100, cx: 59.5, cy: 44.5, width: 120, height: 90 };
  return [{ depth, metresPerUnit: 0.0001, intrinsics, timestamp: 0, index: 0 }];
}

test("of two things whose step is just a jump, each pixel belongs to one, whichever is found first", () => {
  const { things } = findThings(stepped());
  expect(things.map(({ areaM2 }) => areaM2)).toEqual([expect.closeTo(0.0974, 3), expect.closeTo(0.09, 3)]);
});

test("a thing that has grown by two columns is measured again, and the floor is found again with the noise", () => {
  const first = findThings(stepped());
  const lengthOf = ({ things }: ReturnType<typeof findThings>) => things.find(({ id }) => id === 2)?.length;
  expect(lengthOf(findThings(stepped(), { known: first }))).toBe(lengthOf(first));
  expect(lengthOf(findThings(stepped(28), { known: first }))).not.toBe(lengthOf(first));
  const builder = new SceneBuilder();
  builder.add(stepped()[0]);
  const scene = builder.build() as Scene;
  let [known, found] = [{}, 0];
  for (let call = 0; call < 30; call++) {
    const resting = new Resting(known, "");
    resting.floor(resting.withBumps(scene), () => {
      found++;
      return findFloor(scene);
    });
    known = {};
    resting.keep(known);
  }
  expect(found).toBe(2);
});

const REAL = "../shared/data/gotpd_kinect2_overhead";
test.skipIf(!existsSync(REAL))("sides that are found beyond each other fill no share of a rectangle", async () => {
  const recording = await openRecording(REAL);
  const { things } = findThings([await recording.read(8)]);
  await recording.close();
  expect(things.length).toBeGreaterThan(3);
  for (const { length } of things) expect(length.why ?? "").not.toMatch(/-\d+ %/);
});

test.skipIf(!existsSync(REAL))(
  "a person below the camera has a height in every frame, though a head and shoulders are no box",
  async () => {
    const recording = await openRecording(REAL);
    for (const index of [0, 1, 7]) {
      const { things } = findThings([await recording.read(index)]);
      expect(things.map(({ highest }) => (highest.value ?? 0) > 1200)).toEqual(things.map((_, k) => k === 0));
      expect(things.every(({ highest: { plusMinus, why } }) => (plusMinus ?? 0) > 0 && why === undefined)).toBe(true);
    }
    await recording.close();
  },
);
