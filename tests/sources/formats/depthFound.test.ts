import { encode } from "fast-png";
import { describe, expect, test } from "vitest";
import type { OpenOptions } from "../../../sources/index.ts";
import { type Contents, depthPng, depthValues, HEIGHT, useFolder, WIDTH } from "../fixtures.ts";
import { littleEndian } from "../makers/bytes.ts";
import { floats, npyOf, pagedTiff, tiffOf } from "../makers/still.ts";
import { depths, K, lens, many, opened as openedIn } from "../opening.ts";

// Which images of a folder are depth, and which of their pixels are left out.

const disk = useFolder();
const size = { width: WIDTH, height: HEIGHT };
const opened = (contents: Contents, options?: OpenOptions) => openedIn(disk, contents, options);

describe("depth is found", () => {
  test("six folders down, and beside a depth.txt that is no list", async () => {
    const { depth } = await opened({
      ...depths(2, (i) => `a/b/c/d/e/depth/${i}.png`),
      "a/b/c/d/e/meta/depth.txt": "Field|Units\n[546.9, 546.1]\n",
    });
    expect(depth).toEqual([depthValues(0)[9], depthValues(1)[9]]);
  });

  test("though a list names one image that is missing: only that frame cannot be read", async () => {
    const list = many(4, (i) => [`depth/${i}.png`, depthPng(depthValues(i))]);
    delete list["depth/2.png"];
    const path = disk.folder({ ...list, "depth.txt": [0, 1, 2, 3].map((i) => `${i} depth/${i}.png\n`).join("") });
    const recording = await disk.open(path);
    expect(recording.warnings.join()).toContain("depth.txt, line 3: it names depth/2.png, which is missing");
    await expect(recording.read(2)).rejects.toThrow("which is missing");
    expect((await recording.read(3)).depth.data).toEqual(depthValues(3));
  });

  const bytes = (i: number) => littleEndian(depthValues(i));
  const metres = (i: number) => floats([...depthValues(i)].map((value) => value / 1000));
  const pgm = (i: number) =>
    Buffer.concat([Buffer.from("P5\n# a camera\n7 5\n# most\n65535\n"), bytes(i).map((_, k, all) => all[k ^ 1])]);
  test.each<[string, string, (i: number) => Uint8Array]>([
    ["TIFF", "frame-#.tiff", (i) => tiffOf({ ...size, values: bytes(i), bits: 16 })],
    ["TIFF of metres", "frame-#.tif", (i) => tiffOf({ ...size, values: metres(i), bits: 32 })],
    ["PGM", "#.pgm", pgm],
    [".npy", "depth/#.npy", (i) => npyOf("<u2", [HEIGHT, WIDTH], bytes(i))],
  ])("in a file of %s a frame", async (_, name, made) => {
    const { frames } = await opened({
      ...many(2, (i) => [name.replace("#", String(i)), made(i)]),
      "K.txt": K.join(" "),
    });
    expect(frames.map(({ depth }) => depth.data)).toEqual([depthValues(0), depthValues(1)]);
    expect(frames[0]).toMatchObject({ metresPerUnit: 0.001, intrinsics: lens });
  });

  test("in every image of a TIFF that has several; a list of them that leads back ends", async () => {
    const recording = await disk.open(disk.file("a.tiff", pagedTiff({ ...size, bits: 16 }, [0, 1, 2].map(bytes))));
    expect(recording.length).toBe(3);
    for (const i of [2, 0, 1]) expect((await recording.read(i)).depth.data).toEqual(depthValues(i));
  });

  test("in PNGs whose bytes are swapped, which are swapped back, with a warning", async () => {
    const slope = Uint16Array.from({ length: 32 * 16 }, (_, i) => 800 + 25 * (i % 32) + 3 * (i >> 5));
    const png = depthPng(
      slope.map((value) => ((value & 255) << 8) | (value >> 8)),
      32,
      16,
    );
    const { frames, told } = await opened({ "0.png": png, "1.png": png });
    expect(frames.map(({ depth }) => depth.data)).toEqual([slope, slope]);
    expect(told).toContain("bytes of each value are in the wrong order");
    const eight = depthPng(
      slope.map((value) => (value >> 4) << 8),
      32,
      16,
    );
    expect((await opened({ "0.png": eight })).told).not.toContain("wrong order");
  });

  test("without the values that --invalid or recording.json beside arrays names", async () => {
    const array = npyOf("<u2", [HEIGHT, WIDTH], littleEndian(depthValues(0, 65535)));
    for (const [contents, options] of [
      [{ "0.npy": array, "recording.json": '{ "invalid": [65535], "metresPerUnit": 0.002 }' }, {}],
      [{ "0.npy": array }, { invalid: [0, 65535], metresPerUnit: 0.002 }],
    ] as const) {
      const { frames } = await opened(contents, options);
      expect([frames[0].depth.data[0], frames[0].metresPerUnit]).toEqual([0, 0.002]);
    }
  });

  const conf = (i: number) => 1 + (i % 2);
  const small = { width: WIDTH, height: HEIGHT, channels: 1, depth: 8 } as const;
  const codes = Uint8Array.from({ length: 35 }, (_, i) => conf(i));
  test.each<[string, string, Uint8Array]>([
    ["PNGs of 8 bits", "confidence/0.png", encode({ ...small, data: codes })],
    ["PNGs of 16 bits", "conf/0.png", depthPng(Uint16Array.from(codes))],
    ["arrays of bytes", "confidence_map/0.npy", npyOf("|u1", [HEIGHT, WIDTH], codes)],
    ["arrays of floats", "confidence/0.npy", npyOf("<f4", [HEIGHT, WIDTH], floats([...codes]))],
    ["images in the same folder", "depth/0_confidence.png", encode({ ...small, data: codes })],
    [
      "images of twice the size",
      "confidence/0.png",
      encode({
        ...small,
        width: 14,
        height: 10,
        data: Uint8Array.from({ length: 140 }, (_, i) => conf(((i % 14) >> 1) + 7 * Math.floor(i / 28))),
      }),
    ],
  ])("without the pixels of which confidence in %s is not sure", async (_, name, image) => {
    const { frames, told } = await opened(
      { "depth/0.png": depthPng(depthValues(0)), [name]: image },
      { minConfidence: 2 },
    );
    expect(frames[0].depth.data).toEqual(depthValues(0).map((value, i) => (conf(i) < 2 ? 0 : value)));
    expect(told).not.toMatch(/confidence is asked for/);
    expect((await opened({ "depth/0.png": depthPng(depthValues(0)) }, { minConfidence: 2 })).told).toMatch(
      /no images of confidence/,
    );
  });

  test.each([
    ["a text", "Depth of the garden.\n"],
    ["a list without times", "depth/0.png\ndepth/1.png\n"],
    ["JSON", '{ "unit": "mm" }'],
    ["numbers", "0.5 0.4 0.3\n"],
    ["nothing", ""],
  ])("beside a depth.txt that is %s", async (_, text) => {
    expect((await opened({ ...depths(2, (i) => `depth/${i}.png`), "depth.txt": text })).depth).toHaveLength(2);
  });

  test("in an older scan of Stray Scanner, at the rate of its odometry", async () => {
    const line = (i: number) => `${5 + i / 10}, 00000${i}, ${i}, 0, 0, 0, 0, 0, 1\n`;
    const { frames, fps, places } = await opened({
      ...many(3, (i) => [`depth/00000${i}.npy`, npyOf("<u2", [HEIGHT, WIDTH], bytes(i))]),
      "odometry.csv": `timestamp, frame, x, y, z, qx, qy, qz, qw\n${line(0)}${line(1)}${line(2)}`,
    });
    expect([fps, places[2], frames[2].depth.data]).toEqual([10, [2, 0, 0], depthValues(2)]);
  });
});
