import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { gzipSync, zlibSync } from "fflate";
import { describe, expect, test } from "vitest";
import { openRecording, SourceError } from "../../sources/index.ts";
import { depthPng, depthValues, failure, HEIGHT, tarPart, useFolder, WIDTH } from "../sources/fixtures.ts";
import { pngOf } from "./png.ts";

// Small files that were crafted to keep a reader busy for ever or to fill the memory. A reader that falls for one fails its test.

const disk = useFolder();
const good = depthPng(depthValues(0));
const described = (fields: string, name = "0.png") => disk.folder({ "recording.json": fields, [name]: good });

describe("a crafted depth.txt", () => {
  test("with 20,000 equal times, beside an rgb.txt of the same, opens with 20,000 frames", async () => {
    const list = (name: string) => `1.5 ${name}\n`.repeat(20_000);
    const path = disk.folder({ "depth.txt": list("0.png"), "rgb.txt": list("1.png"), "0.png": good });
    const recording = await disk.open(path);
    expect(recording.length).toBe(20_000);
  });

  test.each([
    ["with a line of a million words", `1 ${"a ".repeat(1e6)}`, /line 1: up to 1000 characters are expected/],
    ["with more than 500,000 lines", "1 0.png\n".repeat(500_001), /line 500001: a list has 500000 lines at most/],
    ["with times in nanoseconds", "1305031453359684000 0.png", /line 1: a time in seconds comes first/],
  ])("%s is refused with its line", async (_, text, message) => {
    expect(await failure(disk.folder({ "depth.txt": text, "0.png": good }))).toMatch(message);
  });
});

describe("a crafted recording.json", () => {
  test("with a pattern of 60 stars is refused, and the match does not take for ever", async () => {
    const name = `${"a".repeat(200)}.png`;
    const path = described(JSON.stringify({ depth: `${"*a".repeat(60)}b.png` }), name);
    expect(await failure(path)).toMatch(/no image is named \*a\*a.{0,200}; correct "depth"/);
  });

  test("with all 65,536 values invalid opens, and no pixel is valid", async () => {
    const invalid = Array.from({ length: 65536 }, (_, i) => i);
    const recording = await disk.open(described(JSON.stringify({ invalid })));
    expect((await recording.read(0)).depth.data).toEqual(new Uint16Array(WIDTH * HEIGHT));
    expect(recording.facts.find(({ what }) => what === "invalid")?.value).toHaveLength(63);
  });

  test.each([
    [
      "with 200,000 nested lists",
      `{ "fps": ${"[".repeat(200_000)}${"]".repeat(200_000)} }`,
      /fps must be a number .*, not \[{3}…\]{3}$/,
    ],
    ["with a long path", `{ "depth": "${"a".repeat(1e6)}" }`, /depth must be a path .* not "a{40} … a{20}"$/],
    ["of more than 1 MiB", " ".repeat(2 ** 20 + 1), /json: it has 1048577 bytes, and .* 1048576 at most/],
    ["with an enormous unit", '{ "metresPerUnit": 1e300 }', /metresPerUnit must be a number from 1e-9 to 1/],
    [
      "with a focal length of 1e-300",
      '{ "intrinsics": { "fx": 1e-300, "fy": 1, "cx": 0, "cy": 0 } }',
      /intrinsics must be .*"fx":1e-300/,
    ],
  ])("%s is refused with a short message", async (_, text, message) => {
    expect(await failure(described(text))).toMatch(message);
  });
});

/** A PNG of `side` × `side` zeros, which packs a megabyte into a kilobyte. */
const black = (side: number) => pngOf(side, side, zlibSync(new Uint8Array(side * (2 * side + 1)), { level: 9 }));

test("a crafted image of more than 16 megapixels is refused before unpacking, unless maxMegapixels allows it", async () => {
  const path = disk.folder({ "0.png": pngOf(8192, 8192, new Uint8Array(0)) });
  expect(await failure(path)).toMatch(
    /0\.png: this PNG is declared as 8192×8192; images of 0 or of more than 16 megapixels/,
  );
  expect(await failure(path, { maxMegapixels: 64 })).toMatch(/its compressed data ends too early/);
  const small = disk.folder({ "0.png": black(64) });
  expect(await failure(small, { maxMegapixels: 0.003 })).toMatch(/64×64; .* more than 0\.003 megapixels/);
  const recording = await disk.open(small, { maxMegapixels: 64 ** 2 / 2 ** 20 });
  expect((await recording.read(0)).depth.shape).toEqual([64, 64]);
});

describe("a crafted archive", () => {
  const tgz = (...parts: Buffer[]) => disk.file("a.tgz", gzipSync(Buffer.concat(parts), { level: 1 }));
  const tar = (...parts: Buffer[]) => disk.file("a.tar", Buffer.concat(parts));
  const end = Buffer.alloc(1024);

  test("with a pax header of newlines opens", async () => {
    const newlines = Buffer.alloc(2 ** 20, "\n5 ");
    for (const pack of [tar, tgz]) {
      const path = pack(tarPart("PaxHeader", newlines, "x"), tarPart("0.png", good), end);
      const recording = await disk.open(path);
      expect(recording.length).toBe(1);
    }
  });

  test("with control characters in a name is refused, and the message has none of them", async () => {
    const message = await failure(tar(tarPart("depth/a\n\x1b[2J\x9b1m.png", good.subarray(0, 40)), end));
    expect(message).toMatch(/^a\.tar\/depth\/a\ufffd\ufffd\[2J.*1m\.png: /);
    expect(message).not.toMatch(/\p{Cc}/u);
  });

  test("with a name of half a megabyte is refused, and the message shortens the name", async () => {
    const name = `../${"x".repeat(2 ** 19)}`;
    const record = ` path=${name}\n`;
    const attributes = `${record.length + 6}${record}`;
    const message = await failure(tar(tarPart("PaxHeader", attributes, "x"), tarPart("0.png", good), end));
    expect(message).toMatch(/^a\.tar: it holds a file whose path leads out of it, "\.\.\/x+ … x+"; such an archive/);
  });
});

test.skipIf(process.platform === "win32")("openRecording refuses a named pipe and /dev/zero", async () => {
  const path = join(disk.root, "pipe");
  execFileSync("mkfifo", [path]);
  const { message } = await openRecording(path).then(
    () => new Error("it was opened"),
    (error: Error) => error,
  );
  expect(message).toMatch(/pipe: this is neither a file nor a folder; copy its contents into a file first$/);
  await expect(openRecording("/dev/zero")).rejects.toThrow(SourceError);
});
