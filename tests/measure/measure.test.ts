import { describe, expect, test } from "vitest";
import { image } from "../../core/frame.ts";
import { toLocal, toWorld, turned, type Vec3 } from "../../core/geometry.ts";
import { measure, regionOf, SceneBuilder, spellReading } from "../../measure/index.ts";
import { randomBy } from "../../measure/propose.ts";
import { smallestRectangle } from "../../measure/rectangle.ts";
import { splitOf } from "../../measure/side.ts";
import { box } from "../../sources/synthetic/shapes/box.ts";
import { sampled, slowTest } from "../mode.ts";
import { CAMERA, cameraAt, floor, framesOf, type Placed, parcel } from "./world.ts";

/** What is seen of things on the floor from 1.4 m over it, `tilt` radians off straight down. */
const seen = (things: readonly Placed[], tilt = 0.3, options = {}) =>
  framesOf([floor, ...things], cameraAt([0, 0, 0], 1.4, tilt, 0.1), options);
const BOX = parcel([0.4, 0.2, 0.3], 0.7);
const ON_BOX = { x: 160, y: 110 };

describe("in exact depth", () => {
  test("a box has its length, width and height", () => {
    const { floor: found, boxes } = measure(seen([BOX]), { boxes: [ON_BOX] });
    const [{ length, width, height, corners }] = boxes as [(typeof boxes)[0]];
    expect([length.value, width.value, height.value].map((mm) => Math.round(mm ?? 0))).toEqual([400, 300, 200]);
    expect(Math.abs((height.value ?? 0) - 200)).toBeLessThan(0.05);
    expect(corners).toHaveLength(4);
    expect(found?.tilt.value).toBeCloseTo((0.3 * 180) / Math.PI, 2);
    expect(found?.distance.value).toBeCloseTo(1400 * Math.cos(0.3), 0);
  });

  test("a bias of 1 % in depth moves the height of a box by 1 % of itself, not of the distance", () => {
    const biased = seen([BOX]).map((frame) => ({ ...frame, metresPerUnit: frame.metresPerUnit * 1.01 }));
    const height = measure(biased, { boxes: [ON_BOX] }).boxes[0]?.height.value ?? 0;
    expect(height).toBeCloseTo(202, 1);
  });

  test("the floor's distance by a tape takes a bias of 1 % out of every length", () => {
    const tall = parcel([0.3, 1.1, 0.25], 0.4);
    const from = cameraAt([0, -1.1, 0], 1.2, 0.2, 0.3);
    const biased = framesOf([floor, tall], from).map((frame) => ({
      ...frame,
      metresPerUnit: frame.metresPerUnit * 1.01,
    }));
    // The camera is 1.1 m + 1.2 m · cos .2 over the floor.
    const floorMm = 1000 * (1.1 + 1.2 * Math.cos(0.2));
    const found = measure(biased, { boxes: [ON_BOX], floorMm });
    const [{ length, width, height }] = found.boxes as [(typeof found.boxes)[0]];
    expect(found.scale).toBeCloseTo(1 / 1.01, 4);
    for (const [side, mm] of [
      [length, 300],
      [width, 250],
      [height, 1100],
    ] as const)
      expect(Math.abs((side.value ?? 0) - mm)).toBeLessThan(1);
    const far = measure(biased, { boxes: [ON_BOX], floorMm: 1.3 * floorMm });
    expect(far.scale).toBe(1);
    expect(far.warnings.join()).toMatch(/by the tape: name a pixel of the plane/);
  });

  slowTest("an offset that all of a camera's rays share falls out of the height of a box", () => {
    const height = (offset: number) => {
      // From straight above, depth that is 10 mm too long shifts top and floor alike.
      const frames = framesOf([floor, BOX], cameraAt([0, 0, 0], 1.4, 0, 0.1));
      const shifted = frames.map((frame) => ({
        ...frame,
        depth: { ...frame.depth, data: frame.depth.data.map((units) => (units > 0 ? units + offset : 0)) },
      }));
      return measure(shifted as typeof frames, { boxes: [ON_BOX] }).boxes[0]?.height.value ?? 0;
    };
    expect(Math.abs(height(100) - height(0))).toBeLessThan(0.1);
  });

  slowTest("an accuracy that is stated makes each ± larger", () => {
    const [exact, stated] = [0, 0.01].map((accuracy) => measure(seen([BOX]), { boxes: [ON_BOX], accuracy }).boxes[0]);
    expect(stated?.height.plusMinus).toBeCloseTo(2, 1);
    expect(exact?.height.plusMinus ?? 1).toBeLessThan(0.2);
    expect(stated?.length.plusMinus ?? 0).toBeGreaterThan(4);
  });

  test("of several things each is measured by itself", () => {
    const things = [parcel([0.25, 0.12, 0.2], 0, -0.3), parcel([0.2, 0.3, 0.15], 0.4, 0.3)];
    const { boxes } = measure(seen(things, 0), {
      boxes: [
        { x: 99, y: 120 },
        { x: 230, y: 120 },
      ],
    });
    const heights = boxes.map(({ height }) => Math.round(height.value ?? 0));
    expect(heights.toSorted((a, b) => a - b)).toEqual([120, 300]);
  });

  test("planes have tilts, and angles with the floor", () => {
    const { planes, angles, regions } = measure(seen([BOX]), {
      floor: "auto",
      planes: [ON_BOX, { x: 20, y: 20 }],
      regions: [{ x: 10, y: 10, width: 30, height: 20 }],
    });
    expect(planes.map((plane) => plane?.tilt.value ?? 0)).toEqual([
      expect.closeTo(17.189, 1),
      expect.closeTo(17.189, 1),
    ]);
    expect(angles.map(({ value }) => value ?? 9)).toEqual([expect.closeTo(0, 1), expect.closeTo(0, 1)]);
    expect(regions[0]?.plane?.rmsMm).toBeLessThan(0.1);
    expect(regions[0]?.valid).toMatchObject({ value: 1, unit: "1" });
  });
});

