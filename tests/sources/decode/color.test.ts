import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type OpenOptions, openRecording } from "../../../sources/index.ts";
import { writePngFolder } from "../../../write/index.ts";
import {
  type Contents,
  colorPng,
  depthPng,
  depthValues,
  sevenScenesContents,
  tgzOf,
  tumContents,
  useFolder,
  zipOf,
} from "../fixtures.ts";
import { depths } from "../opening.ts";

// The colour image of each depth image: chosen by recording.json, or by the names of the images.

const disk = useFolder();

/** The shade (see `colorPng`) of each frame's colour, with the recording's warnings and its fact about colour. */
async function shadesOf(path: string, options: OpenOptions = {}) {
  await using recording = await openRecording(path, options);
  const shades: (number | undefined)[] = [];
  for (let i = 0; i < recording.length; i++) shades.push((await recording.read(i)).color?.data[0]);
  const fact = recording.facts.find(({ what }) => what === "colour");
  return { shades, warnings: recording.warnings, fact: `${fact?.value} (${fact?.from})`, recording };
}

describe("colour that recording.json names", () => {
  const meaning = { metresPerUnit: 0.001, invalid: [0], fps: 30, intrinsics: { fx: 9, fy: 8, cx: 3, cy: 2 } };
  const depth = depths(3, (i) => `depth/${["008", "009", "010"][i]}.png`);
  const pack = (files: Contents, said: object) =>
    disk.folder({ ...depth, ...files, "recording.json": JSON.stringify({ ...meaning, ...said }) });

  test.each<[string, Contents, object, (number | undefined)[], string]>([
    [
      "by the numbers in the names",
      { "color/8.png": colorPng(8), "color/9.png": colorPng(9), "color/10.png": colorPng(10) },
      { color: "color/*.png" },
      [8, 9, 10],
      "all frames (recording.json)",
    ],
    [
      "by the numbers, for some of the frames only",
      { "c/9_rgb.png": colorPng(9) },
      { color: "c/*_rgb.png", depth: "depth/*.png" },
      [undefined, 9, undefined],
      "1 of 3 frames (recording.json)",
    ],
    [
      "in order, since the counts are equal and no number is shared",
      { "color/100.png": colorPng(1), "color/300.png": colorPng(3), "color/200.png": colorPng(2) },
      { color: "color/*.png" },
      [1, 2, 3],
      "all frames (recording.json)",
    ],
  ])("is paired with depth %s", async (_, files, said, shades, fact) => {
    expect(await shadesOf(pack(files, { ...said, registered: true }))).toMatchObject({ shades, fact, warnings: [] });
  });

  test.each<[string, Contents, object, RegExp]>([
    [
      "that is not registered",
      { "color/008.png": colorPng(8) },
      { color: "color/*.png", registered: false },
      /^recording\.json says that colour is not registered to depth: frames go without colour/,
    ],
    [
      "of another image format",
      { "color/008.webp": "x" },
      { color: "color/*.webp", registered: true },
      /recording\.json: colour is read from PNGs and JPEGs, and color\/008\.webp is neither: convert them; frames go without colour$/,
    ],
    [
      "that does not exist",
      {},
      { color: "colour/*.png", registered: true },
      /recording\.json: no file is named colour\/\*\.png: correct "color"; frames go without colour$/,
    ],
    [
      "that belongs to no frame",
      { "color/1.png": colorPng(1), "color/2.png": colorPng(2) },
      { color: "color/*.png", registered: true },
      /of 3 depth and 2 colour images no two have matching names; frames go without colour$/,
    ],
  ])("%s is left out with a warning", async (_, files, said, warning) => {
    const { shades, warnings, fact } = await shadesOf(pack(files, said));
    expect(shades).toEqual([undefined, undefined, undefined]);
    expect(warnings).toEqual([expect.stringMatching(warning)]);
    expect(fact).toBe("none (recording.json)");
  });

  test("of another size than depth is left out with one warning", async () => {
    const files = { "color/008.png": colorPng(8, 3, 14, 10), "color/009.png": colorPng(9, 3, 14, 10) };
    const { shades, warnings } = await shadesOf(pack(files, { color: "color/*.png", registered: true }));
    expect(shades).toEqual([undefined, undefined, undefined]);
    const why = "color/008.png is 14×10 and its depth 7×5, so they are not registered";
    expect(warnings).toEqual([expect.stringContaining(why)]);
  });

  test.each([
    ['{ "color": 3 }', /color must be a path with stars, such as "color\/\*\.png", not 3$/],
    ['{ "registered": "yes" }', /registered must be true or false, not "yes"$/],
  ])("is refused for a recording.json of %s", async (text, message) => {
    await expect(openRecording(disk.folder({ ...depth, "recording.json": text }))).rejects.toThrow(message);
  });

  test("comes back from a folder that writePngFolder wrote", async () => {
    await using recording = await openRecording(disk.folder(tumContents(3)));
    const path = join(disk.root, "written");
    await writePngFolder(recording, path);
    const again = await shadesOf(path);
    expect(again).toMatchObject({ shades: [0, 1, 2], warnings: [], fact: "all frames (recording.json)" });
  });

  test("is used or left out by `registered` in 7-Scenes and TUM folders too", async () => {
    const unregistered = { ...sevenScenesContents(2), "recording.json": '{ "registered": false }' };
    expect(await shadesOf(disk.folder(unregistered))).toMatchObject({
      shades: [undefined, undefined],
      warnings: [expect.stringContaining("says that colour is not registered")],
      fact: "none (recording.json)",
    });
    const registered = { ...sevenScenesContents(2), "recording.json": '{ "registered": true }' };
    expect(await shadesOf(disk.folder(registered))).toMatchObject({ shades: [0, 1], warnings: [] });
    const tum = { ...tumContents(2), "recording.json": '{ "registered": false }' };
    expect((await shadesOf(disk.folder(tum))).shades).toEqual([undefined, undefined]);
  });
});

