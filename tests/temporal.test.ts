import { describe, expect, test } from "vitest";
import type { DepthArray, FrameShape } from "../sources/frame.ts";
import type { Moment } from "../stages/moment.ts";
import { createDepthImage } from "../stages/resources.ts";
import type { CpuFrame, Stage, Twin } from "../stages/stage.ts";
import { temporalTwin } from "../stages/temporal/cpu.ts";
import { temporal } from "../stages/temporal/index.ts";
import { expectImage } from "./compare.ts";
import { fillWords, readWords, useGpu } from "./gpu.ts";
import { cook, firstFrame, haveRecordings, image, padded } from "./recipes.ts";

// A mean over time: what it does to what is still, to what moves and to holes; then the kernel against its twin.

const shapeOf = (width: number, height: number, metresPerUnit = 0.001): FrameShape => ({
  metresPerUnit,

  intrinsics: { fx: 1, fy: 1, cx: 0, cy: 0, width, height },
});

/** The n-th frame of a stream that follows on. */
const at = (index: number): Moment => ({ index, timestamp: index * 33, fresh: true, follows: index > 0 });
/** The same frame again. */
const again = (index: number): Moment => ({ ...at(index), fresh: false });

/** The twin, as the CPU backend runs it, as a function from frames to what comes out. */
function runner(stage: Stage, width: number, height: number, metresPerUnit?: number) {
  return running(stage.twin(shapeOf(width, height, metresPerUnit)), width);
}

function running(twin: Twin, width: number) {
  return (depth: ArrayLike<number>, moment: Moment): Uint16Array => {
    const frame: CpuFrame = { depth: image(depth, width), color: undefined, points: undefined, picture: undefined };
    twin.run(frame, moment);
    return frame.depth.data.slice();
  };
}

/** Numbers from a normal distribution, the same each time (mulberry32). */
function normal(seed: number) {
  let state = seed;
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 1) / (2 ** 32 + 1);
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

const [WIDTH, HEIGHT] = [40, 30];
const PIXELS = WIDTH * HEIGHT;
const filled = (depth: number) => new Uint16Array(PIXELS).fill(depth);
const noisy = (mean: number, sigma: number, noise: () => number) =>
  Uint16Array.from({ length: PIXELS }, () => Math.round(mean + sigma * noise()));
const meanOf = (values: ArrayLike<number>) => Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;
const rmsAround = (values: ArrayLike<number>, centre: number) =>
  Math.sqrt(meanOf(Array.from(values, (value) => (value - centre) ** 2)));

