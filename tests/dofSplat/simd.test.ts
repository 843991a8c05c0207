import fc from "fast-check";
import { test } from "vitest";
import { AGAIN } from "../../stages/core/resources.ts";
import type { CpuFrame, CpuPicture, Twin } from "../../stages/core/stage.ts";
import { dofSplatTwin } from "../../stages/dofSplat/cpu.ts";
import { dofSplat } from "../../stages/dofSplat/index.ts";
import { dofSplatSimd } from "../../stages/dofSplat/simd.ts";
import { camera } from "../compact/cloud.ts";
import { expectImage, image } from "../gpu.ts";
import { QUICK } from "../mode.ts";
import { cloud, orbit, type Scene } from "./draw.ts";
import { testOnScenes } from "./fullScenes.ts";
import { one, RED, room, swarm } from "./scenes.ts";

// dofSplat in WebAssembly draws the twin's picture, bit for bit.

type Settings = NonNullable<Parameters<typeof dofSplat>[0]>;
const parametersOf = (settings: Settings) =>
  dofSplat(settings).parameters as unknown as Parameters<typeof dofSplatTwin>[1];

function run(twin: Twin | undefined, { shape, points, depth }: Scene): CpuPicture {
  if (!twin) throw new Error("no vectors in this engine");
  const { width, height } = shape.intrinsics;
  const none = () => image(new Uint16Array(width * height), width);
  const frame: CpuFrame = { depth: depth ?? none(), color: undefined, points, picture: undefined };
  twin.run(frame, AGAIN);
  if (!frame.picture) throw new Error("no picture");
  return frame.picture;
}

/** Draws one scene after the other in WebAssembly, and expects the twin's pictures. */
function expectTwins(scenes: readonly Scene[], settings: Settings): void {
  const parameters = parametersOf(settings);
  const { width } = parameters;
  const shape = scenes[0]?.shape ?? camera([1, 1]);
  const [fast, slow] = [dofSplatSimd(shape, parameters), dofSplatTwin(shape, parameters)];
  for (const scene of scenes) {
    const [got, expected] = [run(fast, scene), run(slow, scene)];
    const name = JSON.stringify(settings);
    expectImage(got.rgba, expected.rgba, { width, channels: 4, name });
    expectImage(got.depth, expected.depth, { width, channels: 1, name });
  }
}

const settings: fc.Arbitrary<Settings> = fc.record({
  width: fc.integer({ min: 1, max: 90 }),
  height: fc.integer({ min: 1, max: 80 }),
  maxReachPx: fc.constantFrom(32, 4, 90),
  focusM: fc.constantFrom(0.3, 1, 5),
  fNumber: fc.constantFrom(0, 2.8, 0.5, 0.1, 0.02),
  blades: fc.constantFrom(0, 0, 5, 8, 12),
  verticalFovDeg: fc.constantFrom(0, 50),
  pointScale: fc.constantFrom(1, 3),
  fill: fc.constantFrom(0.9, 0, 1),
  thinning: fc.constantFrom(1, 1, 2, 4),
  longestRun: fc.integer({ min: 1, max: 4 }),
  background: fc.constantFrom([0, 0, 0], [0.2, 0.9, 1]),
  pose: fc.constantFrom(orbit(0, 1), orbit(25, 1.5), orbit(-60, 1)),
});

test("dofSplat in WebAssembly equals the twin for any lens, seen from any place, frame after frame", () => {
  const scenes = [
    [room(44, 30), room(44, 30)],
    [swarm(200, 1), swarm(30, 2), swarm(201, 3, [0.02, 9], 4)],
  ];
  fc.assert(
    fc.property(fc.constantFrom(...scenes), settings, (frames, chosen) => {
      // The stage looks for blocks only in points that come in raster order; a swarm's do not.
      expectTwins(frames, frames === scenes[0] ? chosen : { ...chosen, thinning: 1 });
    }),
    { seed: 20261122, numRuns: QUICK ? 10 : 30 },
  );
});

test("dofSplat in WebAssembly equals the twin for points behind the camera, at it, with NaN, and for none", () => {
  const rows = [
    [0, 0, 4, RED],
    [0, 0, -1, RED],
    [Number.NaN, 0, 1, RED],
    [0, 0, 0, RED],
    [0, 0, Number.NaN, RED],
    [9, 0, 1, RED],
    [1e30, 0, 1e-30, RED],
  ] as const;
  for (let count = 0; count <= rows.length; count++) {
    expectTwins([{ ...one(0, 0, 1), points: cloud(rows.slice(0, count)) }], { width: 33, height: 33, fNumber: 0.05 });
  }
});

const onScene = (scene: Scene) => {
  const size = { width: 170, height: 97 };
  expectTwins([scene], { ...size, fNumber: 0.7 });
  expectTwins([scene], { ...size, pose: orbit(20, 1.2) });
};
testOnScenes("dofSplat in WebAssembly equals the twin, blurred and from the side, on every second pixel", onScene, 2);
