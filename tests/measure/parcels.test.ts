import { expect, test } from "vitest";
import type { Intrinsics } from "../../core/frame.ts";
import { type Frame, toLocal, turned, type Vec3 } from "../../core/geometry.ts";
import { measure } from "../../measure/index.ts";
import { box } from "../../sources/synthetic/shapes/box.ts";
import { ellipsoid } from "../../sources/synthetic/shapes/ellipsoid.ts";
import { CAMERA, cameraAt, FULL, floor, framesOf, type Placed, parcel } from "./world.ts";

/** What is seen of things on the floor from 1.4 m over it, `tilt` radians off straight down. */
const seen = (things: readonly Placed[], tilt = 0.3, options = {}) =>
  framesOf([floor, ...things], cameraAt([0, 0, 0], 1.4, tilt, 0.1), options);
/** The pixel that sees a point. */
const pixelAt = (camera: Frame, point: Vec3, { fx, fy, cx, cy }: Intrinsics) => {
  const [x, y, z] = toLocal(camera, point);
  return { x: Math.round(cx + (fx * x) / z), y: Math.round(cy + (fy * y) / z) };
};
const BOX = parcel([0.4, 0.2, 0.3], 0.7);
const ABOVE = cameraAt([0.28, -0.2, 0], 1.2, 0.1, 0);
const ON_BOX = { x: 160, y: 110 };
const IN_FULL = { x: 320, y: 220 };

test.each([
  ["on a pallet", [parcel([1, 0.14, 0.8], 0.2)], [0.4, 0.3, 0.25], /^$/],
  ["beside one that is as high, a gap of 12 mm away", [parcel([0.2, 0.2, 0.3], 0, 0.312)], [0.4, 0.3, 0.2], /^$/],
  ["that leans", [], [0.4, 0.3, 0.25], /leans by 8\.\d/],
  ["on a mat of 10 mm, which is too low to be a thing", [parcel([0.6, 0.01, 0.5], 0)], [0.4, 0.3, 0.25], /^$/],
] as const)("a box %s is measured by itself", (name, beside, [long, wide, tall], why) => {
  const low = name === "on a pallet" ? -0.14 : /mat/.test(name) ? -0.01 : 0;
  const high = low - tall;
  const frame = why.test("") ? floor.frame : turned([0, -0.02, 0], [0, 0, 1], 0.14);
  const thing: Placed = { shape: box([-long / 2, high, -wide / 2], [long / 2, low, wide / 2]), frame };
  const [found] = measure(seen([...beside, thing], 0.15), { boxes: [{ x: 159, y: 112 }] }).boxes;
  expect(Math.abs((found?.length.value ?? 0) - 1000 * long)).toBeLessThan(3);
  expect(Math.abs((found?.width.value ?? 0) - 1000 * wide)).toBeLessThan(3);
  const off = Math.abs((found?.height.value ?? 0) - 1000 * tall);
  if (/mat/.test(name)) expect([off > 0, off < (found?.height.plusMinus ?? 0), off < 6]).toEqual([true, true, true]);
  else if (why.test("")) expect(off).toBeLessThan(1);
  else expect(found?.height).toMatchObject({ value: null, why: expect.stringMatching(why) });
});

test.each([
  ["at three heights stands on the floor", [0.2, 0.25, 0.15], [300, 300, 400]],
  ["at one height may stand on them: its height is refused", [0.2, 0.2, 0], [300, 300, null]],
  [
    "at one height on three sides, with the floor seen between them, may stand on them",
    [0.2, 0.2, 0.2],
    [300, 300, null],
  ],
  ["one of which is higher and hides a part of the top has no sides", [0, 0, 0.6], [null, null, 400]],
] as const)("a box that others touch, %s", (_, [right, left, before], sides) => {
  const beside = [parcel([0.2, right, 0.3], 0, 0.25), parcel([0.2, left, 0.3], 0, -0.25)];
  const all = [parcel([0.3, 0.4, 0.3], 0), ...beside, parcel([0.3, before, 0.2], 0, 0, -0.25)];
  const frames = framesOf([floor, ...all], cameraAt([0, -0.2, 0], 1.3, before > 0.4 ? 0.3 : 0.4, 0.1));
  const [found] = measure(frames, { boxes: [{ x: 160, y: 110 }] }).boxes;
  const read = [found?.length, found?.width, found?.height];
  expect(read.map((side) => (side?.value ? Math.round(side.value / 5) * 5 : null))).toEqual(sides);
});

