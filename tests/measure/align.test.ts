import { describe, expect, test } from "vitest";
import { type DepthFrame, image } from "../../core/frame.ts";
import { lookingAt } from "../../core/geometry.ts";
import { compose, invert, type Rigid, rigid } from "../../core/pose.ts";
import { colorsSay } from "../../measure/align/color.ts";
import { fitted, fromAfar, isImpossible } from "../../measure/align/fit.ts";
import { anglesOf, chained, motionOf, readStand } from "../../measure/align/pose.ts";
import { tfCommands } from "../../measure/align/report.ts";
import { sightOf } from "../../measure/align/sight.ts";
import { Backdrop } from "../../measure/align/stand.ts";
import { type Alignment, align, RigCamera } from "../../measure/index.ts";
import { randomBy } from "../../measure/propose.ts";
import { SceneBuilder } from "../../measure/scene.ts";
import { SCENES } from "../../sources/synthetic/scenes/index.ts";
import { slowTest } from "../mode.ts";
import { LENS, randomRigs, rigidOf, roomColor, roomFrames, triedRig, WALL } from "./rigs.ts";

// Where cameras stand from each other. `RIGS=20 npx vitest run --mode long tests/measure/align.test.ts` tries that many rigs of each kind.

const RIGS = Number(process.env.RIGS ?? 0);

/** A picture without texture. */
const WHITE = image(new Uint8Array(4 * LENS.width * LENS.height).fill(255), [LENS.height, LENS.width, 4]);

/** A camera that took these frames, as another thread has it. */
function sent(frames: readonly DepthFrame[]): RigCamera {
  const camera = new RigCamera();
  for (const frame of frames) camera.add(frame);
  const there = new RigCamera(structuredClone(camera.taken));
  const all = (one: RigCamera) => [one.build()?.z, one.motion()?.background, one.grey];
  const own = all(camera);
  for (const [k, values] of all(there).entries())
    expect(values?.every((value, i) => value === own[k]?.[i]) ?? own[k] === undefined).toBe(true);
  return there;
}

