import { describe, expect, test } from "vitest";
import { estimateNoise } from "../stages/core/noise.ts";
import { temporal } from "../stages/temporal/index.ts";
import { expectImage, image } from "./gpu.ts";
import { normal } from "./random.ts";
import { again, at, runner, shapeOf, wavering } from "./temporal/scenes.ts";

// temporal's mean over time, of still surfaces, moving surfaces and holes.

const [WIDTH, HEIGHT] = [40, 30];
const PIXELS = WIDTH * HEIGHT;
const filled = (depth: number) => new Uint16Array(PIXELS).fill(depth);
const noisy = (mean: number, sigma: number, noise: () => number) =>
  Uint16Array.from({ length: PIXELS }, () => Math.round(mean + sigma * noise()));
const meanOf = (values: ArrayLike<number>) => Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;
const rmsAround = (values: ArrayLike<number>, centre: number) =>
  Math.sqrt(meanOf(Array.from(values, (value) => (value - centre) ** 2)));

describe("temporal, before a still surface,", () => {
  // The stage's sigma is that of the noise: 20 units.
  const stage = () => temporal({ sigmaDepthMm: 20, sigmaDepthPerM2Mm: 0 });

  test("lowers noise as a mean does, then to K / (2 − K) of the variance, where K is leastGain", () => {
    const run = runner(stage(), WIDTH, HEIGHT);
    const noise = normal(1);
    const off = Array.from({ length: 120 }, (_, i) => rmsAround(run(noisy(3000, 20, noise), at(i)), 3000) / 20);
    expect(off[0]).toBeGreaterThan(0.95);
    // Noise is a little higher than a mean's: one in some hundreds of pixels is over 4 sigma off at first and begins anew.
    for (const n of [2, 4, 8, 16]) expect(off[n - 1]).toBeLessThan(1.15 / Math.sqrt(n));
    // Now and then the stage takes an area of 81 pixels for a changed one and begins its mean anew, which adds a third to the noise.
    const settled = rmsAround(off.slice(60), 0);
    const promised = Math.sqrt(0.05 / (2 - 0.05));
    expect(settled).toBeGreaterThan(0.85 * promised);
    expect(settled).toBeLessThan(1.5 * promised);
  });

  test.each([0.15, 0.25])(
    "holds depth when noise of a coarse grain moves a whole area at once by %f sigma",
    (share) => {
      const run = runner(stage(), WIDTH, HEIGHT);
      const noise = normal(6);
      const given = Array.from({ length: 300 }, () => share * 20 * noise());
      const left = given.map((off, i) => meanOf(run(filled(3000 + off), at(i))) - 3000);
      // The least gain promises a sixth.
      expect(rmsAround(left.slice(60), 0) / rmsAround(given.slice(60), 0)).toBeLessThan(0.3);
    },
  );

  test("neither lifts nor lowers the mean depth", () => {
    const run = runner(stage(), WIDTH, HEIGHT);
    const noise = normal(2);
    for (let i = 0; i < 40; i++) run(noisy(3000, 20, noise), at(i));
    const all = Array.from({ length: 40 }, (_, i) => meanOf(run(noisy(3000, 20, noise), at(40 + i))));
    expect(Math.abs(meanOf(all) - 3000)).toBeLessThan(0.3);
  });

  test("leaves a frame without noise unchanged, at any depth", () => {
    const depth = Uint16Array.from({ length: PIXELS }, (_, i) => (i % 7 === 0 ? 0 : Math.min(65535, 1 + i * 55)));
    const run = runner(temporal(), WIDTH, HEIGHT);
    for (let i = 0; i < 5; i++) expectImage(run(depth, at(i)), depth, { width: WIDTH, name: `frame ${i}` });
  });

  test("does not flicker between two values", () => {
    const run = runner(temporal({ leastGain: 0.3 }), WIDTH, HEIGHT);
    const checks = (odd: number) => filled(1000).map((depth, i) => depth + ((odd + i + Math.floor(i / WIDTH)) % 2));
    const seen = Array.from({ length: 40 }, (_, i) => run(checks(i), at(i))[WIDTH + 1]);
    expect(new Set(seen.slice(10)).size).toBe(1);
  });
});

