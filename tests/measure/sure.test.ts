import { expect, test } from "vitest";
import { raysOf } from "../../core/calibration/rays.ts";
import { type DepthFrame, type Intrinsics, image } from "../../core/frame.ts";
import { findThings, measure } from "../../measure/index.ts";
import { randomBy } from "../../measure/propose.ts";
import { CAMERA } from "./world.ts";

// Answers that would be wrong, and sure.

/** What a camera straight over a floor 1.2 m below sees of the top of a box 15 cm high, with a little noise. */
function above(
  lens: Intrinsics,
  [x0, y0]: readonly [number, number],
  [wide, deep]: readonly [number, number],
): DepthFrame {
  const { x, y } = raysOf(lens);
  const isTop = (u: number, v: number) => Math.abs(u - x0) < wide / 2 && Math.abs(v - y0) < deep / 2;
  const random = randomBy(1);
  const depths = Uint16Array.from(x, (u, i) => 1e4 * (isTop(1.05 * u, 1.05 * y[i]) ? 1.05 : 1.2) + 8 * random());
  const depth = image(depths, [lens.height, lens.width]);
  return { depth, metresPerUnit: 1e-4, intrinsics: lens, timestamp: 0, index: 0 };
}
const middle = { x: 160, y: 120 };
/** Its sides end within pixels, which are 4 mm wide. */
const BOX = [0.302, 0.202] as const;
const spelt = (values: readonly { readonly value: number | null }[]) =>
  values.map(({ value }) => Math.round(value ?? 0));

test("a box at the rim of a wide lens's picture is a box, and so is a small one before a narrow lens", () => {
  const wide = { ...CAMERA, fx: 160, fy: 160, distortion: [0.01, -0.005, 0, 0], distortionModel: "fisheye" } as const;
  const at = [0.7, 0.4] as const;
  const [far, angle] = [Math.hypot(...at), Math.atan(Math.hypot(...at) / 1.05)];
  const bent = angle * (1 + 0.01 * angle ** 2 - 0.005 * angle ** 4);
  const [x, y] = at.map((m, k) => [wide.cx, wide.cy][k] + (160 * bent * m) / far);
  const [rim] = measure([above(wide, at, BOX)], { boxes: [{ x, y }] }).boxes;
  expect([
    rim.isCuboid,
    Math.abs((rim.length.value ?? 0) - 300) < 4,
    Math.abs((rim.width.value ?? 0) - 200) < 4,
  ]).toEqual([undefined, true, true]);
  const narrow = { ...CAMERA, fx: 1500, fy: 1500 };
  const [small] = measure([above(narrow, [0, 0], [0.06, 0.05])], { boxes: [middle] }).boxes;
  expect([small.isCuboid, ...spelt([small.length, small.width])]).toEqual([undefined, 60, 50]);
});

test("a plane that a pixel sees is that of the thing at the pixel, however small the thing is", () => {
  const { planes } = measure([above(CAMERA, [0, 0], [0.06, 0.05])], { planes: [middle, { x: 200, y: 120 }] });
  expect(spelt(planes.flatMap((plane) => plane?.distance ?? []))).toEqual([1050, 1200]);
});

test("pixels that see a box's top and things 25 mm lower beside it, too, belong half to the top", () => {
  const { width, height, fx, fy, cx, cy } = CAMERA;
  const far = (u: number, v: number) => {
    const isOver = (z: number, wide: number) =>
      Math.abs((z * (u - cx)) / fx - 0.001) < wide / 2 && Math.abs((z * (v - cy)) / fy) < BOX[1] / 2;
    return isOver(1.05, BOX[0]) ? 1.05 : isOver(1.075, 0.6) ? 1.075 : 1.2;
  };
  const random = randomBy(1);
  const parts = [-0.375, -0.125, 0.125, 0.375];
  const seen = Uint16Array.from({ length: width * height }, (_, i) => {
    const all = parts.map((du) => far((i % width) + du, Math.floor(i / width)));
    return (1e4 * all.reduce((sum, z) => sum + z, 0)) / all.length + 8 * random();
  });
  const frame = { ...above(CAMERA, [0, 0], BOX), depth: image(seen, [height, width]) };
  const [{ length }] = measure([frame], { boxes: [middle] }).boxes;
  expect(Math.abs((length.value ?? 0) - 1000 * BOX[0])).toBeLessThan(1);
});

test("where a thing moves, the first frame alone is measured", () => {
  const frames = Array.from({ length: 12 }, (_, k) => above(CAMERA, [0.004 * k, 0], BOX));
  const { boxes, frames: count, warnings } = measure(frames, { boxes: [middle] });
  expect(count).toBe(1);
  for (const [side, mm] of [
    [boxes[0].length, 302],
    [boxes[0].width, 202],
  ] as const)
    expect(side.value).toBeCloseTo(mm, -1);
  expect(warnings.join()).toMatch(/left out 11 frames after the first: the camera or a thing moved/);
});

test("pixels that flicker alone do not move, and a frame that something comes into is left out alone", () => {
  const frames = Array.from({ length: 12 }, (_, k) => above(CAMERA, k === 6 ? [0.3, 0] : [0, 0], BOX));
  const random = randomBy(2);
  // Some pixels see 20 cm further or less far once three frames have shown them steady.
  for (const { depth } of frames.slice(3))
    for (let i = 0; i < depth.data.length; i += 61) depth.data[i] += random() < 0.5 ? 2000 : -2000;
  const { boxes, frames: count, warnings } = measure(frames, { boxes: [middle] });
  expect([count, warnings.join()]).toEqual([11, expect.stringMatching(/left out 1 frame after the first/)]);
  expect(boxes[0].length.value).toBeCloseTo(302, -1);
});

test("what has no depth is not taken for no volume", () => {
  const [empty, full] = [above(CAMERA, [0, 0], [0, 0]), above(CAMERA, [0, 0], BOX)];
  /** The box without depth in the middle of its top, `share` of the top's sides wide. */
  const holed = (share: number) => {
    const frame = above(CAMERA, [0, 0], BOX);
    const hole = above(CAMERA, [0, 0], [share * BOX[0], share * BOX[1]]).depth.data;
    const data = frame.depth.data.map((z, i) => (hole[i] < 11_000 ? 0 : z));
    return { ...frame, depth: image(data, [CAMERA.height, CAMERA.width]) };
  };
  const added = (now: DepthFrame) => measure([now], { before: [empty] }).changes[0].volume;
  const whole = added(full).value;
  expect(Math.abs((whole ?? 0) - 9)).toBeLessThan(0.2);
  expect(added(holed(0.3)).value).toBeCloseTo(whole ?? 0, 1);
  for (const share of [0.7, 1.05])
    expect(added(holed(share))).toMatchObject({ value: null, why: expect.stringMatching(/no depth/) });
  expect(measure([holed(0.7)], { volumes: [{ x: 130, y: 120 }] }).volumes[0].volume.value).toBeNull();
  expect(findThings([holed(0.3)]).things[0].length.value).toBeCloseTo(302, -1);
});
