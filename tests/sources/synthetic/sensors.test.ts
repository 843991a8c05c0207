import { describe, expect, test } from "vitest";
import type { Intrinsics } from "../../../sources/index.ts";
import { type SensorName, syntheticRoom } from "../../../sources/synthetic/index.ts";
import { ALL_NOISE } from "../../../sources/synthetic/kinect.ts";
import { makeSensor } from "../../../sources/synthetic/sensors/index.ts";
import { LIVE_MM } from "../../../sources/synthetic/sensors/structuredLight.ts";

// Each simulated camera in front of walls of known depth: its noise has the published strength, and correlation in space and time.

const [WIDTH, HEIGHT] = [160, 120];
const camera: Intrinsics = { fx: 525, fy: 525, cx: 79.5, cy: 59.5, width: WIDTH, height: HEIGHT };
const ids = new Uint8Array(WIDTH * HEIGHT);
const UNIT = 0.0001;

/** `count` frames of a scene, in metres, 0 for none. */
function look(name: SensorName, count: number, scene: (x: number, y: number) => number, infrared = [1]) {
  const metres = new Float32Array(WIDTH * HEIGHT).map((_, i) => scene(i % WIDTH, Math.floor(i / WIDTH)));
  const sensor = makeSensor(name, camera, UNIT, 3, ALL_NOISE);
  const frames = Array.from({ length: count }, (_, k) =>
    Float64Array.from(sensor.measure(metres, ids, infrared, k), (units) => units * UNIT),
  );
  return { metres, frames };
}

/** A slightly turned wall, so that its pixels lie anywhere between two of the sensor's steps. */
const wall = (z: number) => (x: number, y: number) => z / (1 + 0.0004 * (x - 80) + 0.0003 * (y - 60));

/** Temporal noise: each frame minus the pixels' means; NaN where one of the frames has no measurement. */
function inTime(frames: readonly Float64Array[]): Float64Array[] {
  const sumAt = (i: number) => frames.reduce((sum, frame) => sum + (frame[i] || Number.NaN), 0);
  const mean = frames[0].map((_, i) => sumAt(i) / frames.length);
  return frames.map((frame) => frame.map((z, i) => z - mean[i]));
}

/** Autocorrelation: the mean product of pixels `dx`, `dy` and `later` frames apart. */
function alike(noise: readonly Float64Array[], dx: number, dy = 0, later = 0): number {
  let [sum, n] = [0, 0];
  for (let k = later; k < noise.length; k++) {
    for (let y = dy; y < HEIGHT; y++) {
      for (let x = dx; x < WIDTH; x++) {
        const product = noise[k][y * WIDTH + x] * noise[k - later][(y - dy) * WIDTH + x - dx];
        if (Number.isNaN(product)) continue;
        sum += product;
        n++;
      }
    }
  }
  return sum / n;
}

/** Standard deviation in mm; subtracting the mean of n frames leaves n − 1 degrees of freedom. */
const sigmaOf = (noise: readonly Float64Array[]) =>
  1000 * Math.sqrt((alike(noise, 0) * noise.length) / (noise.length - 1));

const FRAMES = 8;

/** Once the mean of n frames is subtracted, white noise has a correlation of −1 / (n − 1) between frames. */
const expectWhite = (noise: readonly Float64Array[]) =>
  expect(Math.abs(alike(noise, 0, 0, 1) / alike(noise, 0) + 1 / (noise.length - 1))).toBeLessThan(0.03);

test.each(LIVE_MM)("a simulated Kinect v1 at %d m has temporal noise of %d mm, white in time", (z, mm) => {
  const noise = inTime(look("kinect-v1", FRAMES, wall(z)).frames);
  expect(Math.abs(sigmaOf(noise) / mm - 1)).toBeLessThan(0.1);
  expectWhite(noise);
});

