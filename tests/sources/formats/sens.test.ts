import { encode } from "jpeg-js";
import { describe, expect, test } from "vitest";
import { colorPng, depthValues, HEIGHT, WIDTH } from "../fixtures.ts";
import { type SensParts, sensOf } from "../makers/sens.ts";
import { openBytes } from "../opening.ts";

// ScanNet's .sens files: depth, colour, both lenses and the poses come back.

const small: SensParts = { width: WIDTH, height: HEIGHT, depth: [0, 1, 2].map((i) => depthValues(i)) };

describe("a ScanNet scan", () => {
  test.each<[string, Partial<SensParts>]>([
    ["zlib", {}],
    ["raw", { depthKind: 0 }],
  ])("with %s depth comes back bit for bit, with times, lens and poses", async (_, more) => {
    await using recording = await openBytes("scene0000_00.sens", sensOf({ ...small, ...more, step: 50_000 }));
    expect([recording.format, recording.length, recording.fps, recording.warnings]).toEqual(["sens", 3, 20, []]);
    for (const [i, expected] of small.depth.entries()) {
      const { depth, metresPerUnit, timestamp, intrinsics } = await recording.read(i);
      expect(depth.data).toEqual(expected);
      expect([metresPerUnit, timestamp]).toEqual([0.001, 50 * i]);
      expect(intrinsics).toEqual({ fx: WIDTH, fy: WIDTH, cx: 3, cy: 2, width: WIDTH, height: HEIGHT });
    }
    expect((await recording.pose(2))?.[3]).toBe(2);
    // Tracking was lost in this frame.
    expect(await recording.pose(1)).toBeUndefined();
  });

  test("whose times run back says so, how often, and where first", async () => {
    const depth = [0, 1, 2, 3, 4].map((i) => depthValues(i));
    const times = [0, 33_000, 66_000, 10_000, 43_000];
    await using recording = await openBytes("back.sens", sensOf({ ...small, depth, times }));
    expect(recording.warnings).toEqual([
      expect.stringMatching(/^back\.sens: the times of 1 of 5 frames run back, first at frame 3: /),
    ]);
  });

  test("without times plays 30 frames per second", async () => {
    await using recording = await openBytes("a.sens", sensOf(small));
    expect([recording.fps, recording.timestampOf(1)]).toEqual([30, 1000 / 30]);
  });

  const grey = new Uint8Array(4 * 14 * 10).fill(90);
  test.each([
    ["raw", 0, new Uint8Array(3 * 14 * 10).fill(90)],
    ["PNG", 1, colorPng(0, 3, 14, 10)],
    ["JPEG", 2, Uint8Array.from(encode({ data: grey, width: 14, height: 10 }, 95).data)],
  ])("has its %s colour registered by the header's lenses", async (name, kind, picture) => {
    const color = { kind, width: 14, height: 10, frames: [picture, picture, picture] };
    await using recording = await openBytes("a.sens", sensOf({ ...small, color }));
    const { color: found, depth } = await recording.read(0);
    const colored = [...depth.data.keys()].filter((i) => found?.data[4 * i + 3] === 255);
    expect(colored.length).toBe(depth.data.length);
    if (kind !== 1) expect([...(found?.data ?? []).slice(68, 72)]).toEqual([90, 90, 90, 255]);
    expect(recording.facts).toContainEqual({
      ...{ what: "colour", from: "files" },
      value: `all frames, ${name}, registered by the header's lenses`,
    });
  });

  test("of another version, of Occipital's codec, or without frames is refused with a reason", async () => {
    await expect(openBytes("a.sens", sensOf({ ...small, version: 3 }))).rejects.toThrow("version 3 of ScanNet's .sens");
    await expect(openBytes("a.sens", sensOf({ ...small, depthKind: 2 }))).rejects.toThrow("Occipital's own code");
    await expect(openBytes("a.sens", sensOf({ ...small, depth: [] }))).rejects.toThrow("has no complete frame");
  });

  test("that is cut off plays to its last whole frame", async () => {
    await using recording = await openBytes("a.sens", sensOf(small).subarray(0, -30));
    expect([recording.length, recording.warnings.join()]).toEqual([2, expect.stringContaining("behind frame 1 of 3")]);
  });
});
