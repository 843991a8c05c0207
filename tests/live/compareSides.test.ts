import { describe, expect, test } from "vitest";
import { type DepthArray, type Intrinsics, image } from "../../sources/index.ts";
import { AGAIN } from "../../stages/core/moment.ts";
import type { CpuFrame } from "../../stages/core/stage.ts";
import { undistort } from "../../stages/index.ts";
import { Aligner } from "../../viewer/live/compare/alignDepth.ts";
import { type Comparison, type Pair, Sides } from "../../viewer/live/compare/compareSides.ts";
import { spellSides } from "../../viewer/live/compare/sideNumbers.ts";

// Raw against filtered depth in numbers: each is known beforehand.

const [WIDTH, HEIGHT] = [176, 132];

/** Normal noise of standard deviation 1, the same each time. */
function noise(seed: number): () => number {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

const imageOf = (at: (x: number, y: number) => number): DepthArray =>
  image(
    Uint16Array.from({ length: WIDTH * HEIGHT }, (_, i) => Math.round(at(i % WIDTH, Math.floor(i / WIDTH)))),
    [HEIGHT, WIDTH],
  );

/** Bricks that stand out of a wall of 20,000 units by `height`. */
const bricks = (x: number, y: number, height: number) => 20_000 - (x % 14 < 7 && y % 14 < 7 ? height : 0);

/** Compares three frames of one scene, two by two; the last answer counts. `pairAt` is given the frame's number and its noise. */
function compared(pairAt: (frame: number, grain: () => number) => Pair, follows = true): Comparison {
  const sides = new Sides();
  let last: Comparison | undefined;
  for (let frame = 0; frame < 3; frame++) last = sides.compare(pairAt(frame, noise(frame + 1)), follows, 0.1);
  if (!last) throw new Error("there are frames");
  return last;
}

describe("noise", () => {
  test("is what pixels change by where things are still, in mm", () => {
    const { raw, filtered, over } = compared((_, grain) => ({
      raw: imageOf(() => 20_000 + 30 * grain()),
      filtered: imageOf(() => 20_000 + 8 * grain()),
    }));
    expect(over).toBe("time");
    expect(raw.noiseMm).toBeCloseTo(3, 0);
    expect(filtered.noiseMm).toBeCloseTo(0.8, 1);
  });

  test("is no less than the rounding to the sensor's steps, which hide it", () => {
    // A slanted wall in steps of 11 mm: most of it lies between two steps.
    const wall = (frame: number, grain: () => number) => ({
      raw: imageOf((x, y) => 110 * Math.round((20_000 + 200 * frame + x + 2 * y + 2 * grain()) / 110)),
      filtered: imageOf((x, y) => 20_000 + 200 * frame + x + 2 * y + 8 * grain()),
    });
    const { raw, filtered } = compared(wall);
    expect(raw.noiseMm).toBeGreaterThanOrEqual(11 / Math.sqrt(12) - 1e-9);
    expect(raw.noiseMm).toBeLessThan(8);
    expect(filtered.noiseMm).toBeCloseTo(0.8, 1);
  });

  test("is what a surface is uneven by where the camera moves, or there is one frame", () => {
    const wall = (frame: number, grain: () => number) => ({
      raw: imageOf((x) => 20_000 + 200 * frame + 5 * x + 30 * grain()),
      filtered: imageOf((x) => 20_000 + 200 * frame + 5 * x + 8 * grain()),
    });
    for (const { raw, filtered, over } of [compared(wall), compared(wall, false)]) {
      expect(over).toBe("space");
      expect(raw.noiseMm).toBeCloseTo(3, 0);
      expect(filtered.noiseMm).toBeCloseTo(0.8, 1);
    }
  });

  test("is never none, and no detail, where a sensor's steps hide what changes", () => {
    // As of structured light: each pixel is off by the same in every frame, and comes out in steps of 180.
    const { raw, filtered, over, lost } = compared(() => {
      const grain = noise(7);
      const stepped = (z: number) => 180 * Math.round(z / 180);
      return { raw: imageOf((x) => stepped(20_000 + x + 60 * grain())), filtered: imageOf((x) => 20_000 + x) };
    });
    expect([over, lost]).toEqual(["space", undefined]);
    expect(raw.noiseMm).toBeGreaterThan(18 / Math.sqrt(12));
    expect(filtered.noiseMm).toBeLessThan(0.2);
  });

  test("is not known where next to nothing is measured", () => {
    const { raw, lost } = compared(() => ({ raw: imageOf(() => 0), filtered: imageOf(() => 0) }));
    expect(raw).toEqual({ validShare: 0, noiseMm: undefined });
    expect(lost).toBeUndefined();
  });
});

describe("detail that is lost", () => {
  const of = (kept: number) =>
    compared((_, grain) => ({
      raw: imageOf((x, y) => bricks(x, y, 150) + 15 * grain()),
      filtered: imageOf((x, y) => bricks(x, y, 150 * kept) + 3 * grain()),
    })).lost;

  test.each([1, 0.5, 0])("is what is left out of relief of which %d is kept", (kept) => {
    expect(of(kept)).toBeGreaterThan(0.96 - kept);
    expect(of(kept)).toBeLessThan(1.04 - kept);
  });

  test("a wall without relief gives no relief", () => {
    const { lost } = compared((_, grain) => ({
      raw: imageOf(() => 20_000 + 30 * grain()),
      filtered: imageOf(() => 20_000),
    }));
    expect(lost).toBeUndefined();
  });
});

test("a half that is invalid is counted, of images of any two sizes", () => {
  const half = imageOf((x) => (x < WIDTH / 2 ? 0 : 1000));
  const small = image(new Uint16Array(12).fill(5), [3, 4]);
  const { raw, filtered, lost } = compared(() => ({ raw: half, filtered: small }));
  expect([raw.validShare, filtered.validShare, lost]).toEqual([0.5, 1, undefined]);
});

test("is told in words, and never as no noise at all", () => {
  const side = { validShare: 0.7482, noiseMm: 3.21 };
  const told = (filtered: number | undefined, lost?: number) =>
    spellSides({
      comparison: { raw: side, filtered: { validShare: 0.7, noiseMm: filtered }, over: "time", lost, cut: 0 },
      mmPerUnit: 1,
    });
  expect(told(0.9, 0.12).raw.replaceAll("\u00a0", " ")).toBe("74.8 % valid · noise 3.2 mm");
  expect(told(0.9, 0.12).filtered.replaceAll("\u00a0", " ")).toBe("70.0 % valid · noise 0.9 mm · 88 % of relief kept");
  expect(told(0).filtered.replaceAll("\u00a0", " ")).toBe("70.0 % valid · noise < 0.3 mm");
  expect(told(undefined).filtered.replaceAll("\u00a0", " ")).toBe("70.0 % valid");
});

describe("a lens that is straightened", () => {
  const bent: Intrinsics = {
    ...{ fx: 100, fy: 100, cx: (WIDTH - 1) / 2, cy: (HEIGHT - 1) / 2, width: WIDTH, height: HEIGHT },
    distortion: [-0.3, 0.05, 0, 0, 0],
  };
  const straight = undistort().leaves({ intrinsics: bent, metresPerUnit: 0.0001 }).intrinsics;
  const twin = () => undistort().twin({ intrinsics: bent, metresPerUnit: 0.0001 });
  /** The stage's output. */
  const straightened = (depth: DepthArray) => {
    const frame: CpuFrame = { depth, color: undefined, points: undefined, picture: undefined };
    twin().run(frame, AGAIN);
    return frame.depth;
  };
  /** Nothing is measured in the corners, as by a sensor whose field of view is round. */
  const round = imageOf((x, y) => (Math.hypot(x - bent.cx, y - bent.cy) < 82 ? 20_000 + x : 0));

  test("both sides are counted on the sensor's own pixels, and what is cut off is told", () => {
    const filtered = straightened(round);
    const share = ({ data }: DepthArray) => data.filter((value) => value > 0).length / data.length;
    // On its own pixels the straightened image, whose empty corners are gone, would seem to have gained depth.
    expect(share(filtered)).toBeGreaterThan(share(round));
    const { depth, shows } = new Aligner().align(filtered, bent, straight);
    const { raw, filtered: left, cut } = new Sides().compare({ raw: round, filtered: depth, shows }, false, 0.1);
    expect(raw.validShare).toBe(share(round));
    expect(left.validShare).toBeLessThan(raw.validShare);
    expect(cut).toBeGreaterThan(0.01);
    expect(left.validShare + cut).toBeCloseTo(raw.validShare, 2);
  });

  test("each of the sensor's pixels gets the depth that the straightened image has there", () => {
    const { depth, shows } = new Aligner().align(straightened(round), bent, straight);
    for (let i = 0; i < round.data.length; i++)
      if (shows(i) && round.data[i] > 0 && depth.data[i] > 0)
        expect(Math.abs(depth.data[i] - round.data[i])).toBeLessThanOrEqual(2);
  });

  test("nothing is moved where both images have one camera", () => {
    const { depth, shows } = new Aligner().align(round, bent, { ...bent });
    expect(depth).toBe(round);
    expect(shows(0)).toBe(true);
  });

  test("a smaller image is compared on the sensor's pixels, too", () => {
    const half = {
      fx: 50,
      fy: 50,
      cx: (WIDTH / 2 - 1) / 2,
      cy: (HEIGHT / 2 - 1) / 2,
      width: WIDTH / 2,
      height: HEIGHT / 2,
    };
    const small = image(new Uint16Array(half.width * half.height).fill(7), [half.height, half.width]);
    const { depth } = new Aligner().align(small, { ...bent, distortion: [] }, half);
    expect([...depth.shape, depth.data.every((value) => value === 7)]).toEqual([HEIGHT, WIDTH, true]);
  });

  test("is told in words", () => {
    const side = { validShare: 0.661, noiseMm: undefined };
    const comparison = { raw: side, filtered: side, over: "space", lost: undefined, cut: 0.102 } as const;
    const { raw, filtered, hint } = spellSides({ comparison, mmPerUnit: 1 });
    expect(raw.replaceAll("\u00a0", " ")).toBe("66.1 % valid");
    expect(filtered.replaceAll("\u00a0", " ")).toBe("66.1 % valid · 10.2 % cut off");
    expect(hint).toMatch(
      /^Valid: the share of the sensor’s own pixels that have a depth.\nCut off: pixels that have a depth, but lie outside /,
    );
  });
});
