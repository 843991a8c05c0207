import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DepthArray } from "../../core/frame.ts";
import { planesOnGpu } from "../../stages/bilateralGrid/planes/gpu.ts";
import { planeBuild } from "../../stages/bilateralGrid/planes/planeBuild.ts";
import { planeSlice } from "../../stages/bilateralGrid/planes/planeSlice.ts";
import { planeScratch } from "../../stages/bilateralGrid/planes/scratch.ts";
import { type PlaneParameters, type PlaneShape, planeShape } from "../../stages/bilateralGrid/planes/shape.ts";
import { createSimdPlanes } from "../../stages/bilateralGrid/planes/simd.ts";
import { Pool } from "../../stages/core/pool.ts";
import { createDepthImage } from "../../stages/core/resources.ts";
import { expectImage, fillWords, image, readWords, padded as rowsOf, runFrame, useGpu } from "../gpu.ts";
import { QUICK } from "../mode.ts";
import { furnish } from "./frames.ts";
import { expectPlane, planes, slanted } from "./slants.ts";

// The kernels of `fit: "plane"` against the form in WebAssembly, which gives the same to the last bit, and against their twin, which
// computes in f64 instead of f32: depth differs by one unit at most, at ties.

const SEED = 20260104;
const SENTINEL = 0xdeadbeef;
/** The kernel's index by the twin's, whose bits are occupied cells. In bands a later row of tiles takes an earlier one's place. */
function indexOf({ masks }: PlaneShape, index: Int32Array, length: number): Uint32Array {
  const expected = new Uint32Array(length);
  const isThere = (column: number, cell: number) =>
    cell >= 0 && cell < masks * 32 && ((index[2 * (column * masks + (cell >> 5))] >>> (cell & 31)) & 1) === 1;
  for (let mask = 0; mask < index.length / 2; mask++) {
    const column = Math.floor(mask / masks);
    for (const [word, reach] of [1, 2].entries()) {
      let bits = 0;
      for (let bit = 0; bit < 32; bit++) {
        const cell = 32 * (mask % masks) + bit;
        for (let by = -reach; by <= reach; by++) if (isThere(column, cell + by)) bits |= 1 << bit;
      }
      expected[(2 * mask + word) % length] = bits;
    }
  }
  return expected;
}

const defaults: PlaneParameters = { sigmaSpacePx: 8, sigmaDepthMm: 3, sigmaDepthPerM2Mm: 2, maxDepthM: 10 };

describe("the kernels of `fit: plane`", () => {
  const gpu = useGpu();

  /** Filters the frames one after the other, in the same buffers; gives the last one's depth. */
  async function expectTwin(
    frames: DepthArray[],
    changes: Partial<PlaneParameters>,
    unit: number,
    name: string,
    memory?: { readonly bandBytes?: number; readonly entriesEach?: number },
  ) {
    const { device } = gpu;
    const [height, width] = frames[0].shape;
    const shape = planeShape(width, height, unit, { ...defaults, ...changes });
    const depth = createDepthImage(device, "test", width, height);
    const pool = new Pool(device, "test");
    const filter = await planesOnGpu(pool, shape, depth, memory);
    const expected = image(new Uint16Array(width * height), width);
    const scratch = planeScratch(shape);
    const inWasm = createSimdPlanes(shape)?.filter;
    if (!inWasm) throw new Error("no vectors in this engine");
    let got: Uint16Array = new Uint16Array();
    for (const frame of frames) {
      device.queue.writeBuffer(depth.buffer, 0, rowsOf(frame));
      for (const buffer of [filter.index, filter.filtered.buffer]) fillWords(device, buffer, SENTINEL);
      runFrame(device, filter);
      planeBuild(frame, shape, scratch);
      planeSlice(frame, shape, scratch, expected);
      expectImage(await readWords(device, filter.index), indexOf(shape, scratch.index, filter.index.size / 4), {
        ...{ width: shape.masks * 2, name: `index, ${name}` },
      });
      got = new Uint16Array((await readWords(device, filter.filtered.buffer)).buffer);
      const rows = rowsOf(expected);
      expectImage(got, rows, { width: depth.stride, tolerance: 1, name: `filtered, ${name}` });
      // In WebAssembly: the same to the last bit.
      expectImage(got, rowsOf(inWasm(frame)), { width: depth.stride, name: `as in WebAssembly, ${name}` });
      const isValid = (values: Uint16Array) => values.map((value) => Number(value !== 0));
      expectImage(isValid(got), isValid(rows), { width: depth.stride, name: `valid pixels, ${name}` });
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
