import { describe, expect, test } from "vitest";
import { image } from "../../../core/frame.ts";
import { product } from "../../../core/matrix.ts";
import { bouguet, type Rectification, rectifier } from "../../../sources/format/rectify.ts";

// Pairs are rectified as OpenCV 4.6 does it (stereoRectify with zero disparity and alpha 0, initUndistortRectifyMap, remap), whose numbers
// are here.

const size = { width: 64, height: 48 };
const left = { ...size, fx: 60, fy: 61, cx: 33.5, cy: 22, distortion: [-0.28, 0.07, 0.0002, 0.00002, 0] };
const right = { ...size, fx: 62, fy: 60.5, cx: 30.5, cy: 25, distortion: [-0.26, 0.05, -0.0004, 0.0003, 0] };
const rotation = [
  ...[0.9993500758297945, -0.020145316160805754, -0.029893012156105903],
  ...[0.01984535115917247, 0.9997500291653056, -0.010297631831627843],
  ...[0.030092988823861425, 0.00969770182836127, 0.9995000583306112],
];
const translation = [-0.11, 0.004, 0.002];
const TURNS = [
  [
    ...[0.9972574420301868, -0.05662940269143791, -0.04765191566159076],
    ...[0.05638155811346705, 0.9983879377812389, -0.0065303596855473935],
    ...[0.04794490817705392, 0.003825760543454021, 0.9988426549442899],
  ],
  [
    ...[0.9991745768300445, -0.03633362097563712, -0.01816681048781836],
    ...[0.03642728583982136, 0.999324528974516, 0.004851663241190798],
    ...[0.017978260840401526, -0.005509426164376341, 0.9998231985508707],
  ],
];
const waves = image(
  Uint8Array.from({ length: size.width * size.height }, (_, i) => {
    const [x, y] = [i % size.width, Math.floor(i / size.width)];
    return 128 + 60 * Math.sin(x / 5) + 50 * Math.cos(y / 4 + x / 9);
  }),
  [size.height, size.width],
);

const made = bouguet(left, right, { rotation, translation }) as Rectification;

test("turns, lens and distance of a pair of bent lenses are OpenCV's", () => {
  for (const [k, side] of (["left", "right"] as const).entries())
    for (const [i, value] of TURNS[k].entries()) expect(made[side][i]).toBeCloseTo(value, 6);
  expect([made.lens.cx, made.lens.cy]).toEqual([expect.closeTo(35.04022574, 2), expect.closeTo(23.61871886, 2)]);
  // OpenCV looks at fewer places of the border.
  expect(made.lens.fx / 63.84224248).toBeCloseTo(1, 2);
  expect(made.baselineM).toBeCloseTo(7.0284481 / 63.8422425, 6);
});

test.each([
  ["left", left, [136, 113, 103, 50, 219, 135]],
  ["right", right, [124, 144, 47, 37, 192, 106]],
] as const)("the %s image is OpenCV's within a grey", (side, camera, values) => {
  const lens = { ...size, fx: 63.84224248, fy: 63.84224248, cx: 35.04022574, cy: 23.61871886 };
  const out = rectifier(camera, made[side], lens)(waves);
  const places = [
    [5, 5],
    [20, 40],
    [32, 24],
    [60, 44],
    [2, 46],
    [63, 0],
  ] as const;
  for (const [i, [x, y]] of places.entries()) expect(Math.abs(out.get(y, x) - values[i])).toBeLessThanOrEqual(2);
});

test("a point of space lies in one row of both, as far apart as its depth says", () => {
  const point = [0.07, -0.05, 0.9];
  const other = [...product(rotation, point, 3)].map((value, i) => value + translation[i]);
  const [[x, y, z], [u, v, w]] = [product(made.left, point, 3), product(made.right, other, 3)];
  expect([y / z, z]).toEqual([expect.closeTo(v / w, 8), expect.closeTo(made.baselineM / (x / z - u / w), 8)]);
});

test("every pixel of the common lens has a source in both", () => {
  for (const [camera, side] of [
    [left, "left"],
    [right, "right"],
  ] as const) {
    const white = image(new Uint8Array(size.width * size.height).fill(200), [size.height, size.width]);
    const out = rectifier(camera, made[side], made.lens)(white);
    expect([...out.data].filter((value) => value !== 200)).toEqual([]);
  }
});

describe("a pair is refused", () => {
  test.each([
    ["of cameras one above the other", rotation, [0.001, -0.1, 0], /do not stand side by side/],
    ["of which the left one is the right one", rotation, [0.11, 0, 0], /exchange them/],
    ["of cameras that look apart", [0, 0, 1, 0, 1, 0, -1, 0, 0], translation, /look so far apart|side by side/],
  ])("%s", (_, turn, shift, why) => {
    expect(bouguet(left, right, { rotation: turn, translation: shift })).toMatch(why);
  });

  test("of lenses that see more than a flat image has", () => {
    const wide = { ...left, fx: 20, fy: 20, distortion: [0.01, 0, 0, 0], distortionModel: "fisheye" as const };
    expect(bouguet(wide, wide, { rotation, translation })).toMatch(/sees so wide/);
  });
});
