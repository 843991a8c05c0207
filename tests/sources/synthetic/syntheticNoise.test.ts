import { describe, expect, test } from "vitest";
import type { Intrinsics } from "../../../sources/index.ts";
import { KINECT, type NoiseParts, quantisationStepM, syntheticRoom } from "../../../sources/synthetic/index.ts";
import { Kinect } from "../../../sources/synthetic/kinect.ts";

// The Kinect's noise model in front of scenes of known depth, at the 640 × 480 of the published figures.

const WIDTH = 640;
const HEIGHT = 480;
const camera: Intrinsics = { fx: 525, fy: 525, cx: 319.5, cy: 239.5, width: WIDTH, height: HEIGHT };
const NONE: NoiseParts = {
  quantisation: false,
  jitter: false,
  lateral: false,
  speckle: false,
  shadow: false,
  flying: false,
  grazing: false,
  range: false,
};
const noIds = new Uint8Array(WIDTH * HEIGHT);

function look(scene: (x: number, y: number) => number, parts: Partial<NoiseParts>, index = 0, infrared = [1]) {
  const metres = new Float32Array(WIDTH * HEIGHT).map((_, i) => scene(i % WIDTH, Math.floor(i / WIDTH)));
  const depth = new Kinect(camera, 0.001, 1, { ...NONE, ...parts }).measure(metres, noIds, infrared, index);
  return { metres, depth, at: (x: number, y: number) => depth[y * WIDTH + x] };
}

const share = (depth: Uint16Array, holds: (units: number, i: number) => boolean) =>
  depth.filter(holds).length / depth.length;
const invalid = (depth: Uint16Array) => share(depth, (units) => units === 0);
/** Disparity in steps of an eighth of a pixel, from millimetres. */
const stepsOf = (units: number) => (KINECT.subpixels * KINECT.focalPx * KINECT.baselineM) / (units / 1000);

// Khoshelham and Elberink (2012), figure 10: 1 cm at 2 m, 4.5 cm at 4 m, 7 cm at 5 m.
test.each([
  [1, 0.0029],
  [2, 0.0115],
  [4, 0.046],
  [5, 0.0718],
])("the Kinect model's quantisation at %d m has steps of %d m", (z, step) => {
  expect(quantisationStepM(z)).toBeCloseTo(step, 4);
  const { depth } = look((x) => z - 0.2 + 0.4 * (x / WIDTH), { quantisation: true });
  const levels = [...new Set(depth)].sort((a, b) => a - b);
  const above = levels.findIndex((units) => units >= z * 1000);
  const apart = (levels[above + 1] - levels[above - 1]) / 2000;
  // Depth comes in whole millimetres, so a step is off by up to 0.5 mm at each end; and steps grow with depth.
  expect(Math.abs(apart - step)).toBeLessThan(0.0008 + 0.03 * step);
});

describe("the Kinect model's jitter", () => {
  const parts = { quantisation: true, jitter: true };
  const frames = Array.from({ length: 12 }, (_, i) => look(() => 2.5, parts, i).depth);
  const clean = Math.round(stepsOf(2500));

  test("moves a still wall by one step of disparity at most", () => {
    for (const depth of frames) {
      expect(depth.every((units) => Math.abs(Math.round(stepsOf(units)) - clean) <= 1)).toBe(true);
    }
  });
});

const inFront = (x: number, y: number) => (x >= 300 && x < 400 && y >= 100 && y < 300 ? 1 : 3);

test("the Kinect model's shadow of a plate at 1 m before a wall at 3 m is 26 pixels wide, on the plate's left only", () => {
  const { at, depth } = look(inFront, { shadow: true });
  const wide = 525 * KINECT.baselineM * (1 / 1 - 1 / 3);
  for (const y of [100, 200, 299]) {
    const dark = Array.from({ length: WIDTH }, (_, x) => x).filter((x) => at(x, y) === 0);
    expect(Math.abs(dark.length - wide)).toBeLessThanOrEqual(1.5);
    expect(dark.at(-1)).toBe(299);
    expect(dark[0]).toBe(300 - dark.length);
  }
  expect(at(280, 99)).toBe(3000);
  expect(at(280, 300)).toBe(3000);
  expect(share(depth, (units) => units === 0) * WIDTH * HEIGHT).toBeLessThan(28 * 200);
});

