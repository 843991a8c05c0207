import { expect, test } from "vitest";
import { type Chain, ours, presetChains } from "../../../viewer/bench/fidelity/chains.ts";
import { measureSet } from "../../../viewer/bench/fidelity/measure.ts";
import { keptOf, SHAPE, walls, wavy } from "../../../viewer/bench/fidelity/relief.ts";
import { syntheticSets } from "../../../viewer/bench/fidelity/sets.ts";

// What presets are for, on the cameras they stand for.

const [, kinect1, kinect2] = walls();

test("a camera whose preset is the default has no filter of its own", () => {
  for (const name of ["kinect", undefined]) expect(presetChains(name)).toEqual([]);
  expect(presetChains("phone").map(({ name, kind }) => [name, kind])).toEqual([
    ["preset phone, spatial", "asked"],
    ["preset phone", "asked"],
  ]);
});

test("a Kinect v2's keeps waves of 5 sigma, 16 px long, of which the default takes a good part for noise", () => {
  const [preset] = presetChains("kinect-v2");
  const [plain] = ours();
  expect(keptOf(preset, kinect2, 5, 16)).toBeGreaterThan(0.85);
  expect(keptOf(plain, kinect2, 5, 16)).toBeLessThan(0.7);
});

test("a wall that a Kinect v1 looks at is held still by the default for half a second, by its preset for longer, and keeps what is on it", () => {
  const [, plain] = ours();
  const [, preset] = presetChains("kinect-v1");
  const { metres } = wavy(kinect1.awayM, 0, 16);
  const jitter = (chain: Chain, frames: number) => {
    const raw = Array.from({ length: frames }, (_, t) => kinect1.look(metres, t));
    const set = { ...SHAPE, name: "wall", raw, truth: undefined, fixed: true };
    return measureSet(set, [chain]).rows[0].figures.still?.jitterRatio;
  };
  expect(jitter(plain, 14)).toBeLessThan(0.12);
  expect(jitter(preset, 40)).toBeLessThan(0.12);
  for (const chain of [plain, preset]) expect(keptOf(chain, kinect1, 5, 16)).toBeGreaterThan(0.85);
});

test("a stereo camera's and a phone's are calmer than the default, and nearer to the truth, for no more that is lost", async () => {
  for await (const set of syntheticSets({ width: 96, height: 72 }, 8)) {
    if (set.sensor !== "realsense" && set.sensor !== "phone") continue;
    const chains = [ours()[1], presetChains(set.sensor)[1]];
    const [plain, preset] = measureSet(set, chains).rows.map(({ figures }) => figures);
    // The default follows what it measures of the noise, so that it is nearly as good.
    expect(preset.truth?.flat.rmseRatio).toBeLessThan(plain.truth?.flat.rmseRatio ?? 0);
    expect(preset.still?.jitterRmsRatio).toBeLessThan(plain.still?.jitterRmsRatio ?? 0);
    expect(preset.lost).toBeLessThanOrEqual(plain.lost ?? 0);
  }
});
