import { describe, expect, test } from "vitest";
import { image } from "../../core/frame.ts";
import { type Frame, lookingAt, toLocal, toWorld, turned, type Vec3 } from "../../core/geometry.ts";
import { tagsIn } from "../../measure/align/tags.ts";
import { align } from "../../measure/index.ts";
import { LENS, roomFrames, WALL, wrongBy } from "./rigs.ts";
import { greyOf, pictures, tagSolid } from "./tagged.ts";

// Printed tags: where their corners are in a picture, and where cameras stand that see them on a bare wall.

const SMALL = { ...LENS, fx: 131.25, fy: 131.25, cx: 79.5, cy: 59.5, width: 160, height: 120 };
const [LEFT, RIGHT] = [lookingAt([-0.4, -1.2, 0.7], [0, -1.3, 2]), lookingAt([0.5, -1.5, 0.8], [0.05, -1.3, 2])];
/** A coordinate frame on the wall, 2 m from the camera. */
const onWall = (x: number, y: number, angle: number) => turned([x, y, 1.9998], [0, 0, 1], angle);
const TWO = [tagSolid(7, 0.2, onWall(-0.2, -1.35, 0.4)), tagSolid(42, 0.2, onWall(0.2, -1.2, 2.9))];

/** A camera's frames of the wall with tags on it. */
function taken(camera: Frame, tags: typeof TWO, seed: number) {
  const solids = [...WALL, ...tags];
  const [color] = pictures(camera, solids, 1, { lens: SMALL, seed, exposure: seed });
  return roomFrames(camera, { seed, count: 4, solids, lens: SMALL }).map((frame) => ({
    ...frame,
    ...(color && { color }),
  }));
}
const [left, right] = [taken(LEFT, TWO, 1), taken(RIGHT, TWO, 2)];

describe("tags in a picture", () => {
  test("have corners to a few hundredths of a pixel, and a number once", () => {
    const [picture] = left;
    if (!picture?.color) throw new Error("there is no picture");
    const { tags, twice } = tagsIn(greyOf(picture.color), SMALL.width, SMALL.height);
    expect([tags.map(({ id }) => id).sort((p, q) => p - q), twice]).toEqual([[7, 42], []]);
    const truth = (
      [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, 1],
      ] as const
    ).flatMap(([x, y]) => {
      const at = toLocal(LEFT, toWorld(onWall(-0.2, -1.35, 0.4), [0.1 * x, 0.1 * y, 0] as Vec3));
      return [(at[0] / at[2]) * SMALL.fx + SMALL.cx, (at[1] / at[2]) * SMALL.fy + SMALL.cy];
    });
    const tag = tags.find(({ id }) => id === 7);
    for (const [k, value] of truth.entries()) {
      const off = Math.abs((tag?.corners[k] ?? 9e9) - value);
      expect(off).toBeLessThan(0.1);
      expect(off).toBeLessThan(4 * Math.sqrt(tag?.covariance[9 * k] ?? 0));
    }
  });

  test("are left out where one number hangs in two places, and none is seen on a bare wall", () => {
    const same = [...WALL, tagSolid(7, 0.2, onWall(-0.2, -1.35, 0.4)), tagSolid(7, 0.2, onWall(0.2, -1.2, 2.9))];
    const seen = [same, WALL].map((solids) => {
      const [picture] = pictures(LEFT, solids, 1, { lens: SMALL });
      return picture && tagsIn(greyOf(picture), SMALL.width, SMALL.height);
    });
    expect(seen).toEqual([
      { tags: [], twice: [7] },
      { tags: [], twice: [] },
    ]);
  });
});

describe("cameras that see a bare wall with tags", () => {
  test("have places by them, within their ±, and say that they need the tags' size where these have no depth", async () => {
    const centres = [-0.2, 0.2].map((x, k) => toLocal(RIGHT, [x, k === 0 ? -1.35 : -1.2, 2]));
    const isTag = (i: number) =>
      centres.some(
        ([x, y, z]) =>
          Math.hypot(
            (i % SMALL.width) - SMALL.cx - (x / z) * SMALL.fx,
            Math.floor(i / SMALL.width) - SMALL.cy - (y / z) * SMALL.fy,
          ) < 20,
      );
    const holed = right.map((frame) => {
      const data = frame.depth.data.map((value, i) => (isTag(i) ? 0 : value));
      return { ...frame, depth: image(data, [SMALL.height, SMALL.width]) };
    });
    const without = await align([left, holed]);
    expect(without.cameras[1]?.toFirst).toBeNull();
    expect(without.warnings).toEqual([
      expect.stringMatching(/camera 2: left out tags 7, 42, whose place depth does not show: give the size/),
    ]);
    const [, second] = (await align([left, holed], { tagSizeMm: 200 })).cameras;
    expect(second).toMatchObject({ tags: [7, 42], partner: 0, overlap: { value: expect.any(Number) } });
    const { mm, degrees, shift } = wrongBy(second?.toFirst ?? [], LEFT, RIGHT);
    expect([mm < 5, degrees < 0.3]).toEqual([true, true]);
    for (const [k, off] of shift.entries())
      expect(Math.abs(off)).toBeLessThan(1.5 * (second?.place[k]?.plusMinus ?? 0));
  });

  test("have none where the size that was given is another one than depth shows", async () => {
    const { cameras, warnings } = await align([left, right], { tagSizeMm: 100 });
    expect([cameras[1]?.toFirst, warnings]).toEqual([
      null,
      [1, 2].map((k) => `camera ${k}: left out tags 7, 42, of another size than 100 mm by depth`),
    ]);
  });

  test("have none where a tag was moved", async () => {
    const moved = [TWO[0], tagSolid(42, 0.2, onWall(0.22, -1.2, 2.9))].flatMap((one) => one ?? []);
    expect((await align([left, taken(RIGHT, moved, 3)])).cameras[1]).toMatchObject({
      toFirst: null,
      why: expect.stringMatching(/tag 42 contradicts tag 7/),
    });
  });
});
