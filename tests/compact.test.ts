import fc from "fast-check";
import ndarray from "ndarray";
import { describe, expect, test } from "vitest";
import type { ColorArray, DepthArray, FrameShape } from "../core/frame.ts";
import { pointDifference } from "../pipeline/tune/twinCheck.ts";
import { type CompactParameters, compactTwin } from "../stages/compact/cpu.ts";
import { compact } from "../stages/compact/index.ts";
import { AGAIN, POINT_ARGS } from "../stages/core/resources.ts";
import type { CpuFrame, CpuPoints, Stage } from "../stages/core/stage.ts";
import type { Overrides } from "../stages/core/tuning.ts";
import { argsFor, camera, cloudOf, colours, indexed, order, places, validIn, word } from "./compact/cloud.ts";
import { inputOn } from "./formFrames.ts";
import { cook, expectImage, fillWords, image, readWords, recipes, runFrame, useGpu } from "./gpu.ts";
import { slowTest } from "./mode.ts";

const SEED = 20260102;
const SENTINEL = 0xdeadbeef;
const DEFAULTS: CompactParameters = { nearM: 0.5, farM: 5 };

function twin(depth: DepthArray, shape: FrameShape, parameters = DEFAULTS, color?: ColorArray): CpuPoints {
  const frame: CpuFrame = { depth, color, points: undefined, picture: undefined };
  compactTwin(shape, parameters).run(frame, AGAIN);
  if (!frame.points) throw new Error("the twin leaves no points");
  return cloudOf(frame.points.words, frame.points.count);
}

/** Three points, by hand: fx = fy = 2, cx = 1, cy = 0, half a metre a unit. */
const tiny = {
  shape: { metresPerUnit: 0.5, intrinsics: { fx: 2, fy: 2, cx: 1, cy: 0, width: 3, height: 2 } },
  depth: image([0, 4, 0, 2, 0, 6], 3),
  places: [0, 0, 2, -0.5, 0.5, 1, 1.5, 1.5, 3],
  order: [1, 3, 5],
};

describe("compact's CPU twin", () => {
  test("unprojects three pixels to hand-computed places, in raster order", () => {
    const cloud = twin(tiny.depth, tiny.shape, DEFAULTS, indexed(tiny.depth.shape));
    expect(places(cloud)).toEqual(tiny.places);
    expect([...order(cloud)]).toEqual(tiny.order);
  });

  test("places every valid pixel, in order, where a pinhole camera sees it", () => {
    fc.assert(
      fc.property(recipes, (recipe) => {
        const depth = cook(recipe);
        const shape = camera(depth.shape, 0.0002);
        const { fx, fy, cx, cy, width } = shape.intrinsics;
        const cloud = twin(depth, shape, DEFAULTS, indexed(depth.shape));
        expectImage(order(cloud), validIn(depth), { width, name: "order" });
        const exact = [...validIn(depth)].flatMap((i) => {
          const z = depth.data[i] * 0.0002;
          return [(((i % width) - cx) * z) / fx, ((Math.floor(i / width) - cy) * z) / fy, z];
        });
        expectImage(places(cloud), exact, { width, channels: 3, tolerance: 2e-6, name: "places" });
      }),
      { seed: SEED, numRuns: 200 },
    );
  });

  test("accepts a colour image that is not aligned to 4 bytes", () => {
    const bytes = new Uint8Array(indexed(tiny.depth.shape).data.length + 1);
    bytes.set(indexed(tiny.depth.shape).data, 1);
    const color = ndarray(bytes.subarray(1), [2, 3, 4]);
    expect([...order(twin(tiny.depth, tiny.shape, DEFAULTS, color))]).toEqual(tiny.order);
  });
});

