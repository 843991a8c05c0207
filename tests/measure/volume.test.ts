import { expect, test } from "vitest";
import { turned } from "../../core/geometry.ts";
import { measure } from "../../measure/index.ts";
import { box } from "../../sources/synthetic/shapes/box.ts";
import { ellipsoid } from "../../sources/synthetic/shapes/ellipsoid.ts";
import { slowTest } from "../mode.ts";
import { cameraAt, FULL, floor, framesOf, type Placed, parcel } from "./world.ts";

/** What is seen of things on the floor from 1.4 m over it, `tilt` radians off straight down. */
const seen = (things: readonly Placed[], tilt: number, options = {}) =>
  framesOf([floor, ...things], cameraAt([0, 0, 0], 1.4, tilt, 0.1), options);
const ON_BOX = { x: 160, y: 110 };
const IN_FULL = { x: 320, y: 220 };

test("the volume of a heap is right to 2 % with noise", () => {
  const heap: Placed = { shape: ellipsoid(0.3, 0.2, 0.25), frame: floor.frame };
  const { volumes } = measure(seen([heap], 0, { sensor: "azure-kinect", count: 4, lens: FULL }), {
    volumes: [IN_FULL],
  });
  const litres = (1000 * (4 / 3) * Math.PI * 0.3 * 0.2 * 0.25) / 2;
  expect(Math.abs((volumes[0]?.volume.value ?? 0) / litres - 1)).toBeLessThan(0.02);
});

test("an accuracy that is stated adds three times its share to a volume's ±, since it holds for each of three lengths", () => {
  const frames = seen([parcel([0.3, 0.2, 0.25], 0.4)], 0);
  const [exact, stated] = [0, 0.05].map(
    (accuracy) => measure(frames, { volumes: [ON_BOX], accuracy }).volumes[0]?.volume,
  );
  const added = Math.sqrt((stated?.plusMinus ?? 0) ** 2 - (exact?.plusMinus ?? 0) ** 2);
  expect(added).toBeCloseTo(0.15 * (stated?.value ?? Number.NaN), 3);
});

test("the volume of a thing of which only an upright side is seen cannot be told", () => {
  const frames = framesOf([floor, parcel([0.6, 0.9, 0.3], 0)], cameraAt([0, -0.3, 0], 1.4, 1.4, 0), {
    sensor: "kinect-v1",
  });
  expect(measure(frames, { volumes: [ON_BOX] }).volumes[0]?.volume).toMatchObject({
    value: null,
    why: expect.stringContaining("from the side"),
  });
});

slowTest("what came and what was taken away since before has its volume, beside things that stand", () => {
  const half: Placed = { shape: ellipsoid(0.15, 0.06, 0.2), frame: turned([-0.3, 0, 0], [0, 1, 0], 0.4) };
  const stands = parcel([0.2, 0.25, 0.2], 0.7, 0.3, 0.05);
  const litres = (2 / 3) * 1000 * Math.PI * 0.15 * 0.06 * 0.2;
  const [empty, one, two] = [[], [stands], [stands, half]].map((things) => seen(things, 0.05));
  const all = [{ x: 0, y: 0, width: 320, height: 240 }];
  const came = (before = empty, now = empty, regions = all) => measure(now, { before, regions }).changes[0]?.volume;
  for (const [reading, truth] of [
    [came(one, two), litres],
    [came(two, one), -litres],
    [came(empty, one), 10],
  ] as const) {
    expect(Math.abs((reading?.value ?? 0) / truth - 1)).toBeLessThan(0.025);
    expect(Math.abs((reading?.value ?? 0) - truth)).toBeLessThan(reading?.plusMinus ?? 0);
  }
  expect(came(one, two, [{ x: 200, y: 0, width: 100, height: 200 }])).toMatchObject({
    value: 0,
    why: "nothing has changed",
  });
  const elsewhere = framesOf([floor, stands], cameraAt([0, 0, 0], 1.6, 0.3, 0.1));
  expect(came(one, elsewhere)).toMatchObject({
    value: null,
    why: expect.stringMatching(/the camera stood elsewhere/),
  });
  expect(() => measure([], { before: 3 as never })).toThrow(/before must be frames or a scene/);
});

test("what reaches across the whole picture counts as far as it is seen", () => {
  const camera = cameraAt([0, 0, 0], 1.4, 0, 0);
  const [before, now] = [[], [parcel([6, 0.1, 0.3], 0)]].map((things) => framesOf([floor, ...things], camera));
  // The top lies 1.3 m away, and the picture is 320 pixels wide.
  const litres = (1000 * 0.1 * 0.3 * 1.3 * 319) / 262.5;
  const came = measure(now ?? [], { before }).changes[0]?.volume;
  expect(Math.abs((came?.value ?? 0) / litres - 1)).toBeLessThan(0.02);
});

test("a stack of two boxes is one thing, and its volume lies within the ±", () => {
  const lower = parcel([0.5, 0.14, 0.4], 0.3);
  const upper: Placed = { shape: box([-0.15, -0.34, -0.12], [0.15, -0.14, 0.12]), frame: lower.frame };
  const found = measure(seen([lower, upper], 0.1, { sensor: "kinect-v1", count: 6 }), { volumes: [ON_BOX] });
  const { value, plusMinus } = found.volumes[0]?.volume ?? {};
  expect(Math.abs((value ?? 0) - 42.4)).toBeLessThan(plusMinus ?? 0);
  expect(plusMinus).toBeLessThan(0.1 * 42.4);
});
