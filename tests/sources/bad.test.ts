import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { encode } from "fast-png";
import { afterAll, describe, expect, test } from "vitest";
import { openRecording, SourceError } from "../../sources/index.ts";
import type { OpenOptions } from "../../sources/recorded/format.ts";
import {
  type Contents,
  colorPng,
  depthPng,
  depthValues,
  sevenScenesContents,
  tarHeader,
  tarOf,
  tarPart,
  tgzOf,
  tumContents,
  useFolder,
  zipOf,
} from "./fixtures.ts";

const disk = useFolder();
const greyPng = encode({ width: 1, height: 1, channels: 1, depth: 8, data: new Uint8Array([7]) });

/** The message of the `SourceError` that opening and reading every frame ends with, paths shortened to their names. */
async function failure(path: string, options: OpenOptions = {}): Promise<string> {
  try {
    const recording = await openRecording(path, options);
    try {
      for (let i = 0; i < recording.length; i++) await recording.read(i);
    } finally {
      await recording.close();
    }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return error.message.replaceAll(/\S*depthloom-test-\w+\/(\d+\/)?/g, "");
  }
  throw new Error(`${path} was read without an error`);
}

afterAll(() => {
  // Whatever failed, no file may stay open.
  if (!existsSync("/proc/self/fd")) return;
  const targets = readdirSync("/proc/self/fd").map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return "";
    }
  });
  expect(targets.filter((target) => /depthloom-/.test(target))).toEqual([]);
});

