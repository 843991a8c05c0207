import { pathToFileURL } from "node:url";
import { decode } from "fast-png";
import { firstValueFrom, toArray } from "rxjs";
import { describe, expect, test } from "vitest";
import { openRecording } from "../../../sources/index.ts";
import {
  type Contents,
  colorPng,
  depthPng,
  depthValues,
  HEIGHT,
  sevenScenesContents,
  tarOf,
  tgzOf,
  tumContents,
  useFolder,
  WIDTH,
  zipOf,
} from "../fixtures.ts";

const disk = useFolder();

const packings: Record<string, (contents: Contents) => string> = {
  folder: (contents) => disk.folder(contents),
  "stored zip": (contents) => disk.file("recording.zip", zipOf(contents, 0)),
  "deflated zip": (contents) => disk.file("recording.zip", zipOf(contents)),
  tar: (contents) => disk.file("recording.tar", tarOf(contents)),
  tgz: (contents) => disk.file("recording.tgz", tgzOf(contents)),
  "file without its ending": (contents) => disk.file("recording", tgzOf(contents)),
};
/** A folder's recording lies at any depth; each way to pack is tried with one of these. */
const tops = ["", "top/", "a/b/"];
const cases = Object.keys(packings).flatMap((packing, k) =>
  (k === 0 ? tops : [tops[k % 3]]).map((top) => ({ packing, top })),
);

describe.each(cases)("a recording in a $packing, under $top", ({ packing, top }) => {
  test("in TUM's layout comes back exactly", async () => {
    const recording = await disk.open(packings[packing](tumContents(4, top)));
    expect(recording).toMatchObject({ format: "tum", length: 4, fps: 30 });
    expect(recording.warnings).toEqual([expect.stringContaining("no intrinsics are given")]);
    for (const index of [3, 0, 2, 1]) {
      const frame = await recording.read(index);
      expect(frame.depth.data).toEqual(depthValues(index));
      expect(frame.depth.shape).toEqual([HEIGHT, WIDTH]);
      const rgb = decode(colorPng(index)).data;
      const rgba = [...rgb].flatMap((value, i) => (i % 3 === 2 ? [value, 255] : [value]));
      expect([...(frame.color?.data ?? [])]).toEqual(rgba);
      expect(frame.timestamp).toBeCloseTo(100_000 + (index * 1000) / 30, 2);
      expect(recording.timestampOf(index)).toBe(frame.timestamp);
      expect(frame).toMatchObject({ index, metresPerUnit: 1 / 5000 });
      expect(frame.waitUntil).toBeUndefined();
    }
  });

  test("in 7-Scenes' layout comes back exactly, with 65535 as 0", async () => {
    const recording = await disk.open(packings[packing](sevenScenesContents(12, top)));
    expect(recording).toMatchObject({ format: "7scenes", length: 12, fps: 30 });
    for (const index of [11, 2, 0]) {
      const frame = await recording.read(index);
      expect(frame.depth.data).toEqual(depthValues(index));
      expect(frame.color?.shape).toEqual([HEIGHT, WIDTH, 4]);
      expect(frame).toMatchObject({ index, metresPerUnit: 0.001, timestamp: (index * 1000) / 30 });
      expect(await recording.pose(index)).toEqual([1, 0, 0, index, 0, 1, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1]);
    }
  });

  test.each(["", "depth/"])("of plain PNGs in '%s' comes back exactly, with 10.png after 9.png", async (folder) => {
    const contents: Contents = { [`${top}notes.txt`]: "hello" };
    for (let i = 0; i < 12; i++) contents[`${top}${folder}${i + 1}.png`] = depthPng(depthValues(i));
    const recording = await disk.open(packings[packing](contents));
    expect(recording).toMatchObject({ format: "png", length: 12, fps: 30 });
    for (const index of [0, 1, 9, 11]) {
      const frame = await recording.read(index);
      expect(frame.depth.data).toEqual(depthValues(index));
      expect(frame).toMatchObject({ index, metresPerUnit: 0.001, timestamp: (index * 1000) / 30 });
    }
  });
});

