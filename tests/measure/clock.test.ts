import { describe, expect, test } from "vitest";
import { at, type Frame, lookingAt } from "../../core/geometry.ts";
import { compose, invert, rigid } from "../../core/pose.ts";
import { clockBetween, clocksOf, movesAlike } from "../../measure/align/clock.ts";
import { type Motion, MotionWatch } from "../../measure/align/motion.ts";
import type { Solid } from "../../sources/synthetic/scenes/scene.ts";
import { moverBy } from "./movers.ts";
import { LENS, rigidOf, roomFrames } from "./rigs.ts";

// How the clocks of two cameras differ, by what moves before both.

describe("the clocks of two cameras", () => {
  const HALF = { ...LENS, fx: 131.25, fy: 131.25, cx: 79.5, cy: 59.5, width: 160, height: 120 };
  /** What moves in the room, as seen by a camera whose times have to be raised by `lateMs`. */
  const seen = (camera: Frame, moving: (s: number) => readonly Solid[], { lateMs = 0, fps = 25, seconds = 5 } = {}) => {
    const watch = new MotionWatch();
    // Depth is exact, so that the test is short; the table in docs/align.md has noise.
    for (const frame of roomFrames(camera, {
      ...{ sensor: null, count: seconds * fps, moving, lens: HALF },
      ...{ timeOf: (k) => k / fps, clockOf: (k) => (1000 * k) / fps - lateMs },
    }))
      watch.add(frame);
    return watch.build(undefined) as Motion;
  };
  const eyes = [lookingAt([-1.3, -1.6, 0.2], [0.1, -0.6, 2.4]), lookingAt([1.7, -1.5, 1.2], [0.1, -0.6, 2.4])] as const;
  const bToA = compose(rigid(), invert(rigid(), rigidOf(eyes[0])), rigidOf(eyes[1]));
  const person = moverBy("person", 3);
  const first = seen(eyes[0], person);

  test("are told to 5 ms from somebody who walks about, whatever the rates, and not where the place is wrong", () => {
    const second = seen(eyes[1], person, { lateMs: -713.9, fps: 20 });
    const { value, plusMinus } = clockBetween(first, second, bToA);
    expect(Math.abs((value ?? 9e9) + 713.9)).toBeLessThan(5);
    expect(Math.abs((value ?? 9e9) + 713.9)).toBeLessThan(2 * (plusMinus ?? 0));
    // A place that is good to 2 cm (one sigma) along each axis makes the clock less certain.
    const unsure = Array.from({ length: 36 }, (_, i) => (i % 7 === 0 && i < 18 ? 4e-4 : 0));
    const wider = clockBetween(first, second, bToA, unsure);
    expect(wider.value ?? 0).toBeCloseTo(value ?? 9e9, 9);
    expect(wider.plusMinus).toBeGreaterThan(1.05 * (plusMinus ?? 9e9));
    const moved = Float64Array.from(bToA, (entry, k) => entry + (k === 3 ? 0.5 : 0));
    expect(clockBetween(first, second, moved).why).toMatch(/does not move alike/);
    expect([bToA, moved].map((motion) => movesAlike(first, second, motion))).toEqual([true, false]);
    // A third camera that has no view in common with the first one has the clock by way of the second.
    const placed = new Map([
      [0, { motion: rigid(), covariance: [], partner: null }],
      [1, { motion: bToA, covariance: [], partner: 0 }],
      [2, { motion: bToA, covariance: [], partner: 1 }],
    ]);
    const third = clocksOf([first, second, second], placed).get(2);
    expect(third?.value).toBeCloseTo(value ?? 0, 9);
  });

  test.each([
    ["where a pendulum swings", "pendulum", 1, /repeats/],
    ["where each sees another motion", "person", 8, /does not move alike|too little moves/],
  ] as const)("cannot be told %s", (_, kind, seed, why) => {
    const a = kind === "pendulum" ? seen(eyes[0], moverBy(kind, seed)) : first;
    expect(clockBetween(a, seen(eyes[1], moverBy(kind, seed)), bToA)).toMatchObject({
      ...{ value: null, unit: "ms", why: expect.stringMatching(why) },
    });
  });

  test("cannot be told where nothing moves, or not where both look", () => {
    expect(
      clockBetween(
        first,
        seen(eyes[1], () => [], { seconds: 1 }),
        bToA,
      ).why,
    ).toMatch(/nothing moves/);
    const away = lookingAt([1.7, -1.5, 1.2], [1.5, -1.4, -1]);
    const aside = (s: number) =>
      moverBy("ball", 2)(s).map((one) => ({ ...one, frame: at([1.5 + 0.3 * Math.sin(3 * s), -1.3, 0]) }));
    const toA = compose(rigid(), invert(rigid(), rigidOf(eyes[0])), rigidOf(away));
    expect(clockBetween(first, seen(away, aside, { seconds: 2 }), toA).why).toMatch(
      /where the other one looks|nothing moves/,
    );
  });

  test("cannot be told from what moves for a moment alone, and a camera of one frame contradicts no place", () => {
    const briefly = (s: number) => (s > 2.5 && s < 2.9 ? person(s) : []);
    const [a, b] = eyes.map((eye) => seen(eye, briefly));
    expect(clockBetween(a, b, bToA)).toMatchObject({ value: null, why: expect.stringMatching(/^(?!.*NaN)/) });
    const picture = seen(eyes[1], person, { seconds: 0.04 });
    expect([picture.times.length, movesAlike(first, picture, bToA), movesAlike(picture, first, bToA)]).toEqual([
      1,
      undefined,
      undefined,
    ]);
  });
});
