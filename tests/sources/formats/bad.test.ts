import { encode } from "fast-png";
import { describe, expect, test } from "vitest";
import { openRecording, SourceError } from "../../../sources/index.ts";
import {
  type Contents,
  colorPng,
  depthPng,
  depthValues,
  failure,
  sevenScenesContents,
  tarOf,
  tgzOf,
  tumContents,
  useFolder,
  zipOf,
} from "../fixtures.ts";

const disk = useFolder();
const greyPng = encode({ width: 1, height: 1, channels: 1, depth: 8, data: new Uint8Array([7]) });

describe("an input without a recording:", () => {
  test("openRecording names a path that does not exist", async () => {
    expect(await failure(`${disk.root}/nowhere`)).toBe("nowhere: there is no such file or folder; check the path");
  });

  test("openRecording names the addresses that can be read", async () => {
    expect(await failure("ftp://machine/a.bag")).toBe(
      "ftp://machine/a.bag: of addresses, only https:, http: and s3: can be read; download it, and give its path",
    );
  });

  test.each([
    ["an empty folder", () => disk.folder({}), /^recording: it is empty; choose the folder or archive/],
    ["an empty file", () => disk.file("a.zip", ""), /^a\.zip: this file is empty; copy or download it again/],
    ["an empty zip", () => disk.file("a.zip", zipOf({})), /^a\.zip: it is empty/],
    ["an empty tar", () => disk.file("a.tar", tarOf({ "a/": "" })), /^a\.tar: it is empty/],
    [
      "a folder of something else",
      () => disk.folder({ "a.jpg": "x", "b.txt": "x" }),
      /^recording: it holds one photograph \(a\.jpg\) and one text \(b\.txt\) and no depth; choose the folder, archive or file that a depth/,
    ],
    [
      "a folder of photographs",
      () => disk.folder({ "IMG_1.JPG": "x", "2026/clip.mov": "x", ".DS_Store": "x" }),
      /^recording: it holds one photograph \(IMG_1\.JPG\) and one film \(2026\/clip\.mov\) and no depth; choose/,
    ],
    [
      "a file of something else",
      () => disk.file("a.xyz", "hello\0"),
      /^a\.xyz: it is no recording, by its first bytes; choose one of these: MCAP, .*, a folder, \.zip, \.tar or \.tgz of images$/,
    ],
    ["a text called .zip", () => disk.file("a.zip", "hello"), /^a\.zip: it is no archive, whatever its name says/],
    [
      "a text called .bag",
      () => disk.file("a.bag", "hello"),
      /^a\.bag: it is no ROS bag, whatever its name says, or a damaged one; copy or/,
    ],
    [
      "a text",
      () => disk.file("notes.txt", "hello"),
      /^notes\.txt: it is a text, which is not read; choose the folder/,
    ],
    [
      "a document",
      () => disk.file("a.pdf", "%PDF-1.4"),
      /^a\.pdf: it is a document \(PDF\), which is not read; choose/,
    ],
    ["a sound", () => disk.file("a.wav", "RIFF1234WAVEfmt "), /^a\.wav: it is a sound, which is not read/],
    [
      "photographs",
      () => disk.folder({ "1.jpg": "x", "2.jpg": "x" }),
      /^recording: it holds 2 photographs \(1\.jpg …\) and no/,
    ],
    [
      "a zip of one photograph",
      () => disk.file("photos.zip", zipOf({ "photo.png": colorPng(1) })),
      /^photos\.zip: it holds one photograph \(photo\.png, 8 bits\) and no depth; choose the folder, archive or file/,
    ],
    [
      "a document of an office program",
      () => disk.file("a.docx", zipOf({ "[Content_Types].xml": "x" })),
      /^a\.docx: it is a document of an/,
    ],
    ["a web page", () => disk.file("a.mcap", "\n<!DOCTYPE html>\n<p>404"), /^a\.mcap: it is a web page/],
    [
      "Git LFS's stand-in",
      () => disk.file("a.bag", "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n"),
      /^a\.bag: it is a pointer of Git LFS, .*"git lfs pull"/,
    ],
    [
      "an MCAP that ends at once",
      () => disk.file("a.mcap", Buffer.from("\x89MCAP0\r\n", "latin1")),
      /^a\.mcap: it was not finished \(its end is missing\), and no depth image is in it; copy or download it again$/,
    ],
    [
      "a scene of 7-Scenes",
      () => disk.file("chess.zip", zipOf({ "chess/seq-01.zip": "x", "chess/seq-02.zip": "x" })),
      /^chess\.zip: it holds archives, each a recording \(chess\/seq-01\.zip, chess\/seq-02\.zip\); unpack it and open one of those$/,
    ],
    [
      "several sequences",
      () => disk.folder({ ...sevenScenesContents(1, "seq-01/"), ...sevenScenesContents(1, "seq-02/") }),
      /^recording: it holds 2 recordings \(seq-01, seq-02\); open one of them/,
    ],
    [
      "several recordings of different kinds",
      () => disk.folder({ ...tumContents(1, "a/"), "b/recording.json": "{}", "b/depth/0.png": greyPng }),
      /^recording: it holds 2 recordings \(a, b\); open one of them/,
    ],
  ])("openRecording refuses %s with a reason", async (_, make, message) => {
    expect(await failure(make())).toMatch(message);
  });

  test("openRecording refuses a `format` that the folder does not have, and one that does not exist", async () => {
    const path = disk.folder(tumContents(1));
    expect(await failure(path, { format: "7scenes" })).toMatch(
      /^recording: no recording is in it \(looked for frame-000000\.depth\.png\)/,
    );
    expect(await failure(path, { format: "bmp" })).toMatch(/^there is no format "bmp"; there are tum, .*png.*, mcap/);
    expect(await failure(path, { format: "mcap" })).toMatch(
      /^recording: the format mcap is that of one file, and this is a folder or an archive: name the file in it/,
    );
  });
});