describe("the Kinect model's outlines", () => {
  const plate = (x: number, y: number) => (x >= 200 && x < 400 && y >= 100 && y < 300 ? 1.5 : 3);
  const nearEdge = (i: number) => {
    const [x, y] = [i % WIDTH, Math.floor(i / WIDTH)];
    const [dx, dy] = [
      Math.min(Math.abs(x - 199.5), Math.abs(x - 399.5)),
      Math.min(Math.abs(y - 99.5), Math.abs(y - 299.5)),
    ];
    return (dx < 3 && y > 96 && y < 303) || (dy < 3 && x > 196 && x < 403);
  };

  test("wander by two pixels at most, differently in each frame", () => {
    const [a, b] = [look(plate, { lateral: true }, 0), look(plate, { lateral: true }, 1)];
    const off = (depth: Uint16Array) => depth.filter((units, i) => units !== 1000 * a.metres[i]).length;
    expect(off(a.depth)).toBeGreaterThan(200);
    a.depth.forEach((units, i) => {
      if (units !== 1000 * a.metres[i] && !nearEdge(i)) throw new Error(`pixel ${i} is far from the outline`);
    });
    expect(a.depth).not.toEqual(b.depth);
    expect(new Set(a.depth)).toEqual(new Set([1500, 3000]));
  });

  test("have flying pixels with depths between the two sides, and flying pixels are nowhere else", () => {
    const { depth } = look(plate, { flying: true });
    const flying = [...depth.keys()].filter((i) => depth[i] !== 1500 && depth[i] !== 3000);
    expect(flying.length).toBeGreaterThan(40);
    expect(flying.length).toBeLessThan(800);
    expect(flying.every((i) => nearEdge(i) && depth[i] > 1500 && depth[i] < 3000)).toBe(true);
  });
});

describe("the Kinect model loses", () => {
  test("speckles of pixels, more of them far away", () => {
    const lost = [1, 3, 5, 8].map((z) => invalid(look(() => z, { speckle: true }).depth));
    expect(lost[0]).toBeLessThan(0.001);
    expect(lost[3]).toBeGreaterThan(0.005);
    expect(lost[3]).toBeLessThan(0.1);
    for (let i = 1; i < lost.length; i++) expect(lost[i]).toBeGreaterThanOrEqual(lost[i - 1]);
  });

  test.each([
    [60, 0, 0],
    [70, 0, 0.02],
    [84, 0.98, 1],
  ])("pixels of a surface whose normal is %i° off the view: a share of %d to %d", (degrees, least, most) => {
    // Only rows near the optical axis are counted.
    const slope = Math.tan((degrees * Math.PI) / 180) / 525;
    const { depth } = look((_, y) => 2 / (1 + slope * (y - 239.5)), { grazing: true });
    const middle = depth.subarray(235 * WIDTH, 245 * WIDTH);
    expect(invalid(middle)).toBeGreaterThanOrEqual(least);
    expect(invalid(middle)).toBeLessThanOrEqual(most);
  });
});

const room = syntheticRoom({ color: false });

test("the synthetic room seen by the Kinect model loses 3 to 9 % of the pixels, and is far from the truth in less than 5 %", async () => {
  for (const index of [0, 90, 200]) {
    const { depth } = await room.read(index);
    const { metres } = room.groundTruth(index);
    const lost = invalid(depth.data);
    expect(lost).toBeGreaterThan(0.03);
    expect(lost).toBeLessThan(0.09);
    const wrong = share(
      depth.data,
      (units, i) => units > 0 && Math.abs(stepsOf(units) - stepsOf(1000 * metres.data[i])) > 1.6,
    );
    // These lie at outlines, which wander or have flying pixels.
    expect(wrong).toBeGreaterThan(0.001);
    expect(wrong).toBeLessThan(0.05);
  }
});
