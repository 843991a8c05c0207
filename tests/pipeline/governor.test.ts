import { describe, expect, test } from "vitest";
import type { DepthFrame } from "../../core/frame.ts";
import { createPipeline } from "../../pipeline/index.ts";
import { Governor } from "../../pipeline/time/governor.ts";
import type { Stage } from "../../stages/core/stage.ts";
import { compact, dofSplat, median } from "../../stages/index.ts";
import { camera } from "../compact/cloud.ts";
import { cook } from "../gpu.ts";

// The governor lowers a picture's quality while frames take longer than the budget, and raises it again. Time is simulated here.

const BUDGET = 33;

/** A governed pipeline of 30 frames a second; `cost` gives a frame's ms at each level. */
function run(cost: (level: number, frame: number) => number, options: { stages?: Stage[]; on?: boolean } = {}) {
  const { stages = [median(), dofSplat()] as Stage[], on = true } = options;
  const governor = new Governor(stages, BUDGET, on);
  const levels: number[] = [];
  let nowMs = 0;
  const play = (frames: number) => {
    for (let i = 0; i < frames; i++) {
      const { level } = governor.snapshot();
      nowMs += 33;
      governor.frame(cost(level, levels.length), nowMs);
      levels.push(governor.snapshot().level);
    }
  };
  const pause = (ms: number) => {
    nowMs += ms;
  };
  const steps = () => levels.filter((level, i) => level !== (levels[i - 1] ?? 0)).length;
  return { governor, stages, levels, play, pause, steps };
}

describe("the governor lowers quality", () => {
  test("step by step in the schema's order: picture size and reach, points of 2 × 2 pixels as one, size", () => {
    const { play, levels, stages } = run(() => 36);
    const picture = stages[1]?.effective ?? {};
    const seen: unknown[] = [];
    for (let i = 0; i < 8; i++) {
      play(27);
      seen.push([picture.width, picture.height, picture.maxReachPx, picture.thinning]);
    }
    expect(seen).toEqual([
      [1088, 612, 27, 1],
      [896, 504, 22, 1],
      [896, 504, 22, 2],
      [768, 432, 19, 2],
      [640, 360, 16, 2],
      [640, 360, 16, 2],
      [640, 360, 16, 2],
      [640, 360, 16, 2],
    ]);
    expect(levels.every((level, i) => Math.abs(level - (levels[i - 1] ?? 0)) <= 1)).toBe(true);
  });

  test("by the excess, after 4 frames in a row that are far over the budget, however long each takes", () => {
    const levels = { 40: 1, 60: 3, 110: 5, 900: 5, 4000: 5 };
    for (const [ms, level] of Object.entries(levels).map(([text, level]) => [Number(text), level] as const)) {
      const picture = dofSplat();
      const governor = new Governor([picture], BUDGET, true);
      // The first frame follows a pause.
      const seen = [1, 2, 3, 4, 5].map((frame) => {
        governor.frame(ms, frame * Math.max(33, ms));
        return governor.snapshot().level;
      });
      expect([ms, ...seen]).toEqual([ms, 0, 0, 0, 0, level]);
    }
    // One quick frame among slow ones: not all frames are slow.
    const mixed = run((_, i) => (i % 4 === 3 ? 20 : 60));
    mixed.play(20);
    expect(mixed.steps()).toBe(0);
  });

  test("on a GPU without the steps that help only a CPU", () => {
    const picture = dofSplat();
    const onGpu = new Governor([picture], BUDGET, true, () => true);
    for (let frame = 0; frame < 500; frame++) onGpu.frame(50, frame * 33);
    expect(onGpu.snapshot()).toMatchObject({ level: 4, most: 4 });
    expect([picture.effective.width, picture.effective.maxReachPx, picture.effective.thinning]).toEqual([640, 16, 1]);
  });

  test("of pictures only, and leaves the parameters that the user set as they are", () => {
    const { play, stages, governor } = run(() => 50);
    // `pose` is no parameter that the governor lowers.
    stages[1]?.set({ pose: Array.from({ length: 16 }, (_, i) => (i % 5 === 0 ? 1 : 0)) });
    expect(governor.snapshot().givenUp).toEqual([]);
    const asked = stages.map(({ parameters }) => JSON.stringify(parameters));
    play(500);
    expect(stages.map(({ parameters }) => JSON.stringify(parameters))).toEqual(asked);
    expect(stages[0]?.effective).toEqual(stages[0]?.parameters);
    expect(governor.snapshot().givenUp).toContainEqual({
      stage: "dofSplat",
      parameter: "width",
      asked: 1280,
      used: 640,
    });
  });

  test("relative to the size that the picture then has", () => {
    const { play, stages } = run((level) => (level < 2 ? 50 : 28));
    play(200);
    const [, picture] = stages;
    picture?.set({ width: 1000, height: 500 });
    expect([picture?.effective.width, picture?.effective.height]).toEqual([700, 350]);
    const { revision } = picture ?? { revision: 0 };
    picture?.set({ width: 1000, height: 500 });
    expect(picture?.revision).toBe(revision);
  });
});

