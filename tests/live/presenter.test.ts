import ndarray from "ndarray";
import { PerspectiveCamera } from "three/webgpu";
import { expect, test, vi } from "vitest";
import { createPipeline } from "../../pipeline/index.ts";
import type { DepthFrame } from "../../sources/index.ts";
import { compact } from "../../stages/index.ts";
import { Presenter } from "../../viewer/live/show/presenter.ts";
import { Player } from "../../viewer/live/source/player.ts";

// On the CPU a frame is drawn when the screen wants a picture, once, and the next one is begun before that.

const look = {
  scheme: "dark" as const,
  view: "points" as const,
  pointSize: 1,
  guides: [],
  veil: { distanceM: 1, strength: 0 },
  blur: undefined,
};

function frameOf(index: number): DepthFrame {
  const depth = ndarray(new Uint16Array(6).fill(1000), [2, 3]);
  const intrinsics = { fx: 3, fy: 3, cx: 1, cy: 0.5, width: 3, height: 2 };
  return { depth, metresPerUnit: 0.001, intrinsics, timestamp: index * 33, index };
}

/** A presenter of frames that the CPU makes; `log` tells what it does. */
async function presenting() {
  const log: string[] = [];
  let moved = false;
  const player = new Player();
  const pipeline = await createPipeline({ stages: [compact()], backend: "cpu" });
  const presenter = new Presenter({
    pipeline,
    surface: {
      show: ({ index }) => log.push(`show ${index}`),
      draw: () => log.push("draw"),
    },
    player,
    rig: { camera: new PerspectiveCamera(), update: () => moved },
    focus: { update: () => false },
    aim() {},
    look: () => look,
    onFrame: ({ index }) => log.push(`begin ${index}`),
    onProcessed() {},
    shown: { settings: () => 0, show: () => undefined },
    onTaken() {},
    onRefused: (error) => log.push(String(error)),
  });
  presenter.start();
  const move = (value: boolean) => {
    moved = value;
  };
  const seen = (last: string) => vi.waitFor(() => expect(log.at(-1)).toBe(last));
  return { presenter, pipeline, player, log, seen, move };
}

test("frames that come between two pictures of the screen: only the newest is drawn, once", async () => {
  const { presenter, pipeline, player, log, seen } = await presenting();
  player.frames$.next(frameOf(0));
  player.frames$.next(frameOf(1));
  await seen("show 1");
  expect(log).toEqual(["begin 0", "show 0", "begin 1", "show 1"]);
  expect(pipeline.statistics.snapshot().present.samples).toBe(0);
  presenter.tick(performance.now());
  presenter.tick(performance.now());
  expect(log.slice(4)).toEqual(["draw"]);
  expect(pipeline.statistics.snapshot().present.samples).toBe(1);
  presenter.stop();
  await pipeline.destroy();
});

test("the hand on the camera is followed between frames, and a frame and a move make one drawing", async () => {
  const { presenter, pipeline, player, log, seen, move } = await presenting();
  player.frames$.next(frameOf(0));
  await seen("show 0");
  move(true);
  presenter.tick(performance.now());
  expect(log.filter((line) => line === "draw")).toHaveLength(1);
  presenter.tick(performance.now());
  expect(log.filter((line) => line === "draw")).toHaveLength(2);
  move(false);
  presenter.tick(performance.now());
  expect(log.filter((line) => line === "draw")).toHaveLength(2);
  presenter.stop();
  await pipeline.destroy();
});
