import { encode } from "fast-png";
import { describe, expect, test } from "vitest";
import { openRecording } from "../../../sources/index.ts";
import { type Contents, colorPng, depthPng, depthValues, HEIGHT, tgzOf, useFolder, WIDTH, zipOf } from "../fixtures.ts";

// Folders of PNGs without a recording.json: which PNGs are depth, and which are colour.

const disk = useFolder();

describe("a folder of PNGs without recording.json", () => {
  const eight = encode({ width: WIDTH, height: HEIGHT, channels: 1, depth: 8, data: new Uint8Array(WIDTH * HEIGHT) });
  const depths = (folder = "") => ({
    [`${folder}0.png`]: depthPng(depthValues(0)),
    [`${folder}1.png`]: depthPng(depthValues(1)),
  });

  test.each(["", "depth/"])(
    "leaves out the PNGs in '%s' that are not 16-bit greyscale, with a warning",
    async (place) => {
      const contents = { ...depths(place), [`${place}2.png`]: eight, [`${place}preview.png`]: colorPng(0) };
      for (const path of [
        disk.folder(contents),
        disk.file("a.zip", zipOf(contents)),
        disk.file("a.tgz", tgzOf(contents)),
      ]) {
        const recording = await disk.open(path);
        expect(recording.length).toBe(2);
        for (const i of [0, 1]) expect((await recording.read(i)).depth.data).toEqual(depthValues(i));
        const [warning] = recording.warnings.filter((line) => line.includes("left out"));
        expect(warning).toContain(
          `2 PNGs are not 16-bit greyscale and so not depth: left out (${place}2.png, ${place}pre`,
        );
      }
    },
  );

  test("with 70 depth images leaves out the images whose names have another pattern", async () => {
    const png = depthPng(depthValues(0));
    const contents: Contents = { "preview 1.png": eight, "preview 2.png": eight };
    for (let i = 0; i < 70; i++) contents[`depth-${i}.png`] = png;
    const recording = await disk.open(disk.file("long.zip", zipOf(contents, 0)));
    expect(recording.length).toBe(70);
  });

  test.each([
    [
      "0001 0002 0004 0005 0006",
      "1 image missing by the numbers in the names, the first after 0002.png: the images after it play 33 ms too early",
    ],
    [
      "a1 a2 a3 a9 a10 a11 a13 a14",
      "6 images missing by the numbers in the names, the first after a3.png: the images after it play up to 200 ms too early",
    ],
    ["0 1 2 3", undefined],
    ["0 5 10 15", undefined],
    ["0 5 9 31 32", undefined],
    ["first second third", undefined],
  ])("called %s says which images are missing", async (stems, told) => {
    const contents = Object.fromEntries(stems.split(" ").map((stem) => [`${stem}.png`, depthPng(depthValues(0))]));
    await using recording = await openRecording(disk.folder(contents));
    const found = recording.warnings.filter((line) => line.includes("missing by"));
    expect(found).toEqual(told === undefined ? [] : [expect.stringContaining(told)]);
  });

  const frameColors = async (contents: Contents) => {
    await using recording = await openRecording(disk.folder(contents));
    const colors = [];
    for (let i = 0; i < recording.length; i++) colors.push((await recording.read(i)).color?.data[0]);
    const told = recording.warnings.filter((line) => line.includes("colour"));
    return { colors, told, fact: recording.facts.find(({ what }) => what === "colour") };
  };

  test.each(["rgb", "color", "colour", "image", "images"])("takes %s/ for colour, with a warning", async (folder) => {
    const colors = { [`${folder}/0001.png`]: colorPng(50), [`${folder}/0000.png`]: colorPng(90) };
    const found = await frameColors({ ...depths("depth/"), ...colors });
    expect(found.colors).toEqual([90, 50]);
    expect(found.told).toEqual([
      expect.stringContaining(
        `the images in ${folder}/ are used as the colour of depth, paired by their names, as if registered to it`,
      ),
    ]);
    expect(found.fact).toEqual({ what: "colour", value: "all frames", from: "files" });
  });

  test("pairs colour with depth by the first number in the names, or else by order if the counts are equal", async () => {
    const depth = (a: string, b: string) => ({ [`depth/${a}`]: depths()["0.png"], [`depth/${b}`]: depths()["1.png"] });
    const redwood = { "rgb/0000001-000000000123.png": colorPng(1), "rgb/0000002-000000033456.png": colorPng(2) };
    const numbered = await frameColors({
      ...depth("0000001-000000000000.png", "0000002-000000033369.png"),
      ...redwood,
      "rgb/0000003-000000066790.png": colorPng(3),
    });
    expect(numbered.colors).toEqual([1, 2]);
    const ordered = await frameColors({
      ...depth("a.png", "b.png"),
      "color/x.png": colorPng(7),
      "color/y.png": colorPng(8),
    });
    expect([ordered.colors, ordered.told]).toEqual([[7, 8], [expect.stringContaining("in their order")]]);
    const strange = await frameColors({ ...depth("a.png", "b.png"), "color/x.png": colorPng(7) });
    expect(strange.colors).toEqual([undefined, undefined]);
    expect(strange.told).toEqual([expect.stringContaining("have no names in common with the 2 depth images")]);
  });
});