describe("cameras of a rig", () => {
  test("have no place where they see a bare wall", async () => {
    const cameras = [lookingAt([0, -1.3, 0], [0.2, -1.2, 2]), lookingAt([0.4, -1.5, 0.1], [0.3, -1.3, 2])];
    const [first, second] = cameras.map((camera, k) => roomFrames(camera, { seed: k + 1, count: 3, solids: WALL }));
    const found = await align([first, sent(second)]);
    const why = expect.stringMatching(/one flat surface|does not show/);
    expect(found.cameras[1]).toMatchObject({ toFirst: null, why, place: [{ value: null }, { why }, {}] });
  });

  test("have no motion in frames that are left out", () => {
    const from = (z: number) => roomFrames(lookingAt([0, -1.3, z], [0.2, -1.2, 2]), { count: 16 });
    const camera = sent([...from(0), ...from(0.8).slice(12)].map((frame, k) => ({ ...frame, timestamp: 33 * k })));
    expect([camera.left, camera.motion()?.points.length]).toEqual([4, 0]);
  });

  slowTest("have no place but near the start that is given, whichever camera shows it", async () => {
    const [[first, second] = []] = [...randomRigs(1, 2, 55)];
    if (!first || !second) throw new Error("no rig was made");
    const frames = [first, second, second].map((camera, k) => roomFrames(camera, { seed: 10 + k, count: 4 }));
    const { cameras } = await align(frames, { starts: [undefined, [0, -5, 9, 90, 40, 0]] });
    expect(cameras.map(({ toFirst }) => toFirst !== null)).toEqual([true, true, false]);
  });

  slowTest(
    "have no place where only the noise of normals shows one direction, even if somebody knows where they stand",
    async () => {
      const [[first, , third] = []] = [...randomRigs(1, 4, 54)];
      if (!first || !third) throw new Error("no rig was made");
      const start = [first, third].map(rigidOf);
      const truth = compose(rigid(), invert(rigid(), start[0]), start[1]);
      const about = [truth[3], truth[7], truth[11], ...anglesOf(truth)] as const;
      const frames = [first, third].map((camera, k) => roomFrames(camera, { seed: 4000 + 2 * k, count: 4 }));
      expect((await align(frames, { starts: [about] })).cameras[1]?.why).toMatch(/does not show how far/);
    },
  );

  slowTest(
    "have no place where one's floor would be the other's wall, unless somebody says so: three planes of a corner fit in three ways",
    () => {
      const rig = [...randomRigs(2, 2, 707)][1] ?? [];
      const [a, b] = rig.map((camera, k) => {
        const scene = new SceneBuilder();
        for (const frame of roomFrames(camera, { seed: 70_710 + k, count: 4 })) scene.add(frame);
        const built = scene.build();
        return built && sightOf(built);
      });
      if (!a || !b) throw new Error("a camera sees nothing");
      const corner = motionOf([0.2204, -2.3848, 0.9905, 26.12, -16.48, -145.1]);
      expect(fitted(a, b, [corner])).toMatch(/one's floor is the other's wall/);
      expect(fitted(a, b, [corner], true)).toMatchObject({ overlap: expect.any(Number) });
      const [first, second] = rig;
      if (!first || !second) throw new Error("no rig was made");
      const truth = compose(rigid(), invert(rigid(), rigidOf(first)), rigidOf(second));
      const from = (motion: Rigid) => Math.hypot(...[3, 7, 11].map((k) => (motion[k] ?? 9) - (truth[k] ?? 9)));
      // Motion decides between rivals, and refuses a place that is the only one.
      const told = fitted(a, b, [corner, truth], false, (motion) => from(motion) < 0.05);
      expect(typeof told === "string" ? told : from(told.motion)).toBeLessThan(0.005);
      expect(fitted(a, b, [truth], false, () => false)).toMatch(/does not move alike/);
      const moved = Float64Array.from(truth, (value, k) => value + (k === 3 ? 0.4 : 0));
      expect([truth, moved].map((motion) => isImpossible(a, b, motion, () => undefined))).toEqual([false, true]);
    },
  );

  test("are placed where the search ended 25 cm beside the place, too far for its fits", () => {
    const [rig = []] = [...randomRigs(1, 2, 55)];
    const [a, b] = rig.map((camera, k) => {
      const scene = new SceneBuilder();
      for (const frame of roomFrames(camera, { seed: 100 + k, count: 4 })) scene.add(frame);
      const built = scene.build();
      return built && sightOf(built);
    });
    if (!a || !b) throw new Error("a camera sees nothing");
    const truth = compose(rigid(), invert(rigid(), rigidOf(rig[0])), rigidOf(rig[1]));
    const beside = Float64Array.from(truth, (value, k) => value + (k === 11 ? 0.25 : 0));
    expect(fitted(a, b, [beside])).toMatch(/too little in common/);
    const told = fitted(a, b, fromAfar(a, b, beside));
    expect(
      typeof told === "string" ? told : Math.hypot(...[3, 7, 11].map((k) => told.motion[k] - truth[k])),
    ).toBeLessThan(0.005);
  });

  test("agree in colours at the right place, whatever their exposures, and contradict each other where the things differ", () => {
    const [[first, second] = []] = [...randomRigs(1, 2, 55)];
    if (!first || !second) throw new Error("no rig was made");
    const { still } = SCENES.room;
    const others = still.map((one, k) => ({
      ...one,
      material: still[(k + 1) % still.length]?.material ?? one.material,
    }));
    const truth = compose(rigid(), invert(rigid(), rigidOf(first)), rigidOf(second));
    const [a, b] = [first, second].map((camera) => {
      const scene = new SceneBuilder();
      for (const frame of roomFrames(camera, { sensor: null, count: 1 })) scene.add(frame);
      return scene.build();
    });
    if (!a || !b) throw new Error("a camera sees nothing");
    const own = sightOf(a, roomColor(first, 1));
    const said = [roomColor(second, 0.6), roomColor(second, 1.6), roomColor(second, 1, others), WHITE, undefined].map(
      (color) => {
        const other = sightOf(b, color);
        return own && other && colorsSay(own, other, truth, 0.03);
      },
    );
    expect(said).toEqual(["agree", "agree", "contradict", "unsure", "unsure"]);
  });

  test("a wrong option is refused by its name", async () => {
    await expect(align([], { starts: [[1, 2] as never] })).rejects.toThrow(
      /align: starts must be a list of six numbers/,
    );
  });

  test("are told step by step, and a signal ends the search between two steps", async () => {
    const ending = new AbortController();
    const steps: (readonly [number, number])[] = [];
    const onProgress = (...step: [number, number]) => {
      steps.push(step);
      ending.abort("enough");
    };
    const [one] = roomFrames(lookingAt([0, -1.3, 0], [0.2, -1.2, 2]), { count: 1, solids: WALL });
    await expect(align([[one], [one]], { signal: ending.signal, onProgress })).rejects.toBe("enough");
    expect(steps).toEqual([[0, 3]]);
  });
});

test("what stands behind somebody who walks by is seen, and where depth only flickers nothing is", () => {
  const intrinsics = { fx: 100, fy: 100, cx: 1, cy: 0, width: 3, height: 1 };
  const [scene, standing] = [new SceneBuilder(), new Backdrop()];
  for (let index = 0; index < 20; index++) {
    const depth = image(
      Uint16Array.of(3000, index % 5 < 2 ? 1200 : 2000 + (index % 3), 1000 + 400 * (index % 7)),
      [1, 3],
    );
    const frame = { depth, metresPerUnit: 0.001, intrinsics, timestamp: index, index };
    scene.add(frame);
    standing.add(frame);
  }
  const mean = scene.build();
  if (!mean) throw new Error("no scene was made");
  expect([...mean.z]).toEqual([3, 0, 0]);
  expect([...standing.behind(mean).z].map((z) => Math.round(z * 100))).toEqual([300, 200, 0]);
});

