import { encode } from "fast-png";
import { describe, expect, test } from "vitest";
import { depthPng, depthValues, HEIGHT, WIDTH, zipOf } from "../fixtures.ts";
import { littleEndian } from "../makers/bytes.ts";
import { exrOf } from "../makers/exr.ts";
import { floats, npyOf, tiffOf } from "../makers/still.ts";
import { openBytes } from "../opening.ts";

// Single images and NumPy arrays: each value comes back, and metres become millimetres.

const size = { width: WIDTH, height: HEIGHT };
const values = depthValues(0);
/** Depth in metres, some of it not measured, and the millimetres that it becomes. */
const metres = [...values].map((value, i) =>
  i === 3 ? Number.NaN : i === 4 ? Number.POSITIVE_INFINITY : i === 5 ? -1 : i === 6 ? 70 : value / 1000,
);
const millimetres = values.map((value, i) => (i >= 3 && i <= 6 ? 0 : value));
/** Three pixels of -1 in front. */
const nothing = values.map((value, i) => (i < 3 ? 0 : value));
const zeroes = metres.map(() => 0);
const bytes = littleEndian(values);
const tiff16 = (more: object) => tiffOf({ ...size, values: bytes, bits: 16, ...more });
const single = floats(metres);
const words = new Uint8Array(Uint32Array.from(values).buffer);
const longs = new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
const big = bytes.map((_, i) => bytes[i ^ 1]);

