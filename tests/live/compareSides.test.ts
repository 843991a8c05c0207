import { describe, expect, test } from "vitest";
import { type DepthArray, type Intrinsics, image } from "../../sources/index.ts";
import { AGAIN } from "../../stages/core/resources.ts";
import type { CpuFrame } from "../../stages/core/stage.ts";
import { undistort } from "../../stages/index.ts";
import { Aligner } from "../../viewer/live/compare/alignDepth.ts";
import { type Comparison, type Pair, Sides } from "../../viewer/live/compare/compareSides.ts";
import { spellSides } from "../../viewer/live/compare/sideNumbers.ts";
import { uniform } from "../random.ts";

// Raw against filtered depth in numbers, on images whose noise and relief are known.

const [WIDTH, HEIGHT] = [176, 132];

/** Reproducible normal noise of standard deviation 1. */
function noise(seed: number): () => number {
  const random = uniform(seed);
  const open = () => random() + 0.5 / 2 ** 32;
  return () => Math.sqrt(-2 * Math.log(open())) * Math.cos(2 * Math.PI * open());
}

const imageOf = (at: (x: number, y: number) => number): DepthArray =>
  image(
    Uint16Array.from({ length: WIDTH * HEIGHT }, (_, i) => Math.round(at(i % WIDTH, Math.floor(i / WIDTH)))),
    [HEIGHT, WIDTH],
  );

/** Depth of a wall at 20,000 units with bricks that stand out by `height`. */
const bricks = (x: number, y: number, height: number) => 20_000 - (x % 14 < 7 && y % 14 < 7 ? height : 0);

/** Compares three frames of one scene in turn, and returns the last answer. `pairAt` is given the frame's number and its noise. */
function compared(pairAt: (frame: number, grain: () => number) => Pair, follows = true): Comparison {
  const sides = new Sides();
  let last: Comparison | undefined;
  for (let frame = 0; frame < 3; frame++) last = sides.compare(pairAt(frame, noise(frame + 1)), follows, 0.1);
  if (!last) throw new Error("there are frames");
  return last;
}

