import { describe, expect, test } from "vitest";
import { dofSplat } from "../../stages/dofSplat/index.ts";
import { variants } from "../../stages/dofSplat/variants.ts";
import type { Overrides } from "../../stages/tuning.ts";
import { defaultsFor, knobsOf, textOf, withValue } from "../../stages/tuning.ts";
import { useGpu } from "../gpu.ts";
import { build, draw, drawOnCpu, orbit, type Scene } from "../scenes/draw.ts";
import { expectSame } from "./compare.ts";
import { room, swarm } from "./scenes.ts";

// Every variant draws what the twin draws: each value of each knob beside the default, and the kinds of sorting and of
// drawing in all combinations, on a room from the side, and on lists longer than any window.

const gpu = useGpu();

const scenes: readonly (readonly [string, Parameters<typeof dofSplat>[0], Scene])[] = [
  ["a room from the side", { width: 90, height: 60, focusM: 0.8, fNumber: 0.4, pose: orbit(20, 1.2) }, room(100, 75)],
  ["2500 points to a tile", { width: 18, height: 17, focusM: 1, fNumber: 0.3 }, swarm(2500, 3)],
];

async function expectAsTwin(overrides: Overrides): Promise<void> {
  for (const [, settings, scene] of scenes) {
    const stage = dofSplat(settings);
    const twin = drawOnCpu(stage, scene);
    const tuned = {
      ...stage,
      build: (...[d, s, i]: Parameters<typeof stage.build>) => stage.build(d, s, i, overrides),
    };
    const built = await build(gpu.device, tuned, scene);
    const picture = await draw(gpu.device, built);
    const again = await draw(gpu.device, built);
    built.destroy();
    expectSame(picture, twin);
    expect(again, "the same frame gives the same bytes").toEqual(picture);
  }
}

describe("each value of each knob", () => {
  const values = knobsOf(variants).flatMap(({ kernel, name, knob }) =>
    knob.values.map((value) => [`${kernel}.${name}`, value, kernel, name] as const),
  );
  test.each(values)("%s %i", async (_, value, kernel, name) => {
    const initial = defaultsFor(variants, gpu.device);
    // An invocation that draws a tile alone leaves nothing to choose.
    const grouped = withValue(initial, "tiles", "SERIAL", 0);
    const overrides = withValue(grouped, kernel, name, value);
    if (!variants.fits(overrides, gpu.device.limits)) {
      await expect(expectAsTwin(overrides)).rejects.toThrow("this device cannot run");
    } else {
      await expectAsTwin(overrides);
    }
  });
});

describe("kinds of sorting and drawing, together", () => {
  const { SORT } = variants.knobs.order;
  const { NODE, WALK, EARLY } = variants.knobs.accumulate;
  const all = SORT.values.flatMap((sort) =>
    NODE.values.flatMap((node) =>
      WALK.values.flatMap((walk) => EARLY.values.map((early) => [sort, node, walk, early] as const)),
    ),
  );
  test.each(all)("SORT %i, NODE %i, WALK %i, EARLY %i", async (sort, node, walk, early) => {
    await expectAsTwin({
      tiles: { SERIAL: 0 },
      order: { SORT: sort, CAPACITY: 256, LANES: 64 },
      accumulate: { NODE: node, WALK: walk, EARLY: early, LANES: 16, CHUNK: 32 },
    });
  });
});

test("what no kernel has is refused, and so is what a device cannot run", async () => {
  const [, settings, scene] = scenes[1] ?? [];
  const stage = dofSplat(settings);
  const of = (overrides: Overrides) =>
    build(gpu.device, { ...stage, build: (d, s, i) => stage.build(d, s, i, overrides) }, scene as Scene);
  await expect(of({ order: { LANE: 4 } })).rejects.toThrow("dofSplat has no override order.LANE to choose");
  await expect(of({ order: { LANES: 5 } })).rejects.toThrow(
    "dofSplat: order.LANES is one of 4, 16, 32, 64, 128, 256, not 5",
  );
  await expect(of({ tiles: { SERIAL: 0 }, order: { BUCKETS: 16, LANES: 64 } })).rejects.toThrow(
    "this device cannot run",
  );
  expect(textOf({ b: { Y: 1 }, a: { X: 2, W: 3 } })).toBe("a.W=3 a.X=2 b.Y=1");
});
