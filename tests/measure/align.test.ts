import { describe, expect, test } from "vitest";
import { image } from "../../sources/core/frame.ts";
import { lookingAt } from "../../sources/synthetic/geometry.ts";
import { SCENES } from "../../sources/synthetic/scenes/index.ts";
import { compose, invert, rigid } from "../../stages/core/pose.ts";
import { type Alignment, align } from "../../viewer/measure/align/align.ts";
import { colorsSay } from "../../viewer/measure/align/color.ts";
import { fitted } from "../../viewer/measure/align/fit.ts";
import { clockBetween, type Moved } from "../../viewer/measure/align/motion.ts";
import { anglesOf, chained, motionOf } from "../../viewer/measure/align/pose.ts";
import { tfCommands } from "../../viewer/measure/align/report.ts";
import { sightOf } from "../../viewer/measure/align/sight.ts";
import { randomBy } from "../../viewer/measure/find.ts";
import { SceneBuilder } from "../../viewer/measure/scene.ts";
import { LENS, randomRigs, rigidOf, roomColor, roomFrames, triedRig, WALL } from "./rigs.ts";

// Where cameras stand from each other. `RIGS=20 npx vitest run --mode long tests/measure/align.test.ts` tries so many rigs of each kind.

const RIGS = Number(process.env.RIGS ?? 0);

/** A picture without texture. */
const WHITE = image(new Uint8Array(4 * LENS.width * LENS.height).fill(255), [LENS.height, LENS.width, 4]);

describe("cameras of a rig", () => {
  test("have no place where they see a bare wall", () => {
    const cameras = [lookingAt([0, -1.3, 0], [0.2, -1.2, 2]), lookingAt([0.4, -1.5, 0.1], [0.3, -1.3, 2])];
    const found = align(cameras.map((camera, k) => roomFrames(camera, { seed: k + 1, count: 3, solids: WALL })));
    const why = expect.stringMatching(/one flat surface|does not show/);
    expect(found.cameras[1]).toMatchObject({ toFirst: null, why, place: [{ value: null }, { why }, {}] });
  });

  test("have no place where only the noise of normals shows one direction, even if somebody knows where they stand", () => {
    const [[first, , third] = []] = [...randomRigs(1, 4, 54)];
    if (!first || !third) throw new Error("no rig was made");
    const start = [first, third].map(rigidOf);
    const truth = compose(rigid(), invert(rigid(), start[0]), start[1]);
    const about = [truth[3], truth[7], truth[11], ...anglesOf(truth)] as const;
    const frames = [first, third].map((camera, k) => roomFrames(camera, { seed: 4000 + 2 * k, count: 4 }));
    expect(align(frames, { starts: [about] }).cameras[1]?.why).toMatch(/does not show how far/);
  });

  test("have no place where one's floor would be the other's wall, unless somebody says so: three planes of a corner fit in three ways", () => {
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

  test("a wrong option is refused by its name", () => {
    expect(() => align([], { starts: [[1, 2] as never] })).toThrow(/align: starts must be a list of six numbers/);
  });
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

describe("the clocks of two cameras", () => {
  /** How much moves, as a camera sees it whose clock is `lateMs` behind, at its own times. */
  const seen = (
    motion: (s: number) => number,
    { lateMs = 0, seed = 1, count = 240, noise = 0.0004, everyMs = 33.3 } = {},
  ): Moved[] => {
    const random = randomBy(seed);
    return Array.from({ length: count }, (_, k) => {
      const ms = 1000 + k * everyMs + 2 * random();
      return { ms, share: motion((ms + lateMs) / 1000) + noise * (random() - 0.5) };
    });
  };
  const wave = (s: number) =>
    0.02 * Math.sin(2.1 * s) ** 2 +
    0.015 * Math.sin(0.77 * s * s * 0.3 + 1) ** 2 +
    0.01 * Math.sin(5.3 * s + 2 * Math.sin(s)) ** 2;

  test.each([0, 7.4, -213.9, 1504.2])("differ by what is told: %d ms", (lateMs) => {
    const found = clockBetween(
      seen(wave),
      seen((s) => 0.4 * wave(s) + 0.003, { lateMs, seed: 5, everyMs: 40, count: 220 }),
    );
    expect(Math.abs((found.value ?? 9e9) - lateMs)).toBeLessThan(5);
    expect(Math.abs((found.value ?? 9e9) - lateMs)).toBeLessThan(2 * (found.plusMinus ?? 0));
  });

  test.each([
    ["where nothing moves", () => 0.0001, () => 0.0001, /nothing moves/],
    [
      "where a pendulum swings",
      (s: number) => 0.02 * Math.sin(3 * s) ** 2,
      (s: number) => 0.02 * Math.sin(3 * s) ** 2,
      /repeats/,
    ],
    [
      "where each sees another motion",
      wave,
      (s: number) => 0.02 * Math.sin(0.4 * s * s) ** 2,
      /does not move alike|hardly overlap|repeats/,
    ],
  ])("cannot be told %s", (_, a, b, why) => {
    expect(clockBetween(seen(a), seen(b, { seed: 3 }))).toMatchObject({
      value: null,
      unit: "ms",
      why: expect.stringMatching(why),
    });
  });

  test("cannot be told of a few frames", () => {
    expect(clockBetween(seen(wave, { count: 20 }), seen(wave)).why).toMatch(/fewer than 30 frames/);
  });
});

test.skipIf(RIGS === 0)("many rigs have places or say why not, and no bare wall has one", () => {
  const walls = Array.from({ length: 20 }, (_, k) => {
    const random = randomBy(k + 1);
    const cameras = [0, 1].map(() =>
      lookingAt([random(), -1 - random(), random() - 0.5], [random(), -1 - random(), 2]),
    );
    return align(cameras.map((camera, i) => roomFrames(camera, { seed: 2 * k + i, count: 10, solids: WALL })))
      .cameras[1]?.toFirst;
  });
  expect(walls).toEqual(walls.map(() => null));
  const ends = [lookingAt([0, -1.3, 0.4], [0.3, -1, 5]), lookingAt([0, -1.4, 2.5], [0, -1.2, -1.2])];
  expect(align(ends.map((camera) => roomFrames(camera))).cameras[1]?.toFirst).toBeNull();
  const rows = [2, 3, 4].flatMap((cameras) =>
    [...randomRigs(RIGS, cameras, 50 + cameras)].flatMap((rig, k) => triedRig(rig, 100 * cameras + k)),
  );
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