describe("a simulated time-of-flight camera", () => {
  // Fankhauser et al. (2015): 1.5 − 0.5 z + 0.3 z² mm for a wall that faces the camera.
  test.each([
    [1, 1.3],
    [2, 1.7],
    [3.5, 3.43],
  ])("(Kinect v2) at %d m has noise of %d mm, correlated in space and white in time", (z, mm) => {
    const noise = inTime(look("kinect-v2", FRAMES, () => z).frames);
    const all = alike(noise, 0);
    expect(Math.abs(sigmaOf(noise) / mm - 1)).toBeLessThan(0.06);
    for (const [i, r] of [0.47, 0.15, 0.03].entries()) {
      expect(Math.abs(alike(noise, i + 1) / all - r)).toBeLessThan(0.04);
      expect(Math.abs(alike(noise, 0, i + 1) / all - r)).toBeLessThan(0.04);
    }
    expectWhite(noise);
  });

  test("has flying pixels at outlines, between the two depths, and none elsewhere", () => {
    const { frames } = look("kinect-v2", 1, (x) => (x < 80 ? 1 : 2));
    frames[0].forEach((z, i) => {
      const x = i % WIDTH;
      if (x < 79 || x > 80) expect(Math.abs(z - (x < 80 ? 1 : 2)), `pixel ${i}`).toBeLessThan(0.03);
    });
    const flying = [...frames[0]].filter((z) => z > 1.03 && z < 1.97).length;
    expect(flying).toBeGreaterThan(HEIGHT);
    expect([...frames[0]].filter((z) => z === 0).length).toBeGreaterThan(10);
  });
});

describe("a simulated stereo camera", () => {
  /** The error against the wall in metres; NaN without a measurement. */
  const errors = (z: number) => {
    const { metres, frames } = look("realsense", FRAMES, wall(z));
    return frames.map((frame) => frame.map((got, i) => (got === 0 ? Number.NaN : got - metres[i])));
  };

  test.each([1, 2, 4])("at %d m has an error of z² · 0.08 / (f · b), half of it constant in time", (z) => {
    const expected = (1000 * z * z * 0.08) / (424 * 0.05);
    const all = errors(z);
    expect(Math.abs((1000 * Math.sqrt(alike(all, 0))) / expected - 1)).toBeLessThan(0.2);
    const live = sigmaOf(inTime(all.map((e) => e.map((off) => off + 1)))) / expected;
    expect(Math.abs(live - Math.SQRT1_2)).toBeLessThan(0.12);
    expectWhite(inTime(all.map((e) => e.map((off) => off + 1))));
  });

  test("has no depth where the right camera sees nothing: at the left edge, and left of near things", () => {
    const { frames } = look("realsense", 1, (x) => (x >= 100 && x < 130 ? 1 : 2));
    const lost = (x: number) =>
      Array.from({ length: HEIGHT }, (_, y) => frames[0][y * WIDTH + x]).filter((z) => z === 0);
    // f · b / z = 13 px at 2 m; the shadow is f · b · (1 / 1 − 1 / 2) = 13 px wide.
    expect(lost(5).length).toBe(HEIGHT);
    expect(lost(30).length).toBeLessThan(HEIGHT / 4);
    expect(lost(93).length).toBeGreaterThan(HEIGHT / 2);
    expect(lost(145).length).toBeLessThan(HEIGHT / 4);
  });
});

const names = ["kinect-v1", "kinect-v2", "azure-kinect", "realsense", "phone"] as const;

test.each(names)(
  "syntheticRoom with a sensor (%s) has depth at most pixels, near the truth, and the same frame at each read",
  async (sensor) => {
    const room = () => syntheticRoom({ width: 160, height: 120, color: false, sensor });
    const { depth } = await room().read(5);
    const { metres } = room().groundTruth(5);
    const off = [...depth.data].flatMap((units, i) => (units ? [Math.abs(units / 1000 - metres.data[i])] : []));
    expect(off.length / depth.data.length).toBeGreaterThan(sensor === "azure-kinect" ? 0.4 : 0.7);
    expect(off.sort((a, b) => a - b)[off.length >> 1]).toBeLessThan(sensor === "realsense" ? 0.06 : 0.03);
    expect((await room().read(5)).depth.data).toEqual(depth.data);
    expect((await room().read(6)).depth.data).not.toEqual(depth.data);
  },
);
