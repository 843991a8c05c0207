import { expect, test } from "vitest";
import { type Measurements, measure } from "../../measure/index.ts";
import { type SyntheticOptions, syntheticRoom } from "../../sources/synthetic/index.ts";

type Plane = NonNullable<Measurements["floor"]>;
/** How far a plane's distance is from the truth, in its ±. */
const off = (plane: Plane | null | undefined, truthMm: number) =>
  plane ? Math.abs((plane.distance.value ?? NaN) - truthMm) / (plane.distance.plusMinus ?? NaN) : NaN;

const measured = async (options: SyntheticOptions, index: number, pixels: readonly { x: number; y: number }[]) => {
  const scene = syntheticRoom({ color: false, ...options });
  const [, , , , , , , y] = await scene.pose(index);
  return { heightMm: -1000 * y, ...measure([await scene.read(index)], { floor: "auto", planes: pixels }) };
};

// A mat of 4 mm and a keyboard of 22 mm lie on the desk. The camera looks at it at 65°, 620 mm above it.
test.each([
  [0, 1],
  [60, 1],
  [90, 7],
])("a desk on which a mat lies is as far away in frame %i (seed %i) as the camera is above it", async (frame, seed) => {
  const at = [
    { x: 100, y: 330 },
    { x: 540, y: 330 },
  ];
  const { floor, planes, heightMm } = await measured({ scene: "desk", seed }, frame, at);
  expect(heightMm).toBeCloseTo(620, 6);
  for (const plane of [floor, ...planes]) {
    expect(off(plane, heightMm)).toBeLessThan(2);
    expect(plane?.distance.plusMinus).toBeLessThan(3);
  }
});

test("a wall that a stereo camera sees in one frame, in which neighbours share their noise, does not lean", async () => {
  const pixels = [
    { x: 103, y: 22 },
    { x: 568, y: 58 },
  ];
  const options = { scene: "room", view: "overhead", sensor: "phone", seed: 1349 } as const;
  const { planes, floor } = await measured(options, 99, pixels);
  expect(floor).not.toBeNull();
  for (const plane of planes) expect(Math.min(off(plane, 2550), off(plane, 2538))).toBeLessThan(1.5);
});