describe("nothing to open", () => {
  test("no such path", async () => {
    expect(await failure(`${disk.root}/nowhere`)).toBe("nowhere: there is no such file or folder; check the path");
  });

  test.each([
    ["an empty folder", () => disk.folder({}), /^recording: it is empty; choose the folder or archive/],
    ["an empty file", () => disk.file("a.zip", ""), /^a\.zip: this file is empty; copy or download it again/],
    ["an empty zip", () => disk.file("a.zip", zipOf({})), /^a\.zip: it is empty/],
    ["an empty tar", () => disk.file("a.tar", tarOf({ "a/": "" })), /^a\.tar: it is empty/],
    [
      "a folder of something else",
      () => disk.folder({ "a.jpg": "x", "b.txt": "x" }),
      /^recording: no recording is in it \(looked for depth\.txt, .*it holds a\.jpg, b\.txt$/,
    ],
    ["a file of something else", () => disk.file("a.xyz", "hello"), /^a\.xyz: this is no recording that can be read/],
    ["a text called .zip", () => disk.file("a.zip", "hello"), /^a\.zip: this is no archive, whatever its name says/],
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
  ])("%s", async (_, make, message) => {
    expect(await failure(make())).toMatch(message);
  });

  test("a format that it is not", async () => {
    const path = disk.folder(tumContents(1));
    expect(await failure(path, { format: "7scenes" })).toMatch(
      /^recording: no recording is in it \(looked for frame-000000\.depth\.png\)/,
    );
    expect(await failure(path, { format: "bmp" })).toBe('there is no format "bmp"; there are tum, 7scenes, png');
  });
});

describe("depth.txt", () => {
  const withList = (text: string): Contents => ({
    "rec/depth.txt": text,
    "rec/rgb.txt": "",
    "rec/depth/1.png": depthPng(depthValues(0)),
  });
  const missing = withList("# depth\n1.0 depth/1.png\n2.0 depth/2.png\n");
  const sentence = "/rec/depth.txt, line 3: it names depth/2.png, which is not there; add that file or remove the line";

  test.each([
    ["folder", (contents: Contents) => disk.folder(contents, "x")],
    ["zip", (contents: Contents) => disk.file("x", zipOf(contents))],
    ["tgz", (contents: Contents) => disk.file("x", tgzOf(contents))],
    ["tar", (contents: Contents) => disk.file("x", tarOf(contents))],
  ])("names a missing file, in a %s", async (_, pack) => {
    expect(await failure(pack(missing))).toBe(`x${sentence}`);
  });

  test.each([
    ["one depth/1.png", /line 1: a time in seconds comes first, not "one depth\/1\.png"; correct or remove the line$/],
    ["#\n\n1.0", /line 3: a time and the name of an image are expected/],
    [
      "1.0 depth/1.png 1.0 rgb/1.png",
      /line 1: a time and the name of an image are expected, not "depth\/1\.png 1\.0 rgb/,
    ],
    ["1.0 ../../secret.png", /line 1: .*"\.\.\/\.\.\/secret\.png"/],
    ["# nothing\n", /rec\/depth\.txt: it lists no image$/],
  ])("%j", async (text, message) => {
    expect(await failure(disk.folder(withList(text)))).toMatch(message);
  });

  test("and groundtruth.txt, when poses are asked for", async () => {
    const recording = await openRecording(disk.folder({ ...tumContents(1), "groundtruth.txt": "# t\n1.0 2 3\n" }));
    await expect(recording.pose(0)).rejects.toThrow(
      /groundtruth\.txt, line 2: a time, tx ty tz and qx qy qz qw are expected/,
    );
    await recording.close();
  });
});

describe("archives that would write outside their folder", () => {
  const paths = [
    "../evil.png",
    "a/../../evil.png",
    "/etc/evil.png",
    "C:\\evil.png",
    "..\\evil.png",
    "a/b\\..\\..\\..\\evil.png",
  ];
  test.each(paths)("%j is refused and named", async (path) => {
    const contents = { [path]: depthPng(depthValues(0)), "0.png": depthPng(depthValues(0)) };
    const archives = { "a.zip": zipOf(contents), "a.tar": tarOf(contents), "a.tgz": tgzOf(contents) };
    for (const [name, bytes] of Object.entries(archives)) {
      expect(await failure(disk.file(name, bytes))).toBe(
        `${name}: it holds a file that would leave its folder, ${JSON.stringify(path)}; such an archive is not opened, make it again without that path`,
      );
    }
  });
});

describe("damaged zips", () => {
  const contents = { "0.png": depthPng(depthValues(0)), "1.png": depthPng(depthValues(1)) };
  const zip = (change: (bytes: Buffer) => Buffer | undefined, level: 0 | 6 = 6) => {
    const bytes = Buffer.from(zipOf(contents, level));
    return disk.file("a.zip", change(bytes) ?? bytes);
  };
  const local = (bytes: Buffer) => bytes.indexOf("PK\x03\x04", 1);
  const central = (bytes: Buffer) => bytes.indexOf("PK\x01\x02", bytes.indexOf("PK\x01\x02") + 1);

  test.each([
    [
      "cut short",
      zip((b) => b.subarray(0, -30)),
      /^a\.zip: the end of this zip is missing \(it was cut short or is damaged\); copy/,
    ],
    [
      "its directory overwritten",
      zip((b) => b.fill(0, central(b), central(b) + 4)),
      /^a\.zip: this zip is damaged at byte \d+; copy/,
    ],
    [
      "its directory elsewhere",
      zip((b) => void b.writeUInt32LE(0x7fffffff, b.length - 22 + 16)),
      /^a\.zip: this zip is damaged at byte \d+/,
    ],
    [
      "a file's header overwritten",
      zip((b) => b.fill(0, local(b), local(b) + 4)),
      /^a\.zip: this zip is damaged at byte \d+/,
    ],
    [
      "a stored file changed",
      zip((b) => void b[local(b) + 70]++, 0),
      /^a\.zip\/1\.png: its checksum is wrong \(byte \d+ of the zip\); copy/,
    ],
    [
      "a deflated file changed",
      zip((b) => b.fill(0xff, local(b) + 40, local(b) + 60)),
      /^a\.zip\/1\.png: its compressed data is damaged \(byte \d+/,
    ],
    [
      "a file that unpacks to more than it says",
      zip((b) => void b.writeUInt32LE(10, central(b) + 24)),
      /^a\.zip\/1\.png: it unpacks to more than the 10 bytes it announces/,
    ],
    [
      "a file that unpacks to less",
      zip((b) => void b.writeUInt32LE(10_000, central(b) + 24)),
      /^a\.zip\/1\.png: its compressed data ends too early/,
    ],
    [
      "a file that says it is enormous",
      zip((b) => void b.writeUInt32LE(0x20000000, central(b) + 24)),
      /^a\.zip\/1\.png: 536870912 bytes unpacked are more than the 256 MiB/,
    ],
    [
      "encrypted",
      zip((b) => void b.writeUInt16LE(1, central(b) + 8)),
      /^a\.zip\/1\.png: it is encrypted; unpack the zip/,
    ],
    [
      "packed by another method",
      zip((b) => void b.writeUInt16LE(14, central(b) + 10)),
      /^a\.zip\/1\.png: it is packed by method 14/,
    ],
    [
      "one part of several",
      zip((b) => void b.writeUInt16LE(3, b.length - 22 + 4)),
      /^a\.zip: this zip is one of several parts/,
    ],
  ])("%s", async (_, path, message) => {
    expect(await failure(path)).toMatch(message);
  });
});

describe("damaged tars", () => {
  const frame = (i: number) => tarPart(`${i}.png`, depthPng(depthValues(i)));
  const good = Buffer.concat([frame(0), frame(1), Buffer.alloc(1024)]);
  const second = frame(0).length;
  const broken = Buffer.from(good);
  broken[second + 10]++;

  test.each([
    [
      "tar cut short in a file",
      "a.tar",
      good.subarray(0, second + 520),
      /^a\.tar: this archive is cut short in the file that begins at byte 1024; copy/,
    ],
    [
      "tar cut short in a header",
      "a.tar",
      good.subarray(0, second + 100),
      /^a\.tar: this archive is cut short in the file that begins at byte 1024/,
    ],
    ["tar with a damaged header", "a.tar", broken, /^a\.tar: this tar is damaged at byte 1024; copy/],
    ["tgz of a damaged tar", "a.tgz", gzipSync(broken), /^a\.tgz: this tar is damaged at byte 1024; copy/],
    ["tgz cut short", "a.tgz", gzipSync(good).subarray(0, -60), /^a\.tgz: its compressed data ends too early; copy/],
    [
      "tgz of a tar cut short",
      "a.tgz",
      gzipSync(good.subarray(0, second + 520)),
      /^a\.tgz: this archive is cut short in the file that begins at byte/,
    ],
    [
      "tgz with damaged data",
      "a.tgz",
      Buffer.concat([gzipSync(good).subarray(0, -8), Buffer.alloc(8, 0x55)]),
      /^a\.tgz: its compressed data is damaged; copy/,
    ],
    [
      "gzipped text",
      "a.txt.gz",
      gzipSync("hello ".repeat(200)),
      /^a\.txt\.gz: what is packed in it is no tar; recordings come as/,
    ],
  ])("%s", async (_, name, bytes, message) => {
    expect(await failure(disk.file(name, bytes))).toMatch(message);
  });

  test("an enormous file is passed over, and an error only when asked for", async () => {
    const size = 300 * 2 ** 20;
    const many = Buffer.alloc(2 ** 20);
    const huge = Buffer.concat([tarHeader("depth/2.png", size), ...Array.from({ length: 300 }, () => many)]);
    const start = tarOf({
      "depth.txt": "1 depth/1.png\n2 depth/2.png\n",
      "depth/1.png": depthPng(depthValues(0)),
    }).subarray(0, -1024);
    const tgz = gzipSync(Buffer.concat([start, huge, tarPart("rgb.txt", ""), Buffer.alloc(1024)]), { level: 1 });
    const recording = await openRecording(disk.file("a.tgz", tgz));
    expect((await recording.read(0)).depth.data).toEqual(depthValues(0));
    await expect(recording.read(1)).rejects.toThrow(
      /a\.tgz\/depth\/2\.png: 314572800 bytes unpacked are more than the 256 MiB/,
    );
    await recording.close();
  });
});

describe("recording.json and options", () => {
  const described = (text: string) => disk.folder({ "recording.json": text, "0.png": depthPng(depthValues(0)) });
  test.each([
    ['{ "fps": 30', /^recording\/recording\.json: this is not JSON: /],
    ["[1]", /^recording\/recording\.json: it must hold one object/],
    ['{ "metresPerUnit": 0 }', /^recording\/recording\.json: metresPerUnit must be a number above 0, not 0$/],
    ['{ "fps": "fast" }', /^recording\/recording\.json: fps must be a number above 0, not "fast"$/],
    ['{ "invalid": [70000] }', /invalid must be a list of whole numbers from 0 to 65535, not \[70000\]$/],
    [
      '{ "intrinsics": { "fx": 500 } }',
      /intrinsics must be \{ "fx", "fy", "cx", "cy" \} in pixels, fx and fy above 0, not \{"fx":500\}$/,
    ],
    ['{ "depth": "z/*.png" }', /^recording\/recording\.json: no PNG is called z\/\*\.png; correct "depth"/],
  ])("%s", async (text, message) => {
    expect(await failure(described(text))).toMatch(message);
  });

  test("options", async () => {
    const path = described("{}");
    expect(await failure(path, { metresPerUnit: -1 })).toBe("metresPerUnit must be a number above 0, not -1");
    expect(await failure(path, { fps: Number.NaN })).toBe("fps must be a number above 0, not null");
    expect(await failure(path, { intrinsics: { fx: 1, fy: 0, cx: 0, cy: 0 } })).toMatch(/^intrinsics must be/);
  });
});

describe("a recording", () => {
  test("has the frames it has, until it is closed", async () => {
    const recording = await openRecording(disk.folder({ "0.png": depthPng(depthValues(0)) }, "one"));
    await expect(recording.read(1)).rejects.toThrow(/one: there is no frame 1; it has 1, the first is 0$/);
    await expect(recording.read(-1)).rejects.toThrow(SourceError);
    await expect(recording.read(0.5)).rejects.toThrow(SourceError);
    await recording.close();
    await recording.close();
    await expect(recording.read(0)).rejects.toThrow(/one: it was closed$/);
  });

  test.each([
    ["8-bit greyscale", greyPng, "an 8-bit greyscale PNG"],
    ["RGB", colorPng(0), "an 8-bit RGB PNG"],
  ])("of %s PNGs is refused by its first frame", async (_, png, kind) => {
    const message = await failure(disk.folder({ "depth/0.png": png }));
    expect(message).toContain("recording/depth/0.png: this is");
    expect(message).toContain(kind);
    expect(message).toContain("depth needs 16-bit greyscale; if depth is in other files, name them in recording.json");
  });

  test("with a damaged frame gives the others", async () => {
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

  test("with a damaged colour image says so", async () => {
    const png = colorPng(0);
    png[50] ^= 1;
    const contents = { ...sevenScenesContents(1), "frame-000000.color.png": png };
    expect(await failure(disk.folder(contents))).toMatch(
      /frame-000000\.color\.png: this PNG is damaged: wrong checksum of IDAT at byte 33/,
    );
  });
});