describe("what is still", () => {
  // Sigma as the stage is told it: 20 units.
  const stage = () => temporal({ sigmaDepthMm: 20, sigmaDepthPerM2Mm: 0 });

  test("loses its noise as a mean does, then as the least gain has it: K / (2 − K) of the variance", () => {
    const run = runner(stage(), WIDTH, HEIGHT);
    const noise = normal(1);
    const off = Array.from({ length: 120 }, (_, i) => rmsAround(run(noisy(3000, 20, noise), at(i)), 3000) / 20);
    expect(off[0]).toBeGreaterThan(0.95);
    // A little more: a pixel in some hundreds is over 4 sigma off at first and begins anew.
    for (const n of [2, 4, 8, 16]) expect(off[n - 1]).toBeLessThan(1.15 / Math.sqrt(n));
    // Now and then an area of 81 pixels is taken for one that changed, and its mean begins anew: that costs a third.
    const settled = rmsAround(off.slice(60), 0);
    const promised = Math.sqrt(0.05 / (2 - 0.05));
    expect(settled).toBeGreaterThan(0.85 * promised);
    expect(settled).toBeLessThan(1.5 * promised);
  });

  test("is where it is: nothing is lifted or lowered", () => {
    const run = runner(stage(), WIDTH, HEIGHT);
    const noise = normal(2);
    for (let i = 0; i < 40; i++) run(noisy(3000, 20, noise), at(i));
    const all = Array.from({ length: 40 }, (_, i) => meanOf(run(noisy(3000, 20, noise), at(40 + i))));
    expect(Math.abs(meanOf(all) - 3000)).toBeLessThan(0.3);
  });

  test("comes out as it went in where there is no noise, whatever the depth", () => {
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

describe("what moves", () => {
  const settle = (run: ReturnType<typeof runner>, mean: number, frames: number) => {
    const noise = normal(3);
    for (let i = 0; i < frames; i++) run(noisy(mean, 3, noise), at(i));
  };

  test("a step is followed at once, pixel by pixel, and leaves no trace when it goes", () => {
    const run = runner(temporal(), WIDTH, HEIGHT);
    const wall = filled(2000);
    const hand = wall.map((depth, i) => (i % WIDTH > 10 && i % WIDTH < 20 ? 1200 : depth));
    settle(run, 2000, 30);
    expectImage(run(hand, at(30)), hand, { width: WIDTH, tolerance: 4 });
    const left = run(wall, at(31));
    // Where the hand was there is the wall as it is measured now, and nothing of the hand.
    expectImage(
      left.filter((_, i) => hand[i] === 1200),
      hand.filter((depth) => depth === 1200).map(() => 2000),
      { width: 9 },
    );
    expectImage(left, wall, { width: WIDTH, tolerance: 4 });
  });

  test("an area that shifts by less than 4 sigma is followed in one frame, too", () => {
    const run = runner(temporal(), WIDTH, HEIGHT);
    settle(run, 2000, 30);
    // Sigma is 5 mm here.
    expectImage(run(filled(2008), at(30)), filled(2008), { width: WIDTH, tolerance: 1 });
  });

  test("a pixel alone that is a sigma off is noise", () => {
    const run = runner(temporal(), WIDTH, HEIGHT);
    for (let i = 0; i < 30; i++) run(filled(2000), at(i));
    const one = filled(2000);
    one[15 * WIDTH + 20] = 2006;
    expectImage(run(one, at(30)), filled(2000), { width: WIDTH, tolerance: 0 });
  });

  test.each([0.2, 0.5, 1, 2, 4, 8])("a ramp of %f mm a frame is followed within half a sigma", (speed) => {
    const run = runner(temporal(), WIDTH, HEIGHT);
    const noise = normal(4);
    const late = Array.from({ length: 80 }, (_, i) => {
      const truth = 2000 + speed * i;
      return Math.abs(meanOf(run(noisy(truth, 3, noise), at(i))) - truth);
    });
    expect(Math.max(...late)).toBeLessThan(2.5);
  });
});

describe("holes", () => {
  test("a pixel invalid now is invalid, and one that comes back begins anew", () => {
    const run = runner(temporal(), WIDTH, HEIGHT);
    for (let i = 0; i < 10; i++) run(filled(1000), at(i));
    const holed = filled(1000).map((depth, i) => (i % 5 === 0 ? 0 : depth));
    expectImage(run(holed, at(10)), holed, { width: WIDTH });
    // Less than four sigma away from what was there before the hole.
    const back = filled(1000).map((depth, i) => (i % 5 === 0 ? 1004 : depth));
    const out = run(back, at(11));
    expect([...new Set(out.filter((_, i) => i % 5 === 0))]).toEqual([1004]);
  });
});

describe("what is remembered", () => {
  test("is void after a jump", () => {
    const run = runner(temporal(), WIDTH, HEIGHT);
    for (let i = 0; i < 10; i++) run(filled(1000), at(i));
    const other = filled(1001);
    other[3] = 999;
    expectImage(run(other, { ...at(10), follows: false }), other, { width: WIDTH });
  });

  test("is left alone by the same frame again, also under other parameters", () => {
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

/** Frames of a scene with holes that shakes, drifts in parts, and has something in it that jumps. */
function shaken(scene: DepthArray, count: number, sigma: number): DepthArray[] {
  const noise = normal(5);
  const [height, width] = scene.shape;
  return Array.from({ length: count }, (_, frame) =>
    image(
      scene.data.map((depth, i) => {
        if (depth === 0 || (i * 31 + frame * 17) % 97 === 0) return 0;
        const [x, y] = [i % width, Math.floor(i / width)];
        const drift = y > height / 2 ? frame * 0.7 * sigma : 0;
        const jump = Math.abs(x - (frame * width) / 6) < width / 8 ? depth / 4 : 0;
        return Math.max(1, Math.min(65535, Math.round(depth - jump + drift + sigma * noise())));
      }),
      width,
    ),
  );
}

describe("in vectors", () => {
  test.each([
    [1, 1],
    [7, 3],
    [8, 9],
    [9, 10],
    [64, 5],
    [131, 47],
  ])("%i × %i equals the plain twin over a sequence, with redraws and jumps in between", (width, height) => {
    const scene = cook({ width, height, levels: 40, holeShare: 0.1, seed: width });
    for (const [unit, options] of [
      [0.001, {}],
      [0.0002, { leastGain: 1 / 64, sigmaDepthMm: 0.1, sigmaDepthPerM2Mm: 3 }],
    ] as const) {
      const stage = temporal(options);
      const parameters = stage.parameters as unknown as Parameters<typeof temporalTwin>[1];
      const plain = running(temporalTwin(shapeOf(width, height, unit), parameters), width);
      const vectors = runner(stage, width, height, unit);
      for (const [i, { data }] of shaken(scene, 16, 5).entries()) {
        const moment = { ...at(i), follows: i % 7 !== 0, fresh: i % 3 !== 2 };
        expectImage(vectors(data, moment), plain(data, moment), { width, name: `frame ${i}` });
      }
    }
  });
});

describe("on the GPU", () => {
  const gpu = useGpu();

  /** Runs both over the frames, each of them twice, and says where they differ. */
  async function expectTwin(frames: readonly DepthArray[], stage: Stage, name: string, metresPerUnit = 0.001) {
    const { device } = gpu;
    const [height, width] = frames[0]?.shape ?? [0, 0];
    const run = runner(stage, width, height, metresPerUnit);
    const depth = createDepthImage(device, "test", width, height);
    const input = { depth, color: undefined, points: undefined, picture: undefined };
    const built = await stage.build(device, shapeOf(width, height, metresPerUnit), input);
    const output = built.output.depth;
    if (!output) throw new Error("the stage leaves no depth");
    const gpuRun = async (frame: DepthArray, moment: Moment) => {
      device.queue.writeBuffer(depth.buffer, 0, padded(frame));
      fillWords(device, output.buffer, 0xabcdabcd);
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      built.encode(pass, moment);
      pass.end();
      device.queue.submit([encoder.finish()]);
      return new Uint16Array((await readWords(device, output.buffer)).buffer);
    };
    for (const [i, frame] of frames.entries()) {
      const moment = { ...at(i), follows: i % 7 !== 0 };
      const got = await gpuRun(frame, moment);
      const expected = padded(image(run(frame.data, moment), width));
      expectImage(got, expected, { width: depth.stride, name: `${name}, frame ${i}` });
      const redrawn = await gpuRun(frame, { ...moment, fresh: false });
      expectImage(redrawn, expected, { width: depth.stride, name: `${name}, frame ${i} again` });
    }
    built.destroy();
    depth.buffer.destroy();
  }

  // Tiles are 64 × 16 pixels.
  const sizes = [
    [1, 1],
    [1, 40],
    [9, 5],
    [63, 15],
    [64, 16],
    [65, 17],
    [131, 47],
  ] as const;
  test.each(sizes)("%i × %i equals the twin over a sequence, with redraws in between", async (width, height) => {
    const scene = cook({ width, height, levels: 40, holeShare: 0.1, seed: width }).data;
    const near = image(
      scene.map((depth) => depth && depth - 63500),
      width,
    );
    await expectTwin(shaken(near, 10, 6), temporal(), "2 m");
  });

  test("equals the twin at both ends of what depth can be, and in other units", async () => {
    const ends = image(
      Uint16Array.from({ length: 80 * 40 }, (_, i) => (Math.floor(i / 80) < 20 ? 1 + (i % 3) : 65535 - (i % 3))),
      80,
    );
    await expectTwin(shaken(ends, 6, 2), temporal(), "millimetres");
    await expectTwin(shaken(ends, 6, 2), temporal({ sigmaDepthMm: 1000, sigmaDepthPerM2Mm: 100 }), "anything goes");
    await expectTwin(shaken(ends, 6, 2), temporal({ sigmaDepthMm: 0.1, leastGain: 1 / 64 }), "fifths", 0.0002);
  });

  test("equals the twin on frames of 640 × 480", async () => {
    const scene = cook({ width: 640, height: 480, levels: 30, holeShare: 0.05, seed: 7 });
    await expectTwin(
      shaken(
        image(
          scene.data.map((depth) => depth && depth - 63000),
          640,
        ),
        2,
        5,
      ),
      temporal(),
      "640 × 480",
    );
  });

  test("changes what it does, without a rebuild, when a parameter is set", async () => {
    const stage = temporal();
    const { revision } = stage;
    stage.set({ leastGain: 0.5, tauSigmas: 1, sigmaDepthMm: 9, sigmaDepthPerM2Mm: 3 });
    expect(stage.revision).toBe(revision);
    await expectTwin(shaken(image(filled(2000), WIDTH), 5, 4), stage, "other parameters");
  });

  test.skipIf(!haveRecordings)("equals the twin on a real scene that shakes", async () => {
    const { data, shape } = firstFrame("gotpd_kinect2_overhead");
    const part = image(
      data.filter((_, i) => i % shape[1] < 200 && i < 150 * shape[1]),
      200,
    );
    await expectTwin(shaken(part, 4, 5), temporal(), "gotpd");
  });
});