describe("the governor raises quality again", () => {
  test("to the last step after frames have been fast for a while", () => {
    const load = { high: true };
    const { play, governor, stages } = run(() => (load.high ? 50 : 10));
    play(600);
    load.high = false;
    play(60);
    expect(governor.snapshot().level).toBe(governor.snapshot().most);
    // Within 3 s it is back, by as many steps at once as fit.
    play(150 - 60);
    expect(governor.snapshot()).toMatchObject({ level: 0, givenUp: [] });
    expect(stages[1]?.effective).toEqual(stages[1]?.parameters);
  });

  test("and lowers it once more when all frames become slow after that", () => {
    const load = { high: false };
    const { play, governor } = run((_, i) => (load.high ? 50 : i % 10 === 0 ? 90 : 18.6));
    play(2000);
    expect(governor.snapshot().level).toBe(0);
    load.high = true;
    play(600);
    expect(governor.snapshot().level).toBe(5);
  });

  test("less and less often if that fails: each try waits twice as long", () => {
    const { play, levels, steps } = run((level) => (level === 0 ? 40 : 20));
    play(20_000);
    expect(levels.filter((level) => level === 0).length).toBeLessThan(20_000 * 0.03);
    // In 11 minutes the tries come after 1.5, 3, 6, 12, 24, 48 and 96 s, then every 192 s.
    expect(steps()).toBeLessThan(20);
  });
});

test("the governor tells each loss of quality once, in plain words", () => {
  const { play, governor } = run(() => 36);
  play(30);
  expect(governor.snapshot().says).toEqual(["85 % of the size"]);
  play(300);
  expect(governor.snapshot().says).toEqual(["half size", "2 × 2 points as one"]);
});

test("the governor lowers nothing if it is off or if no stage can be lowered", () => {
  const off = run(() => 50, { on: false });
  off.play(500);
  expect(off.steps()).toBe(0);
  const filters = run(() => 50, { stages: [median()] });
  filters.play(500);
  expect(filters.governor.snapshot()).toMatchObject({ level: 0, most: 0 });
});

test("a pipeline with `governor: true` draws smaller pictures and leaves depth as it is", async () => {
  const depth = cook({ width: 32, height: 24, levels: 9, holeShare: 0.1, seed: 1 });
  const make = (governor?: boolean) =>
    createPipeline({
      stages: [median(), compact(), dofSplat({ width: 64, height: 48 })],
      backend: "cpu",
      timeEvery: 1,
      budgetMs: 0.001,
      ...(governor !== undefined && { governor }),
    });
  const frame = (index: number): DepthFrame => ({ ...camera([24, 32]), depth, timestamp: index * 33, index });
  const [governed, free] = await Promise.all([make(true), make()]);
  for (let i = 0; i < 60; i++) {
    for (const pipeline of [governed, free]) {
      const processed = await pipeline.run(frame(i));
      await Promise.all([processed.timing, pipeline.idle()]);
    }
  }
  const [small, whole] = await Promise.all([governed, free].map((pipeline) => pipeline.run(frame(60))));
  expect(governed.governor.snapshot().most).toBe(5);
  expect(small?.cpu?.picture?.width).toBeLessThan(64);
  expect(whole?.cpu?.picture?.width).toBe(64);
  expect((await small?.readDepth())?.data).toEqual((await whole?.readDepth())?.data);
  await Promise.all([governed.destroy(), free.destroy()]);
});
