import { PerspectiveCamera } from "three/webgpu";
import { expect, onTestFinished, test, vi } from "vitest";
import { createPipeline, type PipelineOptions } from "../../pipeline/index.ts";
import { Governor } from "../../pipeline/time/governor.ts";
import { compact, dofSplat } from "../../stages/index.ts";
import { FullQuality } from "../../viewer/live/show/fullQuality.ts";
import { Presenter } from "../../viewer/live/show/presenter.ts";
import { Player } from "../../viewer/live/source/player.ts";
import { flatFrame } from "../pipeline/fakes.ts";
import { recordingOf } from "./recording.ts";

// On the CPU a frame is drawn once, at the screen's next picture, and the next frame begins before that.

const look = {
  view: "points" as const,
  pointSize: 1,
  guides: [],
  veil: { distanceM: 1, strength: 0 },
  blur: undefined,
};

/**
 * A presenter with a CPU pipeline; `log` lists the frames that begin, are shown and are drawn, and `widths` those of the pictures that were
 * shown.
 */
async function presenting({ stages, ...options }: PipelineOptions = { stages: [compact()] }) {
  const log: string[] = [];
  const widths: number[] = [];
  let moved = false;
  let busy: boolean | undefined;
  let refuses = false;
  const player = new Player();
  const pipeline = await createPipeline({ stages, ...options, backend: "cpu" });
  const presenter = new Presenter({
    pipeline,
    surface: {
      show({ index, cpu }) {
        log.push(`show ${index}`);
        if (cpu?.picture) widths.push(cpu.picture.width);
      },
      draw: () => log.push("draw"),
    },
    player,
    rig: {
      camera: new PerspectiveCamera(),
      update: () => moved,
      get resting() {
        return !moved;
      },
    },
    focus: { update: () => false, resting: true },
    aim() {},
    look: () => ({ ...look, view: stages.some(({ role }) => role === "picture") ? "picture" : "points" }),
    onFrame({ index }) {
      if (refuses) throw new Error(`refused ${index}`);
      log.push(`begin ${index}`);
    },
    shown: { settings: () => 0, show: () => undefined },
    quality: new FullQuality(pipeline.governor),
    onShown() {},
    onRefused: (error) => log.push(String(error)),
    onBusy: (now) => (busy = now),
  });
  presenter.start();
  onTestFinished(() => {
    player.pause();
    presenter.stop();
    return pipeline.destroy();
  });
  const move = (value: boolean) => (moved = value);
  const refuse = (value: boolean) => (refuses = value);
  const seen = (last: string) => vi.waitFor(() => expect(log.at(-1)).toBe(last), 20_000);
  const settles = () =>
    vi.waitFor(() => {
      presenter.tick(performance.now());
      expect(busy).toBe(false);
    }, 20_000);
  return { presenter, pipeline, player, log, widths, seen, settles, move, refuse, busy: () => busy };
}

test("of the frames between two pictures of the screen only the newest is drawn, once", async () => {
  const { presenter, pipeline, player, log, seen } = await presenting();
  player.frames$.next(flatFrame(0));
  player.frames$.next(flatFrame(1));
  await seen("show 1");
  expect(log).toEqual(["begin 0", "show 0", "begin 1", "show 1"]);
  expect(pipeline.statistics.snapshot().present.samples).toBe(0);
  presenter.tick(performance.now());
  presenter.tick(performance.now());
  expect(log.slice(4)).toEqual(["draw"]);
  expect(pipeline.statistics.snapshot().present.samples).toBe(1);
});

test("a move of the camera is drawn between frames, and a frame together with a move is drawn once", async () => {
  const { presenter, player, log, seen, move } = await presenting();
  player.frames$.next(flatFrame(0));
  await seen("show 0");
  move(true);
  presenter.tick(performance.now());
  expect(log.filter((line) => line === "draw")).toHaveLength(1);
  presenter.tick(performance.now());
  expect(log.filter((line) => line === "draw")).toHaveLength(2);
  move(false);
  presenter.tick(performance.now());
  expect(log.filter((line) => line === "draw")).toHaveLength(2);
});