describe("the area of a patch", () => {
  const camera = cameraAt([0, 0, 0], 1.4, 0.3, 0.1);
  /** The pixels that see points of the world. */
  const pixelsOf = (points: readonly Vec3[]) =>
    points.map((point) => {
      const [x, y, z] = toLocal(camera, point);
      return { x: Math.round((CAMERA.fx * x) / z + CAMERA.cx), y: Math.round((CAMERA.fy * y) / z + CAMERA.cy) };
    });
  const SQUARE = [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ] as const;
  const topOf = ([dx, dz]: readonly [number, number]) =>
    toWorld(turned([0, 0, 0], [0, 1, 0], 0.7), [0.2 * dx, -0.2, 0.15 * dz]);

  test("within an outline is that of the plane there, and the readings are those of its pixels alone", () => {
    const outline = regionOf(pixelsOf(SQUARE.map(topOf)));
    const { x, y, width, height } = outline;
    const [lid, around] = measure(seen([BOX]), { regions: [outline, { x, y, width, height }] }).regions;
    expect(Math.abs((lid?.area.value ?? 0) - 0.12)).toBeLessThan(lid?.area.plusMinus ?? 0);
    expect(lid?.area.plusMinus).toBeLessThan(0.0022);
    expect(lid).toMatchObject({
      valid: { value: 1 },
      plane: { share: expect.closeTo(1, 1) },
      area: { unit: "m²" },
      outline: outline.outline,
    });
    // The lid is turned, and just less than half of the rectangle around it.
    expect(around?.why).toMatch(/only (49|50) % of the region lie on one plane/);
    expect(spellReading(lid?.area ?? { value: null, plusMinus: null, unit: "m²" })).toMatch(
      /^1[12]\d\d(\.\d)? ± \d+(\.\d)? cm²$/,
    );
  });

  test.each(sampled(["azure-kinect", "kinect-v1", "d455"] as const))(
    "on the floor lies within its ± as a %s sees it",
    (sensor) => {
      const random = randomBy(7);
      const patches = Array.from({ length: 40 }, () => {
        const [at, turn, long, wide] = [
          [random() - 0.5, random() - 0.5],
          3 * random(),
          0.1 + 0.4 * random(),
          0.1 + 0.3 * random(),
        ];
        const frame = turned([0.6 * (at[0] ?? 0), 0, 0.5 * (at[1] ?? 0)], [0, 1, 0], turn);
        const corners = SQUARE.map(([a, b]) => toWorld(frame, [(a * long) / 2, 0, (b * wide) / 2]));
        return { region: regionOf(pixelsOf(corners)), truth: long * wide };
      });
      const regions = patches.map(({ region }) => region);
      const found = measure(seen([], 0.3, { sensor, count: 5 }), { regions }).regions;
      const within = found.filter(
        ({ area }, k) => Math.abs((area.value ?? 0) - (patches[k]?.truth ?? 0)) <= (area.plusMinus ?? 0),
      );
      // 95 of 100 readings are meant to lie within the ±; of 40, more than four lie outside in one of twenty such studies.
      expect(within.length).toBeGreaterThanOrEqual(36);
      // The ± is no wider than it need be.
      const wide = found
        .map(({ area }, k) => (area.plusMinus ?? 1) / (patches[k]?.truth ?? 1))
        .toSorted((a, b) => a - b);
      expect(wide[20]).toBeLessThan(0.05);
    },
  );
});