test("roll, pitch and yaw are turns about fixed axes, and an error of the camera on the way grows with the distance", () => {
  const motion = motionOf([1, 2, 3, 10, -20, 160]);
  expect(anglesOf(motion).map((angle) => Math.round(angle * 1e6) / 1e6)).toEqual([10, -20, 160]);
  // Roll alone keeps x; yaw then takes x to y.
  expect([...motionOf([0, 0, 0, 30, 0, 90])].map((value) => Math.round(value * 1e6) / 1e6 + 0)).toEqual([
    ...[0, -0.866025, 0.5, 0],
    ...[1, 0, 0, 0],
    ...[0, 0.5, 0.866025, 0],
  ]);
  const still = new Array<number>(36).fill(0);
  const unsure = still.map((_, i) => (i === 35 ? 1e-6 : 0));
  const rounded = still.map((_, i) => (i % 7 === 0 ? -1e-20 : 0));
  expect(readStand({ motion, covariance: rounded }).turn.map(({ plusMinus }) => plusMinus)).toEqual([0, 0, 0]);
  // A turn by 1 mrad about z moves what stands 2 m along x by 2 mm along y.
  const { covariance } = chained(
    { motion: motionOf([5, 0, 0, 0, 0, 0]), covariance: unsure },
    { motion: motionOf([2, 0, 0, 0, 0, 0]), covariance: still },
  );
  expect([0, 7, 14, 35].map((i) => Math.sqrt(covariance[i] ?? 9))).toEqual([0, expect.closeTo(0.002, 9), 0, 0.001]);
});

test("places are written as commands of ROS 2, and a camera without a place with the reason", () => {
  const camera = { toFirst: [1, 0, 0, 1, 0, 1, 0, -2, 0, 0, 1, 0.5], why: "it sees nothing" };
  const cameras = [camera, camera, { ...camera, toFirst: null }] as unknown as Alignment["cameras"];
  const [, , first, second, command, third] = tfCommands(["a", "b", "c"], { cameras, warnings: [] }).split("\n");
  expect([first, second, third]).toEqual([
    "# camera_1: a",
    "# camera_2: b",
    "# camera_3: c: cannot tell: it sees nothing",
  ]);
  expect(command).toMatch(
    /static_transform_publisher --x 1\.000000 --y -2.* --qw 1\.0+ --frame-id camera_1 --child-frame-id camera_2 &$/,
  );
});

test.skipIf(RIGS === 0)("many rigs have places or say why not, and no bare wall has one", async () => {
  const bare = Array.from({ length: 20 }, async (_, k) => {
    const random = randomBy(k + 1);
    const cameras = [0, 1].map(() =>
      lookingAt([random(), -1 - random(), random() - 0.5], [random(), -1 - random(), 2]),
    );
    const found = await align(
      cameras.map((camera, i) => roomFrames(camera, { seed: 2 * k + i, count: 10, solids: WALL })),
    );
    return found.cameras[1]?.toFirst;
  });
  const walls = await Promise.all(bare);
  expect(walls).toEqual(walls.map(() => null));
  const ends = [lookingAt([0, -1.3, 0.4], [0.3, -1, 5]), lookingAt([0, -1.4, 2.5], [0, -1.2, -1.2])];
  expect((await align(ends.map((camera) => roomFrames(camera)))).cameras[1]?.toFirst).toBeNull();
  const tried = [2, 3, 4].flatMap((cameras) =>
    [...randomRigs(RIGS, cameras, 50 + cameras)].map((rig, k) => triedRig(rig, 100 * cameras + k)),
  );
  const rows = (await Promise.all(tried)).flat();
  const told = rows.flatMap(({ mm, degrees, inside }) => (mm === null ? [] : [{ mm, degrees: degrees ?? 0, inside }]));
  const mm = told.map((row) => row.mm).toSorted((p, q) => p - q);
  const within = told.flatMap(({ inside }) => inside).filter(Boolean).length / (3 * told.length);
  const turns = Math.max(...told.map(({ degrees }) => degrees));
  console.log(
    `${told.length} of ${rows.length} told, mm: ${mm.map((value) => value.toFixed(2)).join(" ")}; most ${turns.toFixed(3)}°; within ± ${within.toFixed(3)}`,
  );
  expect(mm[mm.length >> 1]).toBeLessThan(5);
  expect(mm[mm.length - 1]).toBeLessThan(15);
  expect(within).toBeGreaterThan(0.85);
});
