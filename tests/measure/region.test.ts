import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { image } from "../../core/frame.ts";
import { measure, regionOf } from "../../measure/index.ts";
import { openRecording } from "../../sources/index.ts";
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

test("the area of an outline ends at the image, and that of a loop over another is what its pixels see", () => {
  const data = new Uint16Array(WIDTH * HEIGHT).fill(MM);
  const frame = { depth: image(data, [HEIGHT, WIDTH]), metresPerUnit: 0.001, index: 0, timestamp: 0, intrinsics };
  const corners = rectangle(220, 100, 420, 200);
  const bow = [corners[0], corners[2], corners[1], corners[3]].map(({ x, y }) => ({ x: x - 200, y }));
  const pixelM2 = (MM / 1000 / intrinsics.fx) ** 2;
  const areas = measure([frame], { regions: [corners, bow].map(regionOf) }).regions.map(({ area }) => area.value ?? 0);
  expect(areas.map((area) => area / pixelM2 / 10_000)).toEqual([expect.closeTo(1, 2), expect.closeTo(1, 1)]);
});

test("a camera that looks up or down by 3 degrees sees a floor's turn left–right alike", () => {
  const [roll, ...pitches] = [0.5, -3, 0, 3].map((degrees) => (degrees * Math.PI) / 180);
  const turns = pitches.map((pitch) => {
    const [a, b] = [Math.tan(roll), Math.cos(pitch)];
    const data = Uint16Array.from({ length: WIDTH * HEIGHT }, (_, i) => {
      const [x, y] = [((i % WIDTH) - 159.5) / 262, (Math.floor(i / WIDTH) - 119.5) / 262];
      const depth = 1000 / (a * x + b * y + Math.sin(pitch));
      return depth > 0 && depth < 6000 ? Math.round(depth) : 0;
    });
    const frame = { depth: image(data, [HEIGHT, WIDTH]), metresPerUnit: 0.001, index: 0, timestamp: 0, intrinsics };
    return measure([frame], { planes: [{ x: 160, y: 220 }] }).planes[0]?.tiltX.value ?? 999;
  });
  for (const turn of turns) expect(Math.abs(Math.abs(turn) - 0.5)).toBeLessThan(0.2);
});

test("an empty list of frames from before is named", () => {
  const depth = image(new Uint16Array(WIDTH * HEIGHT).fill(MM), [HEIGHT, WIDTH]);
  const frame = { depth, metresPerUnit: 0.001, index: 0, timestamp: 0, intrinsics };
  expect(measure([frame], { before: [] })).toMatchObject({
    changes: [],
    warnings: [expect.stringMatching(/no frame from before/)],
  });
});

const REAL = "../shared/data/gotpd_kinect2_overhead";
test.skipIf(!existsSync(REAL))(
  "what flickers in a part of a real picture where nobody walks is no change of volume",
  async () => {
    await using recording = await openRecording(REAL);
    const [before, now] = await Promise.all(
      [0, 5].map(async (index) => {
        const frame = await recording.read(index);
        const [, width] = frame.depth.shape;
        return {
          ...frame,
          depth: image(
            frame.depth.data.map((z, i) => (i % width < 256 ? 0 : z)),
            frame.depth.shape,
          ),
        };
      }),
    );
    const { value, plusMinus } = measure([now], { before: [before] }).changes[0].volume;
    expect(Math.abs(value ?? Number.NaN)).toBeLessThan(plusMinus ?? 0);
  },
);