describe("what cannot be told says why:", () => {
  /** As a stereo camera, which measures nothing at the left of the image. */
  const blindTo = (column: number) => (frame: ReturnType<typeof seen>[0]) => {
    frame.depth.data.forEach((_, i, data) => {
      if (i % CAMERA.width < column) data[i] = 0;
    });
    return frame;
  };
  const holes = (share: number) =>
    seen([]).map((frame) => {
      frame.depth.data.forEach((_, i, data) => {
        if (i % 100 >= share) data[i] = 0;
      });
      return frame;
    });
  test.each([
    ["the floor", () => measure(seen([BOX]), { boxes: [{ x: 15, y: 15 }] }).boxes[0]?.height, /sees the floor/],
    [
      "a box that goes on beyond the picture",
      () => measure(seen([parcel([2.4, 0.3, 0.3], 0)]), { boxes: [ON_BOX] }).boxes[0]?.length,
      /cut off by the edge/,
    ],
    [
      "a box that reaches into the part of the image where nothing is measured",
      () => measure(seen([BOX]).map(blindTo(150)), { boxes: [ON_BOX] }).boxes[0]?.length,
      /cut off by the edge/,
    ],
    ["no depth at all", () => measure(holes(0), { boxes: [ON_BOX] }).boxes[0]?.height, /no floor was found/],
    [
      "a region without depth",
      () => measure(holes(0), { regions: [{ x: 1, y: 1, width: 9, height: 9 }] }).regions[0]?.distance,
      /no pixel of the region/,
    ],
    [
      "a region outside",
      () => measure(seen([]), { regions: [{ x: 700, y: 1, width: 9, height: 9 }] }).regions[0]?.distance,
      /outside of the image/,
    ],
  ])("%s", (_, read, why) => {
    expect(read()).toMatchObject({ value: null, plusMinus: null, why: expect.stringMatching(why) });
  });

  test("a wrong option is refused by its name", () => {
    expect(() => measure([], { boxes: [{ x: 1 }] as never })).toThrow(/measure: boxes must be a list of pixels/);
    expect(measure([]).warnings).toEqual(["there is no frame to measure in"]);
  });
});

test("a wall is not told as the floor: the strip at its foot is, and without one nothing", () => {
  const wall: Placed = { shape: box([-4, -3, 0], [4, 0, 0.2]), frame: floor.frame };
  const level = cameraAt([0, -0.6, 0], 2.2, 1.35, 0);
  const { floor: strip } = measure(framesOf([floor, wall], level), { floor: "auto" });
  expect(strip?.distance.value).toBeCloseTo(1000 * (0.6 + 2.2 * Math.cos(1.35)), 0);
  const bare = measure(framesOf([wall], cameraAt([0, -1.5, 0], 1.4, Math.PI / 2, 0)), { floor: "auto" });
  expect(bare.floor).toBeNull();
  expect(bare.warnings.join()).toContain("this may be a wall");
});