describe("a recording", () => {
  const pngs = (description?: object): string =>
    disk.folder({
      "depth/0.png": depthPng(depthValues(0, 4000)),
      "depth/1.png": depthPng(depthValues(1, 4000)),
      ...(description && { "recording.json": JSON.stringify(description) }),
    });

  test("without recording.json has assumed unit, invalid values, rate and lens, with one warning for each", async () => {
    const recording = await openRecording(pngs());
    expect(
      recording.warnings.map((line) => /millimetres|30 frames|only 0|58° horizontal/.exec(line)?.[0]).sort(),
    ).toEqual(["30 frames", "58° horizontal", "millimetres", "only 0"]);
    const { intrinsics, depth } = await recording.read(0);
    expect(depth.data[0]).toBe(4000);
    expect(intrinsics).toMatchObject({ width: WIDTH, height: HEIGHT });
  });

  test.each([
    [640, 360],
    [64, 36],
    [640, 480],
  ])("of %i×%i pixels has an assumed lens with square pixels", async (width, height) => {
    const path = disk.folder({ "0.png": depthPng(new Uint16Array(width * height).fill(1000), width, height) });
    const recording = await disk.open(path);
    const { fx, fy, cx, cy } = (await recording.read(0)).intrinsics;
    expect(fx).toBeCloseTo(width / 2 / Math.tan((29 * Math.PI) / 180), 9);
    expect([fy, cx, cy]).toEqual([fx, (width - 1) / 2, (height - 1) / 2]);
  });

  const described = {
    metresPerUnit: 0.00025,
    invalid: [4000, 65535],
    fps: 10,
    intrinsics: { fx: 9, fy: 8, cx: 3, cy: 2 },
  };
  test("has the unit, invalid values, rate and lens that its recording.json states", async () => {
    const recording = await openRecording(pngs(described));
    expect(recording.warnings).toEqual([]);
    const frame = await recording.read(1);
    expect(frame).toMatchObject({
      metresPerUnit: 0.00025,
      timestamp: 100,
      intrinsics: { ...described.intrinsics, width: WIDTH, height: HEIGHT },
    });
    expect(frame.depth.data[0]).toBe(0);
  });

  test("has the options' unit, rate and lens rather than those of recording.json", async () => {
    const intrinsics = { fx: 1, fy: 2, cx: 3, cy: 4 };
    const recording = await openRecording(pngs(described), { metresPerUnit: 0.5, fps: 50, intrinsics });
    expect(await recording.read(1)).toMatchObject({ metresPerUnit: 0.5, timestamp: 20, intrinsics });
    expect(recording.fps).toBe(50);
  });

  test("has only the depth images that recording.json names; a misspelt field gives a warning", async () => {
    const recording = await openRecording(
      disk.folder({
        "a_color.png": colorPng(0),
        "a_depth.png": depthPng(depthValues(0)),
        "b_depth.png": depthPng(depthValues(1)),
        "recording.json": '{ "depth": "*_depth.png", "metersPerUnit": 1 }',
      }),
    );
    expect(recording.length).toBe(2);
    expect((await recording.read(1)).depth.data).toEqual(depthValues(1));
    expect(recording.warnings[0]).toContain('"metersPerUnit" is not known');
  });

  test("of TUM or 7-Scenes has the data set's lens, scaled, unless recording.json or the options state a lens", async () => {
    const [tum, scenes] = [disk.folder(tumContents(1)), disk.folder(sevenScenesContents(1))];
    const x = WIDTH / 640;
    const camera = async (path: string, options = {}) => {
      await using recording = await openRecording(path, options);
      const { intrinsics } = await recording.read(0);
      return intrinsics;
    };
    const size = { width: WIDTH, height: HEIGHT };
    expect(await camera(tum)).toEqual({ fx: 525 * x, fy: 525 * x, cx: 320 * x - 0.5, cy: HEIGHT / 2 - 0.5, ...size });
    expect(await camera(scenes)).toEqual({
      fx: 585 * x,
      fy: 585 * x,
      cx: 320.5 * x - 0.5,
      cy: 0.5 * x + HEIGHT / 2 - 0.5,
      ...size,
    });
    const intrinsics = { fx: 1, fy: 2, cx: 3, cy: 4 };
    expect(await camera(tum, { intrinsics })).toEqual({ ...intrinsics, ...size });
    const calibrated = disk.folder({ ...tumContents(1), "recording.json": JSON.stringify({ intrinsics }) });
    expect(await camera(calibrated)).toEqual({ ...intrinsics, ...size });
    const packed = disk.file(
      "calibrated.tgz",
      tgzOf({ "recording.json": JSON.stringify({ intrinsics }), ...tumContents(1) }),
    );
    expect(await camera(packed)).toEqual({ ...intrinsics, ...size });
  });

  test("of TUM has the nearest pose within 0.02 s, as a camera-to-world matrix", async () => {
    const recording = await openRecording(disk.folder(tumContents(3)));
    expect(await recording.pose(0)).toEqual([1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1]);
    const quarterTurn = [0, -1, 0, 4, 1, 0, 0, 5, 0, 0, 1, 6, 0, 0, 0, 1];
    const pose = (await recording.pose(1)) ?? [];
    expect(pose.map((value) => Math.round(value * 1e6) / 1e6 + 0)).toEqual(quarterTurn);
    expect(await recording.pose(2)).toBeUndefined();
  });
});