describe("a TUM folder without its lists", () => {
  const without = (contents: Contents, ...names: string[]): Contents =>
    Object.fromEntries(Object.entries(contents).filter(([name]) => !names.some((end) => name.endsWith(end))));
  const lens = /no intrinsics are given: .* are assumed \(fx 525/;

  test.each([
    ["folder", (contents: Contents) => disk.folder(contents)],
    ["zip", (contents: Contents) => disk.file("a.zip", zipOf(contents))],
    ["tgz", (contents: Contents) => disk.file("a.tgz", tgzOf(contents))],
  ])("is read by the names of its images, in a %s", async (_, pack) => {
    const { shades, warnings, fact, recording } = await shadesOf(
      pack(without(tumContents(4, "top/"), "depth.txt", "rgb.txt")),
    );
    expect(recording).toMatchObject({ format: "tum", length: 4, fps: 30 });
    expect([shades, fact]).toEqual([[0, 1, 2, 3], "all frames (files)"]);
    expect(recording.facts).toContainEqual({ what: "unit", value: "0.2 mm", from: "TUM default" });
    expect(warnings).toEqual([
      expect.stringMatching(/top: there is no depth\.txt and no rgb\.txt: the images in depth\/ and rgb\/ have times/),
      expect.stringMatching(lens),
    ]);
  });

  test("has the times in its names, and the poses of groundtruth.txt", async () => {
    const contents = without(tumContents(12), "depth.txt", "rgb.txt");
    const recording = await disk.open(disk.folder(contents));
    const frame = await recording.read(10);
    expect(frame.depth.data).toEqual(depthValues(10));
    expect(frame).toMatchObject({ metresPerUnit: 1 / 5000, intrinsics: { fx: (525 * 7) / 640 } });
    expect(frame.timestamp).toBeCloseTo(100_333.333, 2);
    expect((await recording.pose(0))?.[3]).toBe(1);
  });

  test.each<[string, Contents, RegExp | undefined, (number | undefined)[]]>([
    ["but with depth.txt", without(tumContents(2), "rgb.txt"), /there is no rgb\.txt: the images in rgb\//, [0, 1]],
    ["but with rgb.txt", without(tumContents(2), "depth.txt"), /there is no depth\.txt: the images in depth\//, [0, 1]],
    [
      "and without colour",
      Object.fromEntries(Object.entries(tumContents(2)).filter(([name]) => /^(depth\/|groundtruth)/.test(name))),
      /there is no depth\.txt: the images in depth\/ have/,
      [undefined, undefined],
    ],
  ])("(%s) is read with a warning", async (_, contents, warning, expected) => {
    const { shades, warnings, recording } = await shadesOf(disk.folder(contents));
    expect([shades, recording.format]).toEqual([expected, "tum"]);
    expect(warnings).toEqual([expect.stringMatching(warning ?? ""), expect.stringMatching(lens)]);
  });

  test("takes the lens of a recording.json; a recording.json with `depth` makes it a folder of PNGs", async () => {
    const contents = without(tumContents(2), "depth.txt", "rgb.txt");
    const lensOnly = '{ "intrinsics": { "fx": 9, "fy": 8, "cx": 3, "cy": 2 } }';
    const calibrated = await openRecording(disk.folder({ ...contents, "recording.json": lensOnly }));
    expect(calibrated).toMatchObject({ format: "tum", warnings: [expect.stringContaining("there is no depth.txt")] });
    expect(await calibrated.read(0)).toMatchObject({ metresPerUnit: 1 / 5000, intrinsics: { fx: 9 } });
    const named = '{ "depth": "depth/*.png" }';
    expect(await openRecording(disk.folder({ ...contents, "recording.json": named }))).toMatchObject({ format: "png" });
  });

  test.each(["000001.png", "1305031102160407.png", "a.160407.png", "1.5.png"])(
    "is read as a folder of PNGs if it holds depth/%s, whose name is no time",
    async (name) => {
      const contents = {
        ...without(tumContents(2), "depth.txt", "rgb.txt"),
        [`depth/${name}`]: depthPng(depthValues(0)),
      };
      expect(await openRecording(disk.folder(contents))).toMatchObject({ format: "png", length: 3 });
    },
  );
});

describe("the frame rate of a TUM folder", () => {
  const listed = (seconds: readonly (number | string)[]): Contents => ({
    "depth.txt": seconds.map((time, i) => `${time} depth/${i}.png\n`).join(""),
    "rgb.txt": seconds.map((time, i) => `${time} rgb/${i}.png\n`).join(""),
    ...Object.fromEntries(seconds.map((_, i) => [`depth/${i}.png`, depthPng(depthValues(i))])),
    ...Object.fromEntries(seconds.map((_, i) => [`rgb/${i}.png`, colorPng(i)])),
  });

  test.each([
    [[0, 25, 50, 75], 0.04],
    [[0, 600], 0.0017],
    [[0, 1.5, 3], 0.67],
    [[0, 0.034, 0.067, 0.1], 30.3],
  ])("with frames at %j s is %d", async (seconds, fps) => {
    const recording = await disk.open(disk.folder(listed(seconds)));
    expect(recording.fps).toBe(fps);
    expect(recording.facts).toContainEqual({ what: "fps", value: String(fps), from: "files" });
  });

  test.each([[[5]], [[7, 7, 7]]])("with frames at %j s is assumed, with a warning", async (seconds) => {
    const recording = await disk.open(disk.folder(listed(seconds)));
    expect(recording.fps).toBe(30);
    expect(recording.warnings).toEqual([
      expect.stringContaining("no frame rate is given"),
      expect.stringContaining("no intrinsics are given"),
    ]);
  });

  test.each(["1e308", "Infinity", "1e999"])("is not computed for a time of %s s: the line is refused", async (time) => {
    const opening = openRecording(disk.folder(listed([1, time])));
    await expect(opening).rejects.toThrow(/depth\.txt, line 2: a time in seconds/);
  });
});
