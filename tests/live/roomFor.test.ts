import { describe, expect, test } from "vitest";
import { GAP, roomFor } from "../../viewer/live/panes/roomFor.ts";

// Where the picture and the panes stand, in the room that windows of usual sizes leave beside the settings.

const ROOMS = [
  [1140, 746],
  [980, 560],
  [724, 612],
  [378, 560],
  [1620, 926],
  [2250, 900],
  [544, 220],
  [700, 1000],
] as const;
const room = { aspect: 4 / 3, extraPx: 0, share: 0 };

describe.each(ROOMS)("in %i × %i", (width, height) => {
  test.each([1, 2, 3, 4])("the picture beside %i panes has its own shape, and the panes have the rest", (count) => {
    const leastPx = Array<number>(width < 500 ? 1 : count).fill(250);
    const made = roomFor({ ...room, width, height, leastPx });
    expect(Math.abs(made.width - made.height * room.aspect)).toBeLessThan(room.aspect);
    expect(made.width).toBeLessThanOrEqual(width);
    expect(made.height).toBeLessThanOrEqual(height);
    if (made.below < leastPx.length) expect(width - GAP - made.width).toBeGreaterThanOrEqual(250);
    if (made.below > 0) expect(height - GAP - made.height).toBeGreaterThanOrEqual(249);
    const whole = Math.min(width, height * room.aspect);
    if (count < 3) expect(made.width).toBeGreaterThan(0.6 * whole);
  });
});

test("further panes go below the picture when those beside it would be hidden", () => {
  const below = (count: number) =>
    roomFor({ ...room, width: 1140, height: 746, leastPx: Array<number>(count).fill(250) }).below;
  expect([1, 2, 3, 4].map(below)).toEqual([0, 0, 1, 2]);
});

test("half a pixel too little hides nothing", () => {
  const at = (height: number) => roomFor({ ...room, width: 980, height, leastPx: [250, 240, 240] }).below;
  expect(Array.from({ length: 20 }, (_, k) => at(556 + k / 7))).toEqual(Array(20).fill(1));
});

test("a high pane stands where it is seen whole", () => {
  const { below, width } = roomFor({ ...room, width: 1140, height: 746, leastPx: [250, 384, 230, 230] });
  expect(below).toBe(2);
  expect(width).toBeGreaterThan(600);
});

test("the width that somebody chose for the picture is kept where the panes have their least width", () => {
  const at = (share: number) => roomFor({ ...room, width: 1140, height: 746, leastPx: [250], share }).width;
  expect(at(0.5)).toBe(570);
  expect(at(0.9)).toBe(at(0));
});

test("a large image of a pane has room for its head and its foot", () => {
  const { width, height } = roomFor({ ...room, width: 1140, height: 746, extraPx: 70, leastPx: [250] });
  expect(Math.abs(width / (height - 70) - room.aspect)).toBeLessThan(0.01);
});