describe("colour", () => {
  test("is left out with the option color: false", async () => {
    const recording = await openRecording(disk.folder(tumContents(1)), { color: false });
    expect((await recording.read(0)).color).toBeUndefined();
  });

  test("with alpha keeps its alpha", async () => {
    const recording = await openRecording(
      disk.folder({ ...sevenScenesContents(1), "frame-000000.color.png": colorPng(9, 4) }),
    );
    expect((await recording.read(0)).color?.data).toEqual(decode(colorPng(9, 4)).data);
  });

  test.each([
    ["of another size", colorPng(0, 3, 14, 10), "is 14×10 and its depth 7×5, so they are not registered"],
    ["with 16 bits", depthPng(depthValues(0)), "is a 16-bit greyscale PNG, not 8-bit RGB"],
  ])("%s is dropped with one warning", async (_, png, reason) => {
    const files = { ...sevenScenesContents(2), "frame-000000.color.png": png, "frame-000001.color.png": png };
    const recording = await openRecording(disk.folder(files));
    const before = recording.warnings.length;
    expect((await recording.read(0)).color).toBeUndefined();
    expect((await recording.read(1)).color).toBeUndefined();
    expect(recording.warnings.slice(before)).toEqual([expect.stringContaining(`frame-000000.color.png ${reason}`)]);
  });

  test("that rgb.txt names but the folder lacks is dropped with a warning", async () => {
    const contents = tumContents(2);
    delete contents["rgb/100.005000.png"];
    const recording = await openRecording(disk.folder(contents));
    expect((await recording.read(0)).color).toBeUndefined();
    expect((await recording.read(1)).color).toBeDefined();
    expect(recording.warnings.slice(1)).toEqual([expect.stringContaining("rgb/100.005000.png is not there")]);
  });
});

test("a frame of another size in the middle of a recording is read with its own size", async () => {
  const recording = await openRecording(
    disk.folder({
      "0.png": depthPng(depthValues(0)),
      "1.png": depthPng(new Uint16Array([1, 2, 3, 4]), 4, 1),
      "2.png": depthPng(depthValues(2)),
    }),
  );
  const frame = await recording.read(1);
  expect(frame.depth.shape).toEqual([1, 4]);
  expect(frame.intrinsics).toMatchObject({ width: 4, height: 1 });
  expect((await recording.read(2)).depth.shape).toEqual([HEIGHT, WIDTH]);
});

test("__MACOSX, ._0.png and .DS_Store beside the frames are no frames", async () => {
  const junk = { "__MACOSX/._0.png": "x", "rec/._0.png": "x", "rec/.DS_Store": "x" };
  const contents = { ...junk, "rec/0.png": depthPng(depthValues(0)) };
  for (const packing of ["folder", "deflated zip", "tgz"]) {
    const recording = await disk.open(packings[packing](contents));
    expect(recording.length).toBe(1);
  }
});

test("frames$ emits every frame with a waitUntil, and ends with a SourceError when the recording is closed", async () => {
  const recording = await disk.open(disk.file("a.zip", zipOf(tumContents(30))));
  const frames = await firstValueFrom(recording.frames$.pipe(toArray()));
  expect(frames.map(({ index }) => index)).toEqual(Array.from({ length: 30 }, (_, i) => i));
  expect(frames[7].depth.data).toEqual(depthValues(7));
  expect(frames.every(({ waitUntil }) => waitUntil)).toBe(true);

  const error = new Promise((resolve) => recording.frames$.subscribe({ error: resolve }));
  await firstValueFrom(recording.frames$);
  await recording.close();
  expect(await error).toMatchObject({ name: "SourceError", message: expect.stringContaining("it was closed") });
});

test("a file's URL opens it, as an object and as a text, also where its path has spaces and signs", async () => {
  const path = disk.file("mit #1 100% é.zip", zipOf(tumContents(2)));
  for (const url of [pathToFileURL(path), pathToFileURL(path).href]) {
    await using recording = await openRecording(url);
    expect(recording.length).toBe(2);
  }
});
