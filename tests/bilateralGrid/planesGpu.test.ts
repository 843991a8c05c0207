import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DepthArray } from "../../core/frame.ts";
import { planeTwin } from "../../stages/bilateralGrid/planes/cpu.ts";
import { planesOnGpu } from "../../stages/bilateralGrid/planes/gpu.ts";
import { planeMemory } from "../../stages/bilateralGrid/planes/memory.ts";
import { type PlaneParameters, planeShape } from "../../stages/bilateralGrid/planes/shape.ts";
import { Pool } from "../../stages/core/pool.ts";
import { AGAIN, createDepthImage } from "../../stages/core/resources.ts";
import { expectImage, fillWords, image, readWords, padded as rowsOf, runFrame, useGpu } from "../gpu.ts";
import { QUICK } from "../mode.ts";
import { furnish } from "./frames.ts";
import { expectPlane, planes, slanted } from "./slants.ts";

// The kernels of `fit: "plane"` give what their twin gives, to the last bit.

const SEED = 20260104;
const SENTINEL = 0xdeadbeef;

const defaults: PlaneParameters = { sigmaSpacePx: 8, sigmaDepthMm: 3, sigmaDepthPerM2Mm: 2, maxDepthM: 10 };

describe("the kernels of `fit: plane`", () => {
  const gpu = useGpu();

  /** Filters the frames one after the other, in the same buffers; gives the last one's depth. */
  async function expectTwin(
    frames: DepthArray[],
    changes: Partial<PlaneParameters>,
    unit: number,
    name: string,
    room?: { readonly bandBytes?: number; readonly entriesEach?: number },
  ) {
    const { device } = gpu;
    const [height, width] = frames[0].shape;
    const shape = planeShape(width, height, unit, { ...defaults, ...changes });
    const depth = createDepthImage(device, "test", width, height);
    const pool = new Pool(device, "test");
    const filter = await planesOnGpu(pool, shape, depth, room);
    const memory = planeMemory(shape);
    const twin = planeTwin(shape, memory);
    let got: Uint16Array = new Uint16Array();
    for (const frame of frames) {
      device.queue.writeBuffer(depth.buffer, 0, rowsOf(frame));
      for (const buffer of [filter.index, filter.filtered.buffer]) fillWords(device, buffer, SENTINEL);
      runFrame(device, filter);
      const seen = { depth: frame, color: undefined, points: undefined, picture: undefined };
      twin.run(seen, AGAIN);
      // In bands a later row of tiles takes an earlier one's place.
      const index = new Uint32Array(filter.index.size / 4);
      for (const [i, word] of memory.index.entries()) index[i % index.length] = word;
      expectImage(await readWords(device, filter.index), index, { width: shape.masks * 2, name: `index, ${name}` });
      got = new Uint16Array((await readWords(device, filter.filtered.buffer)).buffer);
      expectImage(got, rowsOf(seen.depth), { width: depth.stride, name: `filtered, ${name}` });
    }
    pool.destroy();
    depth.buffer.destroy();
    return Uint16Array.from(
      { length: width * height },
      (_, i) => got[Math.floor(i / width) * depth.stride + (i % width)],
    );
  }

  test("give the same depth if little memory forces them to work a row of tiles at a time", async () => {
    const room = { width: 33, height: 97, near: 500, far: 3000, roughness: 20, holeShare: 0.1, seed: SEED };
    const frames = [furnish(room), furnish({ ...room, seed: SEED + 1 })];
    const whole = await expectTwin(frames, {}, 0.001, "at once");
    expect(await expectTwin(frames, {}, 0.001, "in bands", { bandBytes: 1 })).toEqual(whole);
  });

  test("give the same depth if the list of planes is too short", async () => {
    const room = { width: 65, height: 41, near: 500, far: 3000, roughness: 20, holeShare: 0.1, seed: SEED };
    const frames = [furnish(room), furnish({ ...room, seed: SEED + 1 })];
    const whole = await expectTwin(frames, {}, 0.001, "all listed", { entriesEach: 1000 });
    expect(await expectTwin(frames, {}, 0.001, "a list of one", { entriesEach: 0.001 })).toEqual(whole);
    const inBands = { entriesEach: 0.001, bandBytes: 1 };
    expect(await expectTwin(frames, {}, 0.001, "in bands, a list of one", inBands)).toEqual(whole);
  });

  test("leave a plane where it is, with holes and at the border, at any slant", async () => {
    await fc.assert(
      fc.asyncProperty(planes, async (plane) => {
        const exact = slanted(plane);
        const depth = image(exact.map(Math.round), plane.width);
        expectPlane(await expectTwin([depth], {}, plane.unit, JSON.stringify(plane)), exact, plane);
      }),
      { seed: SEED, numRuns: QUICK ? 3 : 7 },
    );
  });
});