describe("temporal, where noise wavers in blobs,", () => {
  const [width, height, sigma] = [160, 120, 5];
  const frames = wavering(width, height, 1600, sigma, 24);

  test("draws no outline of them on a wall, and lowers the noise as a mean does", () => {
    const stage = temporal();
    const noise = estimateNoise(
      frames
        .slice(0, 3)
        .map((data, index) => ({ ...shapeOf(width, height), depth: image(data, width), index, timestamp: index })),
    );
    if (!noise) throw new Error("no noise was found");
    stage.applyNoise(noise);
    const run = runner(stage, width, height);
    const left = frames.map((data, i) => run(data, at(i))).slice(10);
    const cliffs = left.flatMap((out) =>
      Array.from(out, (z, i) => (i % width > 0 && Math.abs(z - out[i - 1]) > 4 ? 1 : 0)),
    );
    expect(meanOf(cliffs)).toBeLessThan(0.0001);
    expect(meanOf(left.map((out) => rmsAround(out, 1600)))).toBeLessThan(0.4 * sigma);
  });

  test("still shows a hand at once, and nothing of it when it is gone", () => {
    const stage = temporal({ sigmaDepthMm: 3 * sigma, sigmaDepthPerM2Mm: 0, tauSigmas: 1.5 });
    const run = runner(stage, width, height);
    const hand = (i: number) => (z: number, k: number) => (i % 2 === 1 && Math.abs((k % width) - 80) < 9 ? z - 200 : z);
    for (const [i, data] of frames.entries()) {
      const seen = data.map(hand(i));
      const out = run(seen, at(i));
      const far = out.findIndex((z, k) => Math.abs(z - seen[k]) > 64);
      expect(far, `frame ${i}`).toBe(-1);
    }
  });
});

describe("temporal, before a moving surface,", () => {
  const settle = (run: ReturnType<typeof runner>, mean: number, frames: number) => {
    const noise = normal(3);
    for (let i = 0; i < frames; i++) run(noisy(mean, 3, noise), at(i));
  };

  test("follows a step at once, pixel by pixel, and keeps no trace of it when it goes", () => {
    const run = runner(temporal(), WIDTH, HEIGHT);
    const wall = filled(2000);
    const hand = wall.map((depth, i) => (i % WIDTH > 10 && i % WIDTH < 20 ? 1200 : depth));
    settle(run, 2000, 30);
    expectImage(run(hand, at(30)), hand, { width: WIDTH, tolerance: 4 });
    const left = run(wall, at(31));
    // In place of the hand the output has the wall's new measurement, without a trace of the hand.
    expectImage(
      left.filter((_, i) => hand[i] === 1200),
      hand.filter((depth) => depth === 1200).map(() => 2000),
      { width: 9 },
    );
    expectImage(left, wall, { width: WIDTH, tolerance: 4 });
  });

  test("follows an area that shifts by less than 4 sigma in one frame, too", () => {
    const run = runner(temporal(), WIDTH, HEIGHT);
    settle(run, 2000, 30);
    // Sigma is 5 mm here.
    expectImage(run(filled(2009), at(30)), filled(2009), { width: WIDTH, tolerance: 1 });
  });

  test("takes a single pixel that is one sigma off for noise", () => {
    const run = runner(temporal(), WIDTH, HEIGHT);
    for (let i = 0; i < 30; i++) run(filled(2000), at(i));
    const one = filled(2000);
    one[15 * WIDTH + 20] = 2006;
    expectImage(run(one, at(30)), filled(2000), { width: WIDTH, tolerance: 0 });
  });

  test.each([0.2, 0.5, 1, 2, 4, 8])("follows a ramp of %f mm a frame within half a sigma", (speed) => {
    const run = runner(temporal(), WIDTH, HEIGHT);
    const noise = normal(4);
    const late = Array.from({ length: 80 }, (_, i) => {
      const truth = 2000 + speed * i;
      return Math.abs(meanOf(run(noisy(truth, 3, noise), at(i))) - truth);
    });
    expect(Math.max(...late)).toBeLessThan(2.5);
  });
});

describe("temporal, before a surface that starts to move after a long rest,", () => {
  const SPEEDS = [0.2, 0.5, 1, 2, 3, 4, 8];

  test.each(SPEEDS)(
    "lags by less than a sigma at %f mm a frame, and by less than a fifth of one after ten frames",
    (speed) => {
      const run = runner(temporal(), WIDTH, HEIGHT);
      const noise = normal(7);
      const late = Array.from({ length: 80 }, (_, i) => {
        const truth = 2000 + speed * Math.max(0, i - 40);
        return Math.abs(meanOf(run(noisy(truth, 3, noise), at(i))) - truth);
      });
      // Sigma is 5 mm here.
      expect(Math.max(...late.slice(40))).toBeLessThan(4);
      expect(meanOf(late.slice(50))).toBeLessThan(1);
    },
  );
});

