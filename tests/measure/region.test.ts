import { expect, test } from "vitest";
import { image } from "../../core/frame.ts";
import { measure, regionOf } from "../../measure/index.ts";
import { normal } from "../random.ts";

// The ± of a region's distance follows from the pixels that the region has, whatever lies between its outline and the rectangle around it.

const [WIDTH, HEIGHT, MM] = [320, 240, 1500];
const noise = normal(5);
const intrinsics = { fx: 262, fy: 262, cx: 159.5, cy: 119.5, width: WIDTH, height: HEIGHT };

/** The distances of regions of a wall, mm. */
function distances(regions: readonly Parameters<typeof regionOf>[0][]) {
  const frames = [0, 1, 2].map((index) => {
    const data = Uint16Array.from({ length: WIDTH * HEIGHT }, () => Math.round(MM + 8 * noise()));
    return { depth: image(data, [HEIGHT, WIDTH]), metresPerUnit: 0.001, index, timestamp: 33 * index, intrinsics };
  });
  return measure(frames, { regions: regions.map(regionOf) }).regions.map(({ distance }) => distance);
}
const rectangle = (left: number, top: number, right: number, bottom: number) => [
  { x: left, y: top },
  { x: right, y: top },
  { x: right, y: bottom },
  { x: left, y: bottom },
];
const strip = [
  { x: 20, y: 20 },
  { x: 24, y: 20 },
  { x: 224, y: 220 },
  { x: 220, y: 220 },
];

test("the truth lies within the ± of a narrow strip across the image", () => {
  const within = Array.from({ length: 20 }, () => distances([strip])[0]).filter(
    ({ value, plusMinus }) => Math.abs((value ?? 0) - MM) <= (plusMinus ?? 0),
  );
  expect(within.length).toBeGreaterThanOrEqual(17);
});

test("a region that reaches beyond the image has the ± of its part inside", () => {
  const [inside, beyond] = distances([rectangle(300, 220, 319, 239), rectangle(300, 220, 1300, 1220)]);
  expect((beyond.plusMinus ?? 0) / (inside.plusMinus ?? 1)).toBeCloseTo(1, 0);
});
