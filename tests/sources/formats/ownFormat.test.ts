import { describe, expect, test } from "vitest";
import { image } from "../../../core/frame.ts";
import { type Format, openRecording, SourceError } from "../../../sources/index.ts";
import { depthPng, useFolder } from "../fixtures.ts";

// A format that a caller defines: "RAW4", then 4 × 1 pixels of u16 in millimetres for each frame.

const disk = useFolder();
const MAGIC = [0x52, 0x41, 0x57, 0x34];
const raw4: Format = {
  name: "raw4",
  sign: "a RAW4 file",
  async open(input) {
    if (input.kind !== "file" || !MAGIC.every((byte, i) => input.head[i] === byte)) return undefined;
    const { file } = input;
    const intrinsics = { fx: 4, fy: 4, cx: 1.5, cy: 0, width: 4, height: 1 };
    return {
      length: (file.size - 4) / 8,
      fps: 30,
      warnings: [],
      facts: [],
      timestampOf: (index) => (index * 1000) / 30,
      pose: async () => undefined,
      async read(index) {
        const bytes = await file.read(4 + 8 * index, 8);
        const depth = image(new Uint16Array(bytes.slice().buffer), [1, 4]);
        return { depth, metresPerUnit: 0.001, intrinsics, timestamp: (index * 1000) / 30, index };
      },
    };
  },
};
const bytes = new Uint8Array([...MAGIC, ...new Uint8Array(new Uint16Array([1, 2, 3, 4, 5, 6, 7, 8]).buffer)]);

describe("a format of the caller's own", () => {
  test("opens a file that no format of Depthloom opens", async () => {
    const path = disk.file("two.raw4", bytes);
    const recording = await disk.open(path, { formats: [raw4] });
    expect([recording.format, recording.length]).toEqual(["raw4", 2]);
    expect([...(await recording.read(1)).depth.data]).toEqual([5, 6, 7, 8]);
    await expect(openRecording(path)).rejects.toThrow(SourceError);
  });

  test("leaves the inputs that it does not recognise to Depthloom's formats", async () => {
    const known = disk.folder({ "depth/1.png": depthPng(new Uint16Array([7]), 1, 1) });
    const recording = await disk.open(known, { formats: [raw4], fps: 30 });
    expect([recording.format, [...(await recording.read(0)).depth.data]]).toEqual(["png", [7]]);
    const path = disk.file("two.raw4", bytes);
    await expect(openRecording(path, { formats: [raw4], format: "tum" })).rejects.toThrow(SourceError);
  });

  test("is named where the option format names none that there is, and where it does not recognise what it is asked for", async () => {
    const open = (format: string, name: string) =>
      openRecording(disk.file(name, name === "two.raw4" ? bytes : "other"), { formats: [raw4], format });
    await expect(open("raw5", "two.raw4")).rejects.toThrow(/^there is no format "raw5"; there are raw4, tum, /);
    await expect(open("raw4", "other.bin")).rejects.toThrow(
      /other\.bin: the format raw4, one of the option formats, does not recognise it$/,
    );
    await using recording = await open("raw4", "two.raw4");
    expect(recording.format).toBe("raw4");
  });
});