describe("temporal, at holes,", () => {
  const isHole = (_: number, i: number) => i % 5 === 0;
  const holed = (depth: number, within = 0) => filled(depth).map((z, i) => (isHole(z, i) ? within : z));
  const within = (out: Uint16Array) => [...new Set(out.filter(isHole))];

  test("keeps an invalid pixel invalid, and goes on with its mean when it becomes valid within four sigma", () => {
    const run = runner(temporal(), WIDTH, HEIGHT);
    for (let i = 0; i < 10; i++) run(filled(1000), at(i));
    for (let i = 10; i < 15; i++) expectImage(run(holed(1000), at(i)), holed(1000), { width: WIDTH });
    // Sigma is 2 mm here.
    expect(within(run(holed(1000, 1004), at(15)))).toEqual([1000]);
  });

  test("begins anew where a hole becomes valid four sigma off", () => {
    const run = runner(temporal(), WIDTH, HEIGHT);
    for (let i = 0; i < 10; i++) run(filled(1000), at(i));
    run(holed(1000), at(10));
    expect(within(run(holed(1000, 1009), at(11)))).toEqual([1009]);
  });

  test("shows nothing of a hand that came and went while a pixel was invalid, nor of what was there before", () => {
    const run = runner(temporal(), WIDTH, HEIGHT);
    const noise = normal(8);
    const seen = (wall: number, inHoles: number) => noisy(wall, 1, noise).map((z, i) => (isHole(z, i) ? inHoles : z));
    for (let i = 0; i < 20; i++) run(noisy(1000, 1, noise), at(i));
    // A hand, half of it hidden by flickering holes; then the wall again, also through holes.
    for (const [i, inHoles] of [0, 800, 0, 800, 800, 0].entries()) {
      const out = run(seen(1000, inHoles), at(20 + i));
      expect(within(out).every((z) => Math.abs(z - inHoles) <= 1)).toBe(true);
    }
    expect(within(run(seen(1000, 1001), at(26))).every((z) => Math.abs(z - 1001) <= 1)).toBe(true);
  });

  test("does not hold back a surface that moved by less than four sigma behind its holes", () => {
    const run = runner(temporal(), WIDTH, HEIGHT);
    for (let i = 0; i < 30; i++) run(filled(2000), at(i));
    for (let i = 30; i < 34; i++) run(holed(2009), at(i));
    // Sigma is 5 mm here.
    expect(within(run(filled(2009), at(34))).every((z) => z === 2009)).toBe(true);
  });

  test("lets a new pixel begin beside its depth as the means around are beside theirs", () => {
    const run = runner(temporal(), WIDTH, HEIGHT);
    for (let i = 0; i < 30; i++) run(holed(2000), at(i));
    // All of this frame is half a sigma too far, as a blob of noise is.
    expect(within(run(filled(2002), at(30))).every((z) => Math.abs(z - 2000) <= 1)).toBe(true);
  });
});

describe("temporal's memory", () => {
  test("is void after a jump", () => {
    const run = runner(temporal(), WIDTH, HEIGHT);
    for (let i = 0; i < 10; i++) run(filled(1000), at(i));
    const other = filled(1001);
    other[3] = 999;
    expectImage(run(other, { ...at(10), follows: false }), other, { width: WIDTH });
  });

  test("does not change when the same frame runs again, also with other parameters", () => {
    const frames = [1000, 1003, 1001, 1002].map(filled);
    const plain = runner(temporal(), WIDTH, HEIGHT);
    const stage = temporal();
    const redrawn = runner(stage, WIDTH, HEIGHT);
    frames.forEach((depth, i) => {
      const expected = plain(depth, at(i));
      expectImage(redrawn(depth, at(i)), expected, { width: WIDTH, name: `frame ${i}` });
      stage.set({ leastGain: 1 });
      expectImage(redrawn(depth, again(i)), depth, { width: WIDTH, name: `frame ${i} unfiltered` });
      stage.set({ leastGain: 0.05 });
      expectImage(redrawn(depth, again(i)), expected, { width: WIDTH, name: `frame ${i} again` });
    });
  });
});