describe("the noise of a side", () => {
  test("is the change of pixels over time in a still scene, in mm", () => {
    const { raw, filtered, over } = compared((_, grain) => ({
      raw: imageOf(() => 20_000 + 30 * grain()),
      filtered: imageOf(() => 20_000 + 8 * grain()),
    }));
    expect(over).toBe("time");
    expect(raw.noiseMm).toBeCloseTo(3, 0);
    expect(filtered.noiseMm).toBeCloseTo(0.8, 1);
  });

  test("is no less than the rounding error of the sensor's steps", () => {
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

  test("is that of a ball to 15 %, whose shape is no noise", () => {
    const ball = (x: number, y: number) => {
      const square = 70 ** 2 - (x - WIDTH / 2) ** 2 - (y - HEIGHT / 2) ** 2;
      return square < 0 ? 0 : 6000 - 10 * (Math.sqrt(square) - 70);
    };
    const seen = (sigma: number) => (_: number, grain: () => number) => {
      const side = (of: number) => imageOf((x, y) => ball(x, y) && ball(x, y) + of * grain());
      return { raw: side(sigma), filtered: side(sigma / 3) };
    };
    for (const sigma of [6, 20, 60]) {
      const { raw, filtered } = compared(seen(sigma), false);
      // Rounding adds to noise of less than a unit.
      const truth = (of: number) => Math.hypot(of, 1 / Math.sqrt(12)) / 10;
      expect(Math.abs((raw.noiseMm ?? 0) / truth(sigma) - 1)).toBeLessThan(0.15);
      expect(Math.abs((filtered.noiseMm ?? 0) / truth(sigma / 3) - 1)).toBeLessThan(0.15);
    }
  });

  test("is unknown when nothing is measured", () => {
    const { raw, lost } = compared(() => ({ raw: imageOf(() => 0), filtered: imageOf(() => 0) }));
    expect(raw).toEqual({ validShare: 0, noiseMm: undefined });
    expect(lost).toBeUndefined();
  });
});

describe("lost detail", () => {
  const of = (kept: number) =>
    compared((_, grain) => ({
      raw: imageOf((x, y) => bricks(x, y, 150) + 15 * grain()),
      filtered: imageOf((x, y) => bricks(x, y, 150 * kept) + 3 * grain()),
    })).lost;

  test.each([1, 0.5, 0])("is the missing share of a relief of which the filters keep %d", (kept) => {
    expect(of(kept)).toBeGreaterThan(0.96 - kept);
    expect(of(kept)).toBeLessThan(1.04 - kept);
  });

  test("is unknown where a few edges are all the relief there is, and where noise hides most of the relief", () => {
    const edges = compared((_, grain) => ({
      raw: imageOf((x) => 20_000 + (x < 60 ? 0 : 300) + 30 * grain()),
      filtered: imageOf((x) => 20_000 + 300 * Math.min(1, Math.max(0, (x - 52) / 16))),
    }));
    const hidden = compared((_, grain) => ({
      raw: imageOf((x, y) => bricks(x, y, 30) + 30 * grain()),
      filtered: imageOf((x, y) => bricks(x, y, 18)),
    }));
    expect([edges.lost, hidden.lost]).toEqual([undefined, undefined]);
  });
});

test("spellSides writes valid share, noise and kept relief, and never a noise of 0", () => {
  const side = { validShare: 0.7482, noiseMm: 3.21 };
  const told = (filtered: number | undefined, lost?: number) =>
    spellSides({
      comparison: { raw: side, filtered: { validShare: 0.7, noiseMm: filtered }, over: "time", lost, cut: 0 },
      mmPerUnit: 1,
    });
  expect(told(0.9, 0.12).raw.replaceAll("\u00a0", " ")).toBe("74.8 % valid, noise 3.2 mm");
  expect(told(0.9, 0.12).filtered.replaceAll("\u00a0", " ")).toBe("70.0 % valid, noise 0.9 mm, small shapes 88 % kept");
  expect(told(0).filtered.replaceAll("\u00a0", " ")).toBe("70.0 % valid, noise < 0.3 mm");
  expect(told(undefined).filtered.replaceAll("\u00a0", " ")).toBe("70.0 % valid");
});

describe("with a distorted lens", () => {
  const bent: Intrinsics = {
    ...{ fx: 100, fy: 100, cx: (WIDTH - 1) / 2, cy: (HEIGHT - 1) / 2, width: WIDTH, height: HEIGHT },
    distortion: [-0.3, 0.05, 0, 0, 0],
  };
  const straight = undistort().leaves({ intrinsics: bent, metresPerUnit: 0.0001 }).intrinsics;
  const twin = () => undistort().twin({ intrinsics: bent, metresPerUnit: 0.0001 });
  /** The output of `undistort`. */
  const straightened = (depth: DepthArray) => {
    const frame: CpuFrame = { depth, color: undefined, points: undefined, picture: undefined };
    twin().run(frame, AGAIN);
    return frame.depth;
  };
  /** Depth without corners, as of a sensor with a round field of view. */
  const round = imageOf((x, y) => (Math.hypot(x - bent.cx, y - bent.cy) < 82 ? 20_000 + x : 0));

  test("both sides are counted on the sensor's own pixels, and the cut-off share is given", () => {
    const filtered = straightened(round);
    const share = ({ data }: DepthArray) => data.filter((value) => value > 0).length / data.length;
    // Counted on its own pixels, the undistorted image would seem to have gained depth: it has lost the empty corners.
    expect(share(filtered)).toBeGreaterThan(share(round));
    const { depth, shows } = new Aligner().align(filtered, bent, straight);
    const { raw, filtered: left, cut } = new Sides().compare({ raw: round, filtered: depth, shows }, false, 0.1);
    expect(raw.validShare).toBe(share(round));
    expect(left.validShare).toBeLessThan(raw.validShare);
    expect(cut).toBeGreaterThan(0.01);
    expect(left.validShare + cut).toBeCloseTo(raw.validShare, 2);
  });

  test("Aligner gives each of the sensor's pixels the depth of the undistorted image there", () => {
    const { depth, shows } = new Aligner().align(straightened(round), bent, straight);
    for (let i = 0; i < round.data.length; i++)
      if (shows(i) && round.data[i] > 0 && depth.data[i] > 0)
        expect(Math.abs(depth.data[i] - round.data[i])).toBeLessThanOrEqual(2);
  });
});