describe("a recording of one image or array", () => {
  test.each<[string, string, string, Uint8Array, Uint16Array]>([
    ["16-bit PNG", "a.png", "image", depthPng(values), values],
    ["TIFF", "a.tif", "image", tiffOf({ ...size, values: bytes, bits: 16 }), values],
    ["TIFF, LZW", "a.tif", "image", tiff16({ compression: 5, rowsPerStrip: 2 }), values],
    ["TIFF, deflate, differences", "a.tif", "image", tiff16({ compression: 8, predictor: 2 }), values],
    ["TIFF of floats", "a.tif", "image", tiffOf({ ...size, values: single, bits: 32 }), millimetres],
    [
      "TIFF with signs",
      "a.tif",
      "image",
      tiff16({ signed: true, values: bytes.map((b, i) => (i < 6 ? 255 : b)) }),
      nothing,
    ],
    ["TIFF of 32 bits", "a.tif", "image", tiffOf({ ...size, values: words, bits: 32, whole: true }), values],
    [
      "OpenEXR of a layer",
      "a.exr",
      "image",
      exrOf(WIDTH, HEIGHT, { "View.Combined.B": zeroes, "View.Depth.Z": metres }),
      millimetres,
    ],
    ["OpenEXR", "a.exr", "image", exrOf(WIDTH, HEIGHT, { Z: metres }, 0), millimetres],
    ["OpenEXR, ZIP", "a.exr", "image", exrOf(WIDTH, HEIGHT, { Z: metres }), millimetres],
    ["OpenEXR, ZIP by row, channel Y", "a.exr", "image", exrOf(WIDTH, HEIGHT, { Y: metres }, 2), millimetres],
    ["uint16 array", "a.npy", "npy", npyOf("<u2", [HEIGHT, WIDTH], bytes), values],
    ["big-endian array", "a.npy", "npy", npyOf(">u2", [HEIGHT, WIDTH], big), values],
    ["int64 array", "a.npy", "npy", npyOf("<i8", [HEIGHT, WIDTH], longs), values],
    ["float32 array", "a.npy", "npy", npyOf("<f4", [1, HEIGHT, WIDTH, 1], single), millimetres],
    ["array with an axis of one channel", "a.npy", "npy", npyOf("<f4", [HEIGHT, WIDTH, 1], single), millimetres],
    ["array with one channel before", "a.npy", "npy", npyOf("<f4", [1, 1, HEIGHT, WIDTH], single), millimetres],
    [".npz", "a.npz", "npz", zipOf({ "depth.npy": npyOf("<u2", [HEIGHT, WIDTH], bytes) }), values],
  ])("(%s) comes back value for value, at each read", async (_, name, format, file, expected) => {
    await using recording = await openBytes(name, file);
    expect([recording.format, recording.length]).toEqual([format, 1]);
    for (let again = 0; again < 2; again++) {
      const { depth, metresPerUnit } = await recording.read(0);
      expect([depth.shape, metresPerUnit]).toEqual([[HEIGHT, WIDTH], 0.001]);
      expect(depth.data).toEqual(expected);
      depth.data.fill(7);
    }
    expect(recording.warnings.join()).toContain("no intrinsics are given");
  });

  test("that is a stack of images has a frame for each, in the requested unit; a cut-off stack has the rest", async () => {
    const stack = [0, 1, 2].flatMap((frame) => [...depthValues(frame)].map((value) => value / 10_000));
    const file = npyOf("<f4", [3, HEIGHT, WIDTH], floats(stack));
    const recording = await openBytes("a.npy", file, { metresPerUnit: 0.0001, fps: 15 });
    expect([recording.length, recording.timestampOf(2)]).toEqual([3, 2000 / 15]);
    for (let i = 0; i < 3; i++) expect((await recording.read(i)).depth.data).toEqual(depthValues(i));
    await recording.close();
    await using cut = await openBytes("a.npy", file.subarray(0, -1));
    expect([cut.length, cut.warnings.join()]).toEqual([2, expect.stringContaining("2 of 3 frames are there")]);
  });

  test("of the shape 3×H×W is read as 3 frames, with a warning, since 3 channels have the same shape", async () => {
    const stack = [0, 1, 2].flatMap((frame) => [...littleEndian(depthValues(frame))]);
    await using recording = await openBytes("a.npy", npyOf("<u2", [3, HEIGHT, WIDTH], Uint8Array.from(stack)));
    expect(recording.length).toBe(3);
    expect((await recording.read(2)).depth.data).toEqual(depthValues(2));
    expect(recording.warnings).toContainEqual(
      expect.stringContaining("3×5×7 is taken for 3 frames of depth; if these"),
    );
  });

  test("that is an array with named fields is refused with a reason", async () => {
    const file = npyOf("<u2", [HEIGHT, WIDTH], bytes);
    const text = Buffer.from(file).toString("latin1").replace("'<u2'", "[('z', '<f4')]");
    await expect(openBytes("a.npy", Buffer.from(text, "latin1"))).rejects.toThrow(
      "several named fields in each element",
    );
  });

  test("that is an .npz takes its lens from the array K", async () => {
    const lens = npyOf("<f4", [3, 3], floats([500, 0, 3.5, 0, 501, 2.5, 0, 0, 1]));
    await using recording = await openBytes(
      "a.npz",
      zipOf({ "depth.npy": npyOf("<u2", [HEIGHT, WIDTH], bytes), "K.npy": lens }),
    );
    expect((await recording.read(0)).intrinsics).toEqual({ fx: 500, fy: 501, cx: 3.5, cy: 2.5, ...size });
    expect(recording.facts).toContainEqual(expect.objectContaining({ what: "intrinsics", from: "file K.npy" }));
  });

  const zeros = new Uint8Array(400);
  test.each<[string, string, Uint8Array, string]>([
    [
      "a colour PNG",
      "a.png",
      encode({ width: 2, height: 2, channels: 3, depth: 8, data: new Uint8Array(12) }),
      "a.png: this is an 8-bit RGB PNG",
    ],
    ["a TIFF of bytes", "a.tif", tiffOf({ ...size, values: bytes, bits: 8 }), "this TIFF has 1 × 8 bits per pixel"],
    [
      "a large EXR",
      "a.exr",
      exrOf(30_000, 1, { Z: new Array(30_000).fill(0) }).slice(0, 200),
      "a.exr: this OpenEXR file is cut short",
    ],
    ["an array of strings", "a.npy", npyOf("<U4", [5, 7], zeros), 'a NumPy array of "U4" is no depth'],
    ["an array of one axis", "a.npy", npyOf("<u2", [35], zeros), "a NumPy array of 35 is no stack of depth images"],
    ["an array of columns", "a.npy", npyOf("<u2", [5, 7], zeros, "'fortran_order': True"), "in Fortran's order"],
    ["a colour image", "a.npy", npyOf("|u1", [480, 640, 3], zeros), "480×640×3 is an array with 3 values"],
    ["an array of normals", "a.npy", npyOf("<f4", [480, 640, 3], zeros), "(colour, normals or points), not depth"],
    ["a stack of points", "a.npy", npyOf("<f4", [2, 5, 7, 3], zeros), "with 3 values in each pixel"],
    ["images with their channels first", "a.npy", npyOf("<f4", [2, 3, 5, 7], zeros), "with 3 values in each pixel"],
    ["a list of points", "a.npy", npyOf("<f4", [1000, 3], zeros), "a table of 1000 rows of 3, as a list of points has"],
    ["a list of points and colours", "a.npy", npyOf("<f4", [1000, 6], zeros), "a table of 1000 rows of 6"],
    ["an array of five axes", "a.npy", npyOf("<u2", [1, 1, 5, 7, 1], zeros), "is no stack of depth images: H×W, N×H×W"],
    ["an array of objects", "a.npy", npyOf("|O", [5, 7], zeros), "holds Python objects (a pickle), which are not read"],
    ["a pickle", "a.npy", Uint8Array.of(0x80, 4, 0x95, ...zeros), "a.npy: it is a Python pickle"],
    ["a pickle in text", "a.npy", Buffer.from(`cnumpy.core.multiarray\n${zeros}`), "allow_pickle=False"],
    ["a huge array", "a.npy", npyOf("<u2", [90000, 90000], zeros), "is no stack of depth images"],
    [
      "several arrays",
      "a.npz",
      zipOf({ "a.npy": npyOf("<u2", [5, 7], bytes), "b.npy": npyOf("<u2", [5, 7], bytes) }),
      "a.npz: it has 2 depth topics; choose one",
    ],
  ])("that is in fact %s is refused with a reason", async (_, name, file, message) => {
    await expect(openBytes(name, file)).rejects.toThrow(message);
  });
});

test.each([
  ["a.mat", [0x89, 0x48, 0x44, 0x46], "a.mat: it is an HDF5 file, or MATLAB's .mat, which is not read; save its depth"],
  ["a.jpg", [0xff, 0xd8, 0xff, 0xe0], "a.jpg: it is a JPEG, which is not read; its 8 bits hold no depth: choose"],
  ["rgb.mp4", [0, 0, 0, 32, 0x66, 0x74, 0x79, 0x70], "rgb.mp4: it is a film, which is not read"],
  ["a.svo2", [1, 2, 3, 4], "a.svo2: it is a recording of a ZED"],
  ["a.sens", [9, 9, 9, 9, 9, 9, 9, 9], "a.sens: it is no ScanNet recording, whatever its name says, or a damaged one"],
  ["a.xyz", [1, 2, 3, 4], "a.xyz: it is no recording, by its first bytes"],
])("openRecording refuses %s and says which kind of file it is", async (name, start, message) => {
  await expect(openBytes(name, Uint8Array.from([...start, ...new Array(600).fill(1)]))).rejects.toThrow(message);
});