describe("compact on the GPU", () => {
  const gpu = useGpu();

  interface Run {
    readonly stage?: Stage;
    readonly color?: ColorArray | undefined;
    readonly overrides?: Overrides;
    readonly again?: () => void;
  }

  /** Runs the stage on buffers full of a sentinel. `again` makes a change, after which the stage runs a second time. */
  async function run(
    given: DepthArray,
    shape: FrameShape,
    { stage = compact(), color, overrides = {}, again }: Run = {},
  ) {
    const { device } = gpu;
    const frame = { depth: given, color, points: undefined, picture: undefined };
    const { input, write, destroy } = inputOn(device, frame);
    write(frame);
    const built = await stage.build({ device, shape, input, overrides });
    const { points } = built.output;
    if (!points) throw new Error("the stage leaves no points");
    const encode = () => {
      fillWords(device, points.buffer, SENTINEL);
      fillWords(device, points.args, SENTINEL);
      runFrame(device, built);
    };
    encode();
    if (again) {
      again();
      encode();
    }
    const [words, args] = [await readWords(device, points.buffer), await readWords(device, points.args)];
    built.destroy();
    destroy();
    const count = args[POINT_ARGS.count / 4];
    return { cloud: cloudOf(words, count), args: [...args], rest: words.subarray(count * 4), points };
  }

  /** Expects the twin's order, count and arguments exactly, points by `pointDifference`, and no write past the count. */
  async function expectTwin(depth: DepthArray, name: string, overrides: Overrides = {}): Promise<void> {
    const shape = camera(depth.shape);
    const color = indexed(depth.shape);
    const { cloud, args, rest } = await run(depth, shape, { color, overrides });
    const expected = twin(depth, shape, DEFAULTS, color);
    const valid = validIn(depth);
    const width = depth.shape[1];
    expect(args, name).toEqual(argsFor(valid.length));
    expectImage(order(cloud), valid, { width, name: `${name}: order` });
    expect(pointDifference(expected, cloud), name).toBeUndefined();
    expect(
      rest.findIndex((left) => left !== SENTINEL),
      `${name}: written past the count`,
    ).toBe(-1);
  }

  test("unprojects three pixels to hand-computed places, in raster order", async () => {
    const { cloud, args, points } = await run(tiny.depth, tiny.shape, { color: indexed(tiny.depth.shape) });
    expect(places(cloud)).toEqual(tiny.places);
    expect([...order(cloud)]).toEqual(tiny.order);
    expect(args).toEqual([3, 1, 0, 0, 6, 3, 0, 0, 1, 1, 1, 3]);
    const { STORAGE, VERTEX, INDIRECT, COPY_SRC, COPY_DST } = GPUBufferUsage;
    expect(points.buffer.usage).toBe(STORAGE | VERTEX | COPY_SRC | COPY_DST);
    expect(points.args.usage).toBe(STORAGE | INDIRECT | COPY_SRC | COPY_DST);
    expect([points.capacity, points.buffer.size]).toEqual([6, 96]);
  });

  test("writes arguments for a draw of 0 points if no pixel is valid", async () => {
    const { args, rest } = await run(image(new Uint16Array(35), 7), camera([5, 7]));
    expect(args).toEqual([0, 1, 0, 0, 6, 0, 0, 0, 0, 1, 1, 0]);
    expect(rest.every((left) => left === SENTINEL)).toBe(true);
  });

  test.each([
    [256, 1],
    [257, 2],
  ])("writes dispatch arguments: for %i points %i workgroups of 256", async (n, workgroups) => {
    const { args } = await run(image(new Uint16Array(n).fill(9), n), camera([1, n]));
    expect(args.slice(POINT_ARGS.dispatch / 4)).toEqual([workgroups, 1, 1, n]);
  });

  test("equals the twin where a workgroup of 64 takes several rounds", async () => {
    const holes = cook({ width: 1440, height: 1024, levels: 3000, holeShare: 0.25, seed: 1440 });
    const many = cook({ width: 320, height: 240, levels: 3000, holeShare: 0.25, seed: 320 });
    const alone = { compact: { PASSES: 1 }, lookBack: { WORKGROUP: 64, SPINS: 0 } };
    await expectTwin(many, "tiles that wait for no other, and count what lies before them", alone);
    await expectTwin(holes, "holes, in tiles", { compact: { PASSES: 2 }, move: { WORKGROUP: 64 } });
  });

  slowTest("equals the twin's points and count on 16 megapixels in two passes (one pass is for fewer)", async () => {
    const depth = image(new Uint16Array(4096 * 4096), 4096);
    for (let i = 5; i < depth.data.length; i += 1000) depth.data[i] = 1 + (i % 9000);
    const shape = camera(depth.shape);
    const { cloud, args } = await run(depth, shape, { overrides: { compact: { PASSES: 2 } } });
    expect(args).toEqual(argsFor(16778));
    expect(pointDifference(twin(depth, shape), cloud)).toBeUndefined();
  });

  describe("makes points without a colour image grey, the darker the farther,", () => {
    const shape = camera([1, 6]);
    const depth = image([100, 500, 2750, 5000, 9000, 501], 6);
    const grey = (...levels: number[]) => levels.map((level) => word(level, level, level));

    test("from nearM to farM", async () => {
      const expected = grey(240, 240, 144, 48, 48, 240);
      expect([...colours((await run(depth, shape)).cloud)]).toEqual(expected);
      expect([...colours(twin(depth, shape))]).toEqual(expected);
    });

    test("and follows a change of nearM and farM from the next frame on, without a rebuild", async () => {
      const stage = compact();
      const revision = stage.revision;
      const again = () => stage.set({ nearM: 0.501, farM: 2.75 });
      const { cloud } = await run(depth, shape, { stage, again });
      expect(stage.revision).toBe(revision);
      const moved = grey(240, 240, 48, 48, 48, 240);
      expect([...colours(cloud)]).toEqual(moved);
      expect([...colours(twin(depth, shape, { nearM: 0.501, farM: 2.75 }))]).toEqual(moved);
    });

    test("in one step if farM equals nearM", async () => {
      const parameters = { nearM: 0.5, farM: 0.5 };
      const step = grey(240, 240, 48, 48, 48, 48);
      expect([...colours((await run(depth, shape, { stage: compact(parameters) })).cloud)]).toEqual(step);
      expect([...colours(twin(depth, shape, parameters))]).toEqual(step);
    });

    test("also at pixels of a colour image whose alpha is 0", async () => {
      const own = [word(1, 2, 3), 0x00ffffff, word(4, 5, 6), 0, 0x00000001, word(0, 0, 0)];
      const color = ndarray(new Uint8Array(Uint32Array.from(own).buffer), [1, 6, 4]);
      const [, second, , fourth, fifth] = grey(240, 240, 144, 48, 48, 240);
      const expected = [own[0], second, own[2], fourth, fifth, own[5]];
      expect([...colours((await run(depth, shape, { color })).cloud)]).toEqual(expected);
      expect([...colours(twin(depth, shape, DEFAULTS, color))]).toEqual(expected);
    });
  });
});
