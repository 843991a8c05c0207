import { describe, expect, test } from "vitest";
import { randomBy } from "../../../measure/propose.ts";
import { unpack16z } from "../../../sources/recorded/formats/oni/depth16z.ts";
import { type OniParts, oniOf, pack16z } from "../makers/oni.ts";
import { openBytes } from "../opening.ts";

// OpenNI recordings: depth and colour come back, for each codec and version, from finished, unfinished and damaged files.

/** Depth-like values: slopes, edges, holes and runs of equal values. */
function depthOf(seed: number, size: number): Uint16Array {
  const random = randomBy(seed);
  const out = new Uint16Array(size);
  for (let i = 0, value = 900; i < size; i++) {
    const kind = random();
    if (kind < 0.05) value = 0;
    else if (kind < 0.1) value = Math.floor(random() * 10_000);
    else if (kind < 0.3) value = Math.max(0, value + Math.floor(random() * 140) - 70);
    else if (kind < 0.5) value = Math.max(0, value + Math.floor(random() * 13) - 6);
    out[i] = value;
  }
  return out;
}

describe("unpack16z", () => {
  test("decodes hand-written data with each kind of step and with a table, and refuses damaged data", () => {
    const unpack = (bytes: number[], size: number, withTable = false) => {
      const out = new Uint16Array(size);
      return [unpack16z(Uint8Array.from(bytes), out, withTable), [...out]];
    };
    // 1000; -1; +1; two repeats; +40 from the middle of a byte and from the start of one; 2560; one repeat.
    const bytes = [0xe8, 0x03, 0x75, 0xe1, 0x6f, 0x98, 0xff, 0x98, 0xff, 0x0a, 0x00, 0x6d];
    expect(unpack(bytes, 10)).toEqual([10, [1000, 999, 1000, 1000, 1000, 1000, 1040, 1080, 2560, 2560]]);
    // A table of two values, 0 and 700; the second comes first; then index -1; then two repeats.
    expect(unpack([2, 0, 0, 0, 0xbc, 2, 1, 0, 0x7d, 0xe1], 4, true)).toEqual([4, [700, 0, 0, 0]]);
    expect(unpack([0xe8, 0x03, 0xe1], 2)[0]).toBeUndefined();
    expect(unpack([0xe8, 0x03, 0xf3], 9)[0]).toBeUndefined();
    expect(unpack([1, 0, 5, 0, 1, 0], 9, true)[0]).toBeUndefined();
    expect(unpack([0xe8], 9)[0]).toBe(0);
  });

  test.each([false, true])("gives back the values that pack16z packed (with a table: %s)", (withTable) => {
    for (let seed = 0; seed < 200; seed++) {
      const values = depthOf(seed, 1 + (seed % 97));
      const out = new Uint16Array(values.length);
      expect(unpack16z(pack16z(values, withTable), out, withTable)).toBe(values.length);
      expect(out).toEqual(values);
    }
  });
});

describe("an OpenNI recording", () => {
  const small: OniParts = { width: 9, height: 7, depth: [1, 2, 3].map((seed) => depthOf(seed, 63)) };

  test.each<[string, Partial<OniParts>]>([
    ["16z", {}],
    ["16z with a table", { codec: "16zT" }],
    ["uncompressed", { codec: "NONE" }],
    ["of an old version", { old: true }],
    ["unfinished", { unfinished: true }],
  ])("(%s) comes back bit for bit, with its times", async (_, more) => {
    await using recording = await openBytes("a.oni", oniOf({ ...small, ...more }));
    expect([recording.format, recording.length, recording.fps, recording.warnings]).toEqual(["oni", 3, 30, []]);
    for (const [i, expected] of small.depth.entries()) {
      const { depth, metresPerUnit, timestamp } = await recording.read(i);
      expect(depth.data).toEqual(expected);
      expect([metresPerUnit, timestamp]).toEqual([0.001, 33 * i]);
    }
  });

  test("has a lens from its field of view, and unregistered colour with a warning", async () => {
    const color = small.depth.map((_, i) => new Uint8Array(3 * 63).fill(50 + i));
    await using recording = await openBytes("a.oni", oniOf({ ...small, color }));
    const { intrinsics, color: picture } = await recording.read(1);
    expect(intrinsics.fx).toBeCloseTo(4.5 / Math.tan(0.5113), 9);
    expect([intrinsics.cx, intrinsics.cy, intrinsics.width, intrinsics.height]).toEqual([4, 3, 9, 7]);
    expect([...(picture?.data ?? []).slice(0, 4)]).toEqual([51, 51, 51, 255]);
    expect(recording.warnings.join()).toContain("OpenNI does not record whether its colour is registered");
  });

  test("in tenths of millimetres is read; one in shift values, of another codec, or without frames is refused", async () => {
    const recording = await openBytes("a.oni", oniOf({ ...small, pixels: 101 }));
    expect((await recording.read(0)).metresPerUnit).toBe(0.0001);
    await recording.close();
    await expect(openBytes("a.oni", oniOf({ ...small, pixels: 102 }))).rejects.toThrow(
      "in the sensor's own shift values",
    );
    await expect(openBytes("a.oni", oniOf({ ...small, codec: "Im8z" }))).rejects.toThrow('compressed by "Im8z"');
    await expect(openBytes("a.oni", oniOf({ ...small, depth: [] }))).rejects.toThrow("has no frame of depth");
  });
});