describe("depth.txt of a TUM folder", () => {
  const withList = (text: string): Contents => ({
    "rec/depth.txt": text,
    "rec/rgb.txt": "",
    "rec/depth/1.png": depthPng(depthValues(0)),
  });
  const missing = withList("# depth\n1.0 depth/1.png\n2.0 depth/2.png\n");
  const sentence = "/rec/depth.txt, line 3: it names depth/2.png, which is missing; add that file or remove the line";

  test.each([
    ["folder", (contents: Contents) => disk.folder(contents, "x")],
    ["zip", (contents: Contents) => disk.file("x", zipOf(contents))],
    ["tgz", (contents: Contents) => disk.file("x", tgzOf(contents))],
    ["tar", (contents: Contents) => disk.file("x", tarOf(contents))],
  ])("that names a missing file, in a %s, is refused with its line", async (_, pack) => {
    expect(await failure(pack(missing))).toBe(`x${sentence}`);
  });

  test.each([
    ["one depth/1.png", /line 1: a time in seconds comes first, not "one depth\/1\.png"; correct or remove the line$/],
    ["#\n\n1.0", /line 3: a time and the name of an image are expected/],
    ["1.0 depth/1.png 1.0 rgb/1.png", /line 1: a time and the name of an image are expected, not "depth\/1\.png 1/],
    ["1.0 ../../secret.png", /line 1: .*"\.\.\/\.\.\/secret\.png"/],
    ["# nothing\n", /rec\/depth\.txt: it lists no image; /],
  ])("that holds %j is refused with a reason", async (text, message) => {
    expect(await failure(disk.folder(withList(text)))).toMatch(message);
  });

  test("whose times go back plays in the order of times, and a warning names the first such line", async () => {
    const image = { "rec/depth/1.png": depthPng(depthValues(0)) };
    const list = (times: readonly number[]) => times.map((time) => `${time} depth/1.png\n`).join("");
    const write = (text: string) => disk.folder({ ...image, "rec/depth.txt": text, "rec/rgb.txt": "" });
    const folder = write(`# depth\n${list([1, 3, 2, 2, 4, 0.5])}`);
    const recording = await disk.open(folder);
    expect([0, 1, 2, 3, 4, 5].map((i) => recording.timestampOf(i))).toEqual([500, 1000, 2000, 2000, 3000, 4000]);
    expect(recording.warnings).toContainEqual(
      `${folder}/rec/depth.txt, line 4: its time, 2 s, is earlier than the line before's, as in 1 more of its lines; lines are taken in the order of their times`,
    );
    const ordered = await disk.open(write(list([1, 2, 2, 3])));
    expect(ordered.warnings.filter((line) => line.includes("earlier"))).toEqual([]);
  });

  test("opens beside a damaged groundtruth.txt; pose() names the damaged line", async () => {
    const recording = await disk.open(disk.folder({ ...tumContents(1), "groundtruth.txt": "# t\n1.0 2 3\n" }));
    await expect(recording.pose(0)).rejects.toThrow(
      /groundtruth\.txt, line 2: a time, tx ty tz and qx qy qz qw are expected/,
    );
  });
});

const described = (text: string) => disk.folder({ "recording.json": text, "0.png": depthPng(depthValues(0)) });
test.each([
  ['{ "fps": 30', /^recording\/recording\.json: this is not JSON: /],
  ["[1]", /^recording\/recording\.json: it must hold one object/],
  ['{ "metresPerUnit": 0 }', /^recording\/recording\.json: metresPerUnit must be a number from 1e-9 to 1, not 0$/],
  ['{ "fps": "fast" }', /^recording\/recording\.json: fps must be a number from 0\.000001 to 1000000, not "fast"$/],
  ['{ "invalid": [70000] }', /invalid must be a list of whole numbers from 0 to 65535, each once, not \[70000\]$/],
  ['{ "intrinsics": { "fx": 500 } }', /intrinsics must be \{ .* \} in pixels, fx and fy from .*, not \{"fx":500\}$/],
  ['{ "depth": "z/*.png" }', /^recording\/recording\.json: no image is named z\/\*\.png; correct "depth"/],
])("openRecording refuses a recording.json that holds %s", async (text, message) => {
  expect(await failure(described(text))).toMatch(message);
});

describe("a recording", () => {
  test("refuses to read a frame that it does not have, and any frame after close()", async () => {
    const recording = await openRecording(disk.folder({ "0.png": depthPng(depthValues(0)) }, "one"));
    await expect(recording.read(1)).rejects.toThrow(/one: there is no frame 1: it has 1, counted from 0$/);
    await expect(recording.read("0" as never)).rejects.toThrow(/there is no frame "0": it has 1, counted from 0$/);
    await expect(recording.read(-1)).rejects.toThrow(SourceError);
    await expect(recording.read(0.5)).rejects.toThrow(SourceError);
    await recording.close();
    await recording.close();
    await expect(recording.read(0)).rejects.toThrow(/one: it was closed$/);
  });

  test.each([
    ["8-bit greyscale", greyPng, "an 8-bit greyscale PNG, as infrared images are, and"],
    ["RGB", colorPng(0), "an 8-bit RGB PNG"],
  ])("of %s PNGs is refused by its first frame", async (_, png, kind) => {
    const message = await failure(disk.folder({ "depth/0.png": png }));
    expect(message).toContain("recording/depth/0.png: this is");
    expect(message).toContain(kind);
    expect(message).toContain("depth needs 16-bit greyscale; if depth is in other files, name them in recording.json");
  });

  test("with one damaged frame still reads the other frames", async () => {
    const png = depthPng(depthValues(1));
    const path = disk.folder({
      "0.png": depthPng(depthValues(0)),
      "1.png": png.subarray(0, 60),
      "2.png": depthPng(depthValues(2)),
    });
    const recording = await openRecording(path);
    expect((await recording.read(0)).depth.data).toEqual(depthValues(0));
    await expect(recording.read(1)).rejects.toThrow(
      /1\.png: this PNG is cut short: at byte 33 only 27 bytes are left; copy/,
    );
    expect((await recording.read(2)).depth.data).toEqual(depthValues(2));
  });
});