test("what a time-of-flight camera errs by over distance is in each ±, unless an accuracy is stated", () => {
  const frames = seen([BOX], 0.3, { sensor: "azure-kinect", count: 4 });
  const [usual, stated] = [undefined, 0].map((accuracy) => measure(frames, { boxes: [ON_BOX], accuracy }).boxes[0]);
  expect(usual?.height.value).toBe(stated?.height.value);
  expect(usual?.height.plusMinus).toBeGreaterThan(2 * (stated?.height.plusMinus ?? 9));
});

test("frames of a camera that moved are left out", () => {
  const moved = seen([BOX], 0.3, { count: 1 }).concat(framesOf([floor], cameraAt([0, 0, 0], 1.1, 0.1, 0)));
  const { frames, warnings } = measure(moved);
  expect([frames, warnings]).toEqual([1, [expect.stringMatching(/left out 1 frame after the first/)]]);
});

test("where pixels are too few to tell the noise, the ± still has what a kind of camera errs by", () => {
  const all = seen([BOX], 0.1, { count: 1 });
  const random = randomBy(1);
  const few = all.map((frame) => ({
    ...frame,
    depth: image(
      frame.depth.data.map((z) => (random() < 0.02 ? z : 0)),
      [...frame.depth.shape],
    ),
  }));
  const [dense, sparse] = [measure(all, { boxes: [ON_BOX] }), measure(few, { boxes: [ON_BOX] })];
  expect([dense.noise === null, sparse.noise]).toEqual([false, null]);
  expect(sparse.floor?.distance.plusMinus ?? 0).toBeGreaterThan(0.9 * (dense.floor?.distance.plusMinus ?? Infinity));
});

test("a pixel that sees two surfaces in turn has no depth in the mean", () => {
  const builder = new SceneBuilder();
  for (const far of [10_000, 14_000, 10_000, 14_000]) {
    const [frame] = seen([]) as [ReturnType<typeof seen>[0]];
    frame.depth.data[1000] = far;
    builder.add(frame);
  }
  const scene = builder.build();
  expect([scene?.z[1000], (scene?.z[1001] ?? 0) > 0]).toEqual([0, true]);
});

test("a boundary lies between the last pixel of the top and the first of what is behind", () => {
  const run = (...parts: readonly [label: number, count: number][]) =>
    Int8Array.from(parts.flatMap(([label, count]) => Array<number>(count).fill(label)));
  expect(splitOf(run([1, 20], [-1, 20]))).toEqual([19.5, 19.5]);
  expect(splitOf(run([1, 20], [0, 8], [-1, 20]))).toEqual([19.5, 27.5]);
  // A shadow without depth belongs to what is behind.
  expect(splitOf(run([1, 20], [0, 30], [-1, 20]))).toEqual([19.5, 19.5]);
  expect(splitOf(run([1, 40]))).toBeUndefined();
});

test("the smallest rectangle around points is turned with them", () => {
  const corners = [
    [0, 0],
    [3, 4],
    [-1, 7],
    [-4, 3],
  ] as const;
  const found = smallestRectangle([...corners, [0, 3]]);
  const sides = found && [found.high[0] - found.low[0], found.high[1] - found.low[1]].sort();
  expect(sides).toEqual([expect.closeTo(5, 9), expect.closeTo(5, 9)]);
});

test("readings are spelt with as many digits as their ± has", () => {
  expect(spellReading({ value: 412.345, plusMinus: 1.84, unit: "mm" })).toBe("412.3 ± 1.8 mm");
  expect(spellReading({ value: 0.97, plusMinus: null, unit: "1" })).toBe("97 %");
  const alone = [1006.04, 12.34, 0.15, 0].map((value) => spellReading({ value, plusMinus: null, unit: "mm" }));
  expect(alone).toEqual(["1006 mm", "12.3 mm", "0.15 mm", "0.00 mm"]);
  expect(spellReading({ value: null, plusMinus: null, unit: "mm", why: "it is a ball" })).toBe(
    "cannot tell: it is a ball",
  );
});
