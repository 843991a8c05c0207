import { describe, expect, test } from "vitest";
import { SourceError } from "../../../core/source.ts";
import { type Channel, depthChannels } from "../../../sources/decode/exr/channels.ts";
import { decodeExr } from "../../../sources/decode/exr/index.ts";
import { exrOf, pizExr } from "../makers/exr.ts";

// decodeExr against a file of the OpenEXR library and against Three.js' reader; depthChannels chooses depth by channel names.

test("decodeExr gives the values of a PIZ file that the OpenEXR library wrote", async () => {
  const { width, height, data } = await decodeExr(pizExr(), "a.exr");
  expect([width, height]).toEqual([24, 40]);
  for (let y = 0; y < 40; y++)
    for (let x = 0; x < 24; x++)
      expect(data[y * 24 + x]).toBe(x < 4 && y < 4 ? 0 : 1 + Math.floor(x / 6) / 4 + Math.floor(y / 10) / 2);
});

describe("the depth channel of an OpenEXR file", () => {
  const chosen = (...names: string[]) => {
    const channels: Channel[] = names.map((name) => ({ name, type: 2, sampling: 1 }));
    const found = depthChannels(channels);
    return typeof found === "string" ? found : found.map((at) => names[at]).join();
  };

  test.each([
    ["Z", ["A", "B", "G", "R", "Z"]],
    ["View.Depth.Z", ["View.Combined.R", "View.Depth.Z", "View.Normal.X", "View.Normal.Y", "View.Normal.Z"]],
    ["View.Depth.V", ["View.Combined.R", "View.Depth.V"]],
    ["depth", ["B", "G", "R", "depth"]],
    ["left.Z", ["left.R", "left.Z"]],
    ["Y", ["Y"]],
    ["R", ["A", "R"]],
    ["distance", ["distance"]],
    ["R,G,B", ["A", "B", "G", "R"]],
  ])("is %s of the channels %j", (expected, names) => {
    expect(chosen(...names)).toBe(expected);
  });

  test.each([
    ["normals, points or directions", ["X", "Y", "Z"]],
    ["normals, points or directions", ["Normal.X", "Normal.Y", "Normal.Z"]],
    ["normals, points or directions", ["A", "normal.Z"]],
    ["colour, or several things", ["BY", "RY", "Y"]],
    ["colour, or several things", ["G", "R"]],
    ["colour, or several things", ["A"]],
  ])("is missing, since these are %s: %j", (what, names) => {
    expect(chosen(...names)).toContain(what);
  });

  const shades = Array.from({ length: 12 }, (_, i) => (i === 2 ? Number.NaN : 1 + i / 8));
  const red = shades.map((value, i) => (i === 3 ? 0 : value));

  test.each([
    ["normals in R, G and B", { B: shades.map((value) => value / 2), G: shades, R: shades }, "R, G and B differ"],
    ["grey and one red pixel", { B: red, G: red, R: shades }, "R, G and B differ"],
    ["normals in X, Y and Z", { X: shades, Y: shades, Z: shades }, "(X, Y, Z) are normals, points or directions"],
  ])("is missing in a file of %s, which decodeExr refuses", async (_, channels, message) => {
    const reading = decodeExr(Uint8Array.from(exrOf(4, 3, channels)), "a.exr");
    await expect(reading).rejects.toThrow(SourceError);
    await expect(reading).rejects.toThrow(message);
  });
});

describe("decodeExr", () => {
  const small = () => Uint8Array.from(exrOf(4, 3, { Z: new Array(12).fill(1) }, 0));

  test("refuses DWAA, tiles, deep data and several parts, each by name", async () => {
    const file = small();
    const at = Buffer.from(file).indexOf("compression\0compression\0") + 28;
    file[at] = 8;
    await expect(decodeExr(file, "a.exr")).rejects.toThrow("a.exr: this OpenEXR file has the compression DWAA");
    for (const [flag, what] of [
      [2, "has tiles"],
      [8, "has deep data"],
      [16, "has several parts"],
    ] as const) {
      const other = small();
      other[5] = flag;
      await expect(decodeExr(other, "a.exr")).rejects.toThrow(what);
    }
  });

  test("refuses blocks that share bytes, which would make a small file costly to unpack", async () => {
    const [width, height] = [64, 20];
    const file = Uint8Array.from(exrOf(width, height, { Z: new Array(width * height).fill(1) }, 2));
    expect((await decodeExr(file.slice(), "a.exr")).data[0]).toBe(1);
    const view = new DataView(file.buffer);
    const table = Buffer.from(file).indexOf("screenWindowWidth") + 33;
    for (let block = 0; block < height; block++) {
      const at = Number(view.getBigUint64(table + 8 * block, true));
      view.setUint32(at + 4, file.length - at - 8, true);
    }
    await expect(decodeExr(file, "a.exr")).rejects.toThrow("cut short or damaged");
  });

  test("refuses a block of more than 64 MiB", async () => {
    const names = Array.from({ length: 70 }, (_, i) => `c${i}`);
    const file = exrOf(1, 1, { ...Object.fromEntries(names.map((name) => [name, [1]])), Z: [1] });
    const view = new DataView(file.buffer);
    const window = Buffer.from(file).indexOf("dataWindow") + 11 + 6 + 4;
    view.setInt32(window + 8, 99_999, true);
    const long = new Uint8Array(200_000);
    long.set(file);
    await expect(decodeExr(long, "a.exr")).rejects.toThrow("more than the 64 MiB that are read");
  });
});