test("the picture is busy from the moment a frame is given until it is drawn", async () => {
  const { presenter, player, seen, settles, busy } = await presenting();
  presenter.tick(performance.now());
  // There is nothing to draw, and no frame is on its way.
  await settles();
  player.frames$.next(flatFrame(0));
  expect(busy()).toBe(true);
  await seen("show 0");
  // The frame is shown, but not drawn yet.
  expect(busy()).toBe(true);
  presenter.tick(performance.now());
  expect(busy()).toBe(false);
  player.frames$.next({ ...flatFrame(1), fault: new Error("torn") });
  expect(busy()).toBe(false);
});

test("the picture is busy as soon as a stage is set or the camera moves, and not busy after a refused frame", async () => {
  const { presenter, player, log, seen, settles, move, busy } = await presenting();
  player.frames$.next(flatFrame(0));
  await seen("show 0");
  move(true);
  presenter.tick(performance.now());
  expect(busy()).toBe(true);
  move(false);
  presenter.tick(performance.now());
  expect(busy()).toBe(false);
  presenter.invalidate();
  expect(busy()).toBe(true);
  await settles();
  expect(log.slice(-2)).toEqual(["show 0", "draw"]);
  const broken = { ...flatFrame(1), metresPerUnit: Number.NaN };
  player.frames$.next(broken);
  await vi.waitFor(() => {
    presenter.tick(performance.now());
    expect(log.at(-1)).toMatch(/metresPerUnit/);
    expect(busy()).toBe(false);
  }, 20_000);
});

test.each([
  ["goes on once a stage accepts a frame", () => {}, true],
  ["does not where the user has gone to another frame meanwhile", (player: Player) => player.seek(2), false],
])("after a refusal playing %s", async (_, meanwhile, plays) => {
  const { presenter, player, log, refuse } = await presenting();
  refuse(true);
  player.open(recordingOf(4).recording);
  await vi.waitFor(() => expect(log.at(-1)).toBe("Error: refused 0"), 20_000);
  expect(player.playing).toBe(false);
  meanwhile(player);
  await vi.waitFor(() => expect(log.at(-1)).toBe(`Error: refused ${player.index}`), 20_000);
  refuse(false);
  presenter.invalidate();
  await vi.waitFor(() => {
    presenter.tick(performance.now());
    expect(log).toContain(`show ${plays ? 0 : 2}`);
  }, 20_000);
  expect(player.playing).toBe(plays);
});

test("a picture that was made smaller to keep up is made whole when it rests, and smaller again while something moves", async () => {
  const stages = [compact(), dofSplat({ width: 64, height: 48 })];
  const { presenter, pipeline, player, widths, settles, move } = await presenting({
    stages,
    budgetMs: 0.001,
    governor: true,
  });
  const { governor } = pipeline;
  if (!(governor instanceof Governor)) throw new Error("a pipeline's governor is told times");
  const shows = (whole: boolean) =>
    vi.waitFor(() => {
      presenter.tick(performance.now());
      expect(widths.at(-1) === 64).toBe(whole);
    }, 20_000);
  player.open(recordingOf(4).recording);
  await shows(true);
  for (let nowMs = 0; governor.snapshot().level < 2; nowMs += 33) governor.frame(50, nowMs);
  await shows(false);
  player.pause();
  await settles();
  expect(widths.at(-1)).toBe(64);
  expect(governor.snapshot()).toMatchObject({ givenUp: [] });
  move(true);
  await shows(false);
  move(false);
  await settles();
  expect(widths.at(-1)).toBe(64);
  // While the player seeks, a frame that another one replaces has a small picture, and the last frame a whole one.
  widths.length = 0;
  player.seek(2);
  await settles();
  expect(widths[0]).toBeLessThan(64);
  expect(widths.at(-1)).toBe(64);
  player.play();
  await shows(false);
});
