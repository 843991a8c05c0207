import { expect, test } from "vitest";
import type { BuildOptions, Stage } from "../../stages/core/stage.ts";
import type { Overrides } from "../../stages/core/tuning.ts";
import { defaultsFor, knobsOf, textOf, withValue } from "../../stages/core/tuning.ts";
import { dofSplat, variants } from "../../stages/dofSplat/index.ts";
import { useGpu } from "../gpu.ts";
import { expectSame } from "./compare.ts";
import { build, draw, drawOnCpu, orbit, type Scene } from "./draw.ts";
import { room, swarm } from "./scenes.ts";

// Every variant draws the twin's picture: each value of each knob other than the default, on a room from the side, and on lists
// longer than any window.

const gpu = useGpu();

const scenes: readonly (readonly [string, Parameters<typeof dofSplat>[0], Scene])[] = [
  ["a room from the side", { width: 90, height: 60, focusM: 0.8, fNumber: 0.4, pose: orbit(20, 1.2) }, room(100, 75)],
  ["2500 points to a tile", { width: 18, height: 17, focusM: 1, fNumber: 0.3 }, swarm(2500, 3)],
];

/** The stage, built with these overrides. */
const tuned = (stage: Stage, overrides: Overrides): Stage => ({
  ...stage,
  build: (options: BuildOptions) => stage.build({ ...options, overrides }),
});

async function expectAsTwin(overrides: Overrides): Promise<void> {
  for (const [, settings, scene] of scenes) {
    const stage = dofSplat(settings);
    const twin = drawOnCpu(stage, scene);
    const built = await build(gpu.device, tuned(stage, overrides), scene);
    const picture = await draw(gpu.device, built);
    const again = await draw(gpu.device, built);
    built.destroy();
    expectSame(picture, twin);
    expect(again, "the same frame gives the same bytes").toEqual(picture);
  }
}

const initial = defaultsFor(variants, {} as GPUDevice);
// The default itself is what all other tests run.
const values = knobsOf(variants).flatMap(({ kernel, name, knob }) =>
  knob.values.filter((value) => value !== knob.initial).map((value) => [kernel, name, value] as const),
);
test.each(values)("dofSplat draws the twin's picture with %s.%s at %i", async (kernel, name, value) => {
  const overrides = withValue(initial, kernel, name, value);
  expect(variants.fits(overrides, gpu.device.limits)).toBe(true);
  await expectAsTwin(overrides);
});

test("dofSplat refuses overrides that no kernel has, and variants that the device cannot run", async () => {
  const [, settings, scene] = scenes[1] ?? [];
  const stage = dofSplat(settings);
  const of = (overrides: Overrides) => build(gpu.device, tuned(stage, overrides), scene as Scene);
  await expect(of({ order: { LANE: 4 } })).rejects.toThrow("dofSplat has no override order.LANE to choose");
  await expect(of({ order: { LANES: 5 } })).rejects.toThrow("dofSplat: order.LANES is one of 64, 128, 256, not 5");
  await expect(of({ order: { BUCKETS: 128, LANES: 256 } })).rejects.toThrow("this device cannot run");
  expect(textOf({ b: { Y: 1 }, a: { X: 2, W: 3 } })).toBe("a.W=3 a.X=2 b.Y=1");
});