test.each([
  [0.352, 0.166, 0.318, 0.174, 0.1075, 0.407, [0.034, -0.083, -0.039], 1.31, 0.13, 0.47],
  [0.221, 0.378, 0.205, 0.296, 0.313, 0.375, [-0.049, -0.189, -0.017], 1.6, 0.03, 5.28],
  [0.328, 0.212, 0.153, 0.37, 0.107, 0.441, [0.038, -0.106, -0.002], 1.53, 0.33, 4.48],
] as const)(
  "the height of a box is told that two lower ones touch, where the floor is seen between them: %s × %s × %s m",
  (...scene) => {
    const [long, tall, wide, L, low, W, middle, far, tilt, roll] = scene;
    const beside = [parcel([L, low, W], 0, (long + L) / 2 + 0.005), parcel([L, low, W], 0, 0, (wide + W) / 2 + 0.005)];
    const at = cameraAt(middle, far, tilt, roll);
    const pixel = pixelAt(at, [0, -tall, 0], CAMERA);
    const frames = framesOf([floor, parcel([long, tall, wide], 0), ...beside], at, {
      sensor: "azure-kinect",
      count: 5,
      seed: 11,
    });
    const [found] = measure(frames, { boxes: [pixel] }).boxes;
    expect(Math.abs((found?.height.value ?? 0) - 1000 * tall)).toBeLessThan(2);
  },
);

test.each([
  ["as wide as the box: one side alone shows the pallet, which goes on around both", 0.34, [0.8, 0.125, -0.2], 250],
  ["narrower: two sides show the pallet", 0.12, [0.8, 0.125, -0.2], 250],
  [
    "at the pallet's edge, where the floor is seen right beside the box: its height is refused",
    0.34,
    [0.55, 0.175, 0.125],
    null,
  ],
] as const)("a box on a pallet, beside which a second box stands on it, %s", (_, wide, [long, ...at], tall) => {
  const on = ([x0, x1]: readonly number[], [z0, z1]: readonly number[], height: number): Placed => ({
    shape: box([x0, -0.14 - height, z0], [x1, -0.14, z1]),
    frame: floor.frame,
  });
  const pallet = parcel([0.65, 0.14, long], 0, ...at);
  const things = [
    on([-0.15, 0.15], [-0.15, 0.15], 0.25),
    on([-wide / 2, wide / 2], at[1] > 0 ? [0.15, 0.4] : [-0.4, -0.15], 0.1),
  ];
  const frames = framesOf([floor, pallet, ...things], cameraAt([0.35, -0.3, 0], 1.3, 0.4, 0.1));
  const [found] = measure(frames, { boxes: [{ x: 75, y: 105 }] }).boxes;
  expect([found?.length.value, found?.width.value].map((mm) => Math.round((mm ?? 0) / 5) * 5)).toEqual([300, 300]);
  const { value } = found?.height ?? {};
  expect(value && Math.round(value / 5) * 5).toBe(tall);
});

test.each([
  [0.3, 220],
  [0.6, null],
  [0.7, null],
])(
  "the bottom of an open box is no top, seen %s radians off straight down: by the rim it is %s mm tall",
  (tilt, tall) => {
    const walls = [0.184, -0.184].map((x) => parcel([0.012, 0.22, 0.26], 0, x));
    const ends = [0.124, -0.124].map((z) => parcel([0.38, 0.22, 0.012], 0, 0, z));
    const frames = framesOf(
      [floor, parcel([0.37, 0.04, 0.25], 0), ...walls, ...ends],
      cameraAt([0, -0.1, 0], 1.3, tilt, 0.6),
    );
    const [found] = measure(frames, { boxes: [{ x: 160, y: 120 }] }).boxes;
    const { value = 0, why } = found?.height ?? {};
    expect([value && Math.round(value / 5) * 5, why]).toEqual([tall, expect.stringMatching(/as in an open box/)]);
  },
);

test("a box before a stereo camera, and a narrower one that touches it 12 mm lower, within the noise, are not told as one box", () => {
  const beside = parcel([0.2, 0.238, 0.2], 0, 0.275, 0.04);
  const seenBy = (things: readonly Placed[]) =>
    framesOf([floor, parcel([0.35, 0.25, 0.28], 0), ...things], cameraAt([0.05, -0.2, 0.05], 1.6, 0.25, 0.1), {
      sensor: "realsense",
      count: 4,
      seed: 4,
    });
  const [both, alone] = [[beside], []].map(
    (things) => measure(seenBy(things), { boxes: [{ x: 152, y: 112 }] }).boxes[0],
  );
  for (const side of [both?.length, both?.width, both?.height])
    expect(side).toMatchObject({
      value: null,
      why: expect.stringMatching(/is not straight: things of nearly one height/),
    });
  for (const [side, mm] of [
    [alone?.length, 350],
    [alone?.width, 280],
    [alone?.height, 250],
  ] as const)
    expect(Math.abs((side?.value ?? 0) - mm)).toBeLessThan(15);
});

test.each([
  ["the top goes on through a gap between what hides it and another thing", 1, 0.02],
  ["most of a side is hidden", 2, 0.04],
])("a box that a higher one before it hides in part has no sides: %s", (_, seed, x) => {
  const at = cameraAt([0.15, -0.1, 0], 1.85, 0.7, 0.8 + 0.05 * seed);
  const beside = [parcel([0.3, 0.2, 0.2], 0, -0.02, 0.179), parcel([0.28, 0.25, 0.2], 0, -0.15, -0.179)];
  const things = [floor, parcel([0.46, 0.115, 0.158], 0), ...beside];
  const frames = framesOf(things, at, { sensor: "kinect-v1", count: 5, seed, lens: FULL });
  const [found] = measure(frames, { boxes: [pixelAt(at, [x, -0.115, 0], FULL)] }).boxes;
  expect(found?.length).toMatchObject({ value: null, why: "part of the top is hidden" });
  expect(Math.abs((found?.height.value ?? 0) - 115)).toBeLessThan(1);
});

