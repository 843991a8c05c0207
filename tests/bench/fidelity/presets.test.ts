import { expect, test } from "vitest";
import { type Chain, ours, presetChains } from "../../../bench/fidelity/chains.ts";
import { measureSet } from "../../../bench/fidelity/measure.ts";
import { keptOf, SHAPE, walls, wavy } from "../../../bench/fidelity/relief.ts";
import { syntheticSets } from "../../../bench/fidelity/sets.ts";

// Each camera's preset against the default filters, on that simulated camera.

const [, kinect1] = walls();

test("the Kinect v1's preset holds a wall still for longer than the default, and both keep waves on the wall", () => {
  const [, plain] = ours();
  const [, preset] = presetChains("kinect-v1");
  const { metres } = wavy(kinect1.awayM, 0, 16);
  const jitter = (chain: Chain, frames: number) => {
    const raw = Array.from({ length: frames }, (_, t) => kinect1.look(metres, t));
    const set = { ...SHAPE, name: "wall", raw, truth: undefined, fixed: true };
    return measureSet(set, [chain])[0].figures.still?.jitterRatio;
  };
  expect(jitter(plain, 14)).toBeLessThan(0.12);
  expect(jitter(preset, 40)).toBeLessThan(0.12);
  for (const chain of [plain, preset]) expect(keptOf(chain, kinect1, 5, 16)).toBeGreaterThan(0.85);
});

test("the presets of a stereo camera and a phone beat the default in jitter and error, and lose no more pixels", async () => {
  // The blobs of stereo noise are some pixels wide, so that a small image of them is another scene.
  for (const [sensor, width, height] of [
    ["realsense", 320, 240],
    ["phone", 96, 72],
  ] as const) {
    for await (const set of syntheticSets({ width, height }, 8)) {
      if (set.sensor !== sensor) continue;
      const chains = [ours()[1], presetChains(sensor)[1]];
      const [plain, preset] = measureSet(set, chains).map(({ figures }) => figures);
      // The default follows the noise that it measures, so that it is nearly as good.
      expect(preset.truth?.flat.rmseRatio).toBeLessThan(plain.truth?.flat.rmseRatio ?? 0);
      expect(preset.still?.jitterRmsRatio).toBeLessThan(plain.still?.jitterRmsRatio ?? 0);
      expect(preset.lost).toBeLessThanOrEqual(plain.lost ?? 0);
    }
  }
});
