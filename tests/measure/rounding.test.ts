import { expect, test } from "vitest";
import { type DepthFrame, type Intrinsics, image } from "../../core/frame.ts";
import { measure, type Reading } from "../../measure/index.ts";
import { randomBy } from "../../measure/propose.ts";
import { QUICK, sampled } from "../mode.ts";
import { cameraAt, FULL, floor, framesOf, parcel } from "./world.ts";

// Depth that is rounded to whole millimetres, of surfaces of which the truth is known: the ± holds it whether noise hides the steps or not.

const CAMERA: Intrinsics = { fx: 120, fy: 120, cx: 79.5, cy: 59.5, width: 160, height: 120 };
const REGION = { x: 30, y: 25, width: 100, height: 70 };
const PLANES = QUICK ? 12 : 60;

/** Frames of the plane z = far + a x + b y, with noise of `sigma` mm before depth is rounded; and its depths in the region, mm. */
function wall([far, a, b]: readonly [number, number, number], sigma: number, count: number, random: () => number) {
  const { fx, fy, cx, cy, width, height } = CAMERA;
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const mmAt = (u: number, v: number) => (far * 1000) / (1 - (a * (u - cx)) / fx - (b * (v - cy)) / fy);
  const frames = Array.from({ length: count }, (_, index): DepthFrame => {
    const made = (i: number) => Math.round(mmAt(i % width, Math.floor(i / width)) + sigma * normal());
    const depth = image(
      Uint16Array.from({ length: width * height }, (_, i) => made(i)),
      [height, width],
    );
    return { depth, metresPerUnit: 0.001, intrinsics: CAMERA, timestamp: 33 * index, index };
  });
  const inRegion = Float64Array.from({ length: REGION.width * REGION.height }, (_, i) =>
    mmAt(REGION.x + (i % REGION.width), REGION.y + Math.floor(i / REGION.width)),
  ).sort();
  return { frames, middle: (inRegion[inRegion.length / 2 - 1] + inRegion[inRegion.length / 2]) / 2 };
}

const holds = (read: Reading | undefined, truth: number) =>
  Math.abs((read?.value ?? Number.NaN) - truth) <= (read?.plusMinus ?? 0);

/** Noise in mm, frames, and the least and the greatest ± of the distance of a wall that faces the camera, mm. */
const CASES = [
  [0, 6, 0.5, 1.2],
  [1, 1, 0.02, 0.3],
  [0.3, 6, 0.1, 1.2],
  [0, 1, 0.5, 1.2],
  [0.5, 1, 0.01, 0.2],
  [0.5, 6, 0.005, 0.1],
  [2, 6, 0.01, 0.1],
] as const;

test.each(sampled(CASES, 2))("planes with noise of %f mm in %i frames", (sigma, count, least, most) => {
  const random = randomBy(7 + 10 * sigma + count);
  const held: boolean[] = [];
  for (let k = 0; k < PLANES; k++) {
    // Walls that face the camera, that seem to, and that do not.
    const turned = () => ([0, 0.01, 0.3][k % 3] ?? 0) * (random() - 0.5);
    const plane = [0.8 + random(), turned(), turned()] as const;
    const { frames, middle } = wall(plane, sigma, count, random);
    const [found] = measure(frames, { regions: [REGION], accuracy: 0 }).regions;
    held.push(holds(found?.distance, middle));
    const length = Math.hypot(plane[1], plane[2], 1);
    held.push(holds(found?.plane?.distance, (1000 * plane[0]) / length));
    held.push(holds(found?.plane?.tiltX, (Math.asin(-plane[1] / length) * 180) / Math.PI));
    if (k % 3 > 0) continue;
    for (const { plusMinus } of [found?.distance, found?.plane?.distance].flatMap((read) => read ?? [])) {
      expect(plusMinus).toBeGreaterThan(least);
      expect(plusMinus).toBeLessThan(most);
    }
  }
  const share = held.filter(Boolean).length / held.length;
  if (!QUICK) console.log(`noise ${sigma} mm, ${count} frames: ${(100 * share).toFixed(1)} % of ${held.length} held`);
  // A ± should hold the truth in 95 of 100 cases. By chance one in fifty studies of 36 cases would have fewer than 31.
  expect(share).toBeGreaterThanOrEqual(QUICK ? 31 / 36 : 0.92);
});

test("heights of boxes seen from above, in steps that no noise hides", () => {
  for (const height of sampled([0.2003, 0.1248, 0.3006, 0.1511])) {
    const things = [floor, parcel([0.4, height, 0.3], 0.7)];
    const [frame] = framesOf(things, cameraAt([0, 0, 0], 1.4004, 0, 0.1), { lens: FULL });
    const depth = image(
      frame?.depth.data.map((tenths) => Math.round(tenths / 10)) as Uint16Array<ArrayBuffer>,
      [480, 640],
    );
    const { boxes } = measure([{ ...frame, depth, metresPerUnit: 0.001 } as DepthFrame], {
      boxes: [{ x: 320, y: 240 }],
      accuracy: 0,
    });
    expect(holds(boxes[0]?.height, 1000 * height)).toBe(true);
    // Both planes have an error of step / √12.
    expect(boxes[0]?.height.plusMinus).toBeGreaterThan(0.5);
    expect(boxes[0]?.height.plusMinus).toBeLessThan(1.5);
  }
});