test.each([
  [16, 180, 28],
  [17, 190, 30],
  [22, 170, 32],
  [34, 220, 32],
  [37, 180, 30],
])(
  "a box so low that a stereo camera's noise carries its top below what counts as a thing ends at its edges: seed %i",
  (seed, long, tall) => {
    const camera = cameraAt([0, 0, 0], 1.5 + 0.05 * (seed % 5), 0.45, 0.1 * seed);
    const pixel = pixelAt(camera, [0, -tall / 1000, 0], FULL);
    const things = [floor, parcel([long / 1000, tall / 1000, 0.107], 0.3 * seed)];
    const frames = framesOf(things, camera, { sensor: "realsense", count: 5, seed, lens: FULL });
    const [found] = measure(frames, { boxes: [pixel] }).boxes;
    for (const [side, mm] of [
      [found?.length, long],
      [found?.width, 107],
      [found?.height, tall],
    ] as const)
      expect(Math.abs((side?.value ?? 0) - mm)).toBeLessThan(side?.plusMinus ?? 0);
  },
);

test.each([
  [0.025, 300],
  [0.05, 300],
  [0.3, null],
])(
  "a box beside one that is %s m higher and hides a strip of its top, seen from above, is %s mm long",
  (more, long) => {
    const things = [floor, parcel([0.3, 0.2, 0.25], 0), parcel([0.2, 0.2 + more, 0.3], 0, 0.25)];
    const frames = framesOf(things, cameraAt([0.25, -0.2, 0], 1.2, 0.05, 0.1), { lens: FULL });
    const [found] = measure(frames, { boxes: [{ x: 220, y: 240 }] }).boxes;
    if (long === null) expect(found?.length).toMatchObject({ value: null, why: "part of the top is hidden" });
    else expect(Math.abs((found?.length.value ?? 0) - long)).toBeLessThan(found?.length.plusMinus ?? 0);
    expect(found?.length.plusMinus ?? 0).toBeLessThan(5);
  },
);

test("a box in the middle of nine stands on the floor, as those around it do", () => {
  const tall = [0.2, 0.26, 0.17, 0.23, 0.3, 0.21, 0.15, 0.25, 0.19];
  const nine = tall.map((height, k) =>
    parcel([0.2, height, 0.2], 0, 0.2 * ((k % 3) - 1), 0.2 * (Math.floor(k / 3) - 1)),
  );
  const frames = framesOf([floor, ...nine], cameraAt([0, -0.25, 0], 1.3, 0.2, 0), { lens: FULL });
  const [found] = measure(frames, { boxes: [{ x: 320, y: 240 }] }).boxes;
  expect([found?.length, found?.width, found?.height].map((side) => Math.round((side?.value ?? 0) / 4))).toEqual([
    50, 50, 75,
  ]);
});

test("a click on a small box takes its top, not that of the large one that it touches", () => {
  const frames = framesOf([floor, parcel([0.5, 0.23, 0.5], 0), parcel([0.045, 0.2, 0.045], 0, 0.2725)], ABOVE);
  const [found] = measure(frames, { boxes: [{ x: 160, y: 120 }] }).boxes;
  expect(Math.abs((found?.height.value ?? 0) - 200)).toBeLessThan(2);
  for (const side of [found?.length, found?.width]) expect(side?.value ?? 45).toBeLessThan(55);
});

test("a click into a hole of a box's top takes the top", () => {
  const frames = seen([BOX]);
  for (const { depth } of frames)
    for (let y = 100; y < 120; y++) for (let x = 147; x < 173; x++) depth.data[320 * y + x] = 0;
  const [found] = measure(frames, { boxes: [ON_BOX] }).boxes;
  expect([found?.length.value, found?.width.value].map((mm) => Math.round((mm ?? 0) / 2))).toEqual([200, 150]);
});

test("a ball is no box: the smallest cuboid around it is told, which says so, and its volume over the floor", () => {
  const half: Placed = { shape: ellipsoid(0.3, 0.2, 0.25), frame: floor.frame };
  const { boxes, volumes } = measure(seen([half], 0, { lens: FULL }), { boxes: [IN_FULL], volumes: [IN_FULL] });
  const [around] = boxes;
  expect(around).toMatchObject({
    isCuboid: true,
    length: { why: expect.stringMatching(/smallest cuboid .* no flat top/) },
  });
  for (const [side, mm] of [
    [around?.length, 600],
    [around?.width, 500],
    [around?.height, 200],
  ] as const) {
    expect(Math.abs((side?.value ?? 0) - mm)).toBeLessThan(side?.plusMinus ?? 0);
    expect(side?.plusMinus).toBeLessThan(25);
  }
  const litres = (1000 * (4 / 3) * Math.PI * 0.3 * 0.2 * 0.25) / 2;
  expect(Math.abs((volumes[0]?.volume.value ?? 0) / litres - 1)).toBeLessThan(0.02);
});
