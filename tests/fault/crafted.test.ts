import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { gzipSync, zlibSync } from "fflate";
import { describe, expect, test } from "vitest";
import { openRecording, SourceError } from "../../sources/index.ts";
import {
  depthPng,
  depthValues,
  failure,
  HEIGHT,
  sealTarHeader,
  tarHeader,
  tarPart,
  useFolder,
  WIDTH,
} from "../sources/fixtures.ts";
import { pngOf } from "./png.ts";

// Small files that were made to take for ever, or all of the memory. None of these tests ends where one of them does.

const disk = useFolder();
const good = depthPng(depthValues(0));
const described = (fields: string, name = "0.png") => disk.folder({ "recording.json": fields, [name]: good });

describe("lists", () => {
  test("20,000 equal times in both: each finds a partner, and not every pair is made", async () => {
    const list = (name: string) => `1.5 ${name}\n`.repeat(20_000);
    const path = disk.folder({ "depth.txt": list("0.png"), "rgb.txt": list("1.png"), "0.png": good });
    const recording = await openRecording(path);
    expect(recording.length).toBe(20_000);
    await recording.close();
  });

  test("64 MiB of newlines are no lines; more is no list", async () => {
    const newlines = (count: number) => Buffer.alloc(count, "\n");
    expect(await failure(disk.folder({ "depth.txt": newlines(2 ** 26), "0.png": good }))).toMatch(
      /it lists no image; /,
    );
    expect(await failure(disk.folder({ "depth.txt": newlines(2 ** 26 + 1), "0.png": good }))).toMatch(
      /depth\.txt: it has 67108865 bytes, and such a file may have 67108864 at most$/,
    );
  });

  test.each([
    ["a line of a million words", `1 ${"a ".repeat(1e6)}`, /line 1: up to 1000 characters are expected/],
    ["more lines than names are held", "1 0.png\n".repeat(500_001), /line 500001: a list has 500000 lines at most/],
    ["nanoseconds for seconds", "1305031453359684000 0.png", /line 1: a time in seconds comes first/],
  ])("%s", async (_, text, message) => {
    expect(await failure(disk.folder({ "depth.txt": text, "0.png": good }))).toMatch(message);
  });

  test("more than 20 s between two frames is a rate all the same", async () => {
    const recording = await openRecording(disk.folder({ "depth.txt": "0 0.png\n30 0.png\n60 0.png\n", "0.png": good }));
    expect(recording.fps).toBe(0.033);
    await recording.close();
  });
});

describe("recording.json", () => {
  test("stars without end", async () => {
    const name = `${"a".repeat(200)}.png`;
    const path = described(JSON.stringify({ depth: `${"*a".repeat(60)}b.png` }), name);
    expect(await failure(path)).toMatch(/no PNG is named \*a\*a.{0,200}; correct "depth"/);
  });

  test("65,536 invalid values leave nothing valid, as quickly as one", async () => {
    const invalid = Array.from({ length: 65536 }, (_, i) => i);
    const recording = await openRecording(described(JSON.stringify({ invalid })));
    expect((await recording.read(0)).depth.data).toEqual(new Uint16Array(WIDTH * HEIGHT));
    expect(recording.facts.find(({ what }) => what === "invalid")?.value).toHaveLength(63);
    await recording.close();
  });

  test.each([
    ["deep", `{ "fps": ${"[".repeat(200_000)}${"]".repeat(200_000)} }`, /fps must be a number .*, not \[{3}…\]{3}$/],
    ["long", `{ "depth": "${"a".repeat(1e6)}" }`, /depth must be a path with stars, .* not "a{40} … a{20}"$/],
    [
      "longer",
      " ".repeat(2 ** 20 + 1),
      /recording\.json: it has 1048577 bytes, and such a file may have 1048576 at most/,
    ],
    ["far too far", '{ "metresPerUnit": 1e300 }', /metresPerUnit must be a number from 1e-9 to 1, not 1e\+300/],
    ["flat", '{ "intrinsics": { "fx": 1e-300, "fy": 1, "cx": 0, "cy": 0 } }', /intrinsics must be .*"fx":1e-300/],
  ])("%s", async (_, text, message) => {
    expect(await failure(described(text))).toMatch(message);
  });

  test("names that every object has are unknown fields, in one warning with all others", async () => {
    const path = described(`{ "__proto__": 1, "constructor": 2, "toString": 3, "${"x".repeat(5000)}": 4 }`);
    const recording = await openRecording(path);
    const unknown = recording.warnings.filter((line) => line.includes("not known"));
    expect(unknown).toEqual([expect.stringMatching(/"__proto__", "constructor", "toString", "x+ … x+" are not known/)]);
    expect(unknown[0]?.length).toBeLessThan(600);
    await recording.close();
  });
});

describe("images", () => {
  /** An image of `side` × `side` zeros; a kilobyte of file for a megabyte of them. */
  const black = (side: number) => pngOf(side, side, zlibSync(new Uint8Array(side * (2 * side + 1)), { level: 9 }));

  test("more than 16 megapixels are refused before they are unpacked, unless they are asked for", async () => {
    const path = disk.folder({ "0.png": pngOf(8192, 8192, new Uint8Array(0)) });
    expect(await failure(path)).toMatch(
      /0\.png: this PNG is declared as 8192×8192; images of 0 or of more than 16 megapixels/,
    );
    expect(await failure(path, { maxMegapixels: 64 })).toMatch(/its compressed data ends too early/);
    const small = disk.folder({ "0.png": black(64) });
    expect(await failure(small, { maxMegapixels: 0.003 })).toMatch(/64×64; .* more than 0\.003 megapixels/);
    const recording = await openRecording(small, { maxMegapixels: 64 ** 2 / 2 ** 20 });
    expect((await recording.read(0)).depth.shape).toEqual([64, 64]);
    await recording.close();
  });
});

describe("archives", () => {
  const tgz = (...parts: Buffer[]) => disk.file("a.tgz", gzipSync(Buffer.concat(parts), { level: 1 }));
  const tar = (...parts: Buffer[]) => disk.file("a.tar", Buffer.concat(parts));
  const end = Buffer.alloc(1024);

  test("a table of attributes that is all newlines", async () => {
    const newlines = Buffer.alloc(2 ** 20, "\n5 ");
    for (const pack of [tar, tgz]) {
      const path = pack(tarPart("PaxHeader", newlines, "x"), tarPart("0.png", good), end);
      const recording = await openRecording(path);
      expect(recording.length).toBe(1);
      await recording.close();
    }
  });

  test("a name that a terminal would obey is told without that, on one line", async () => {
    const message = await failure(tar(tarPart("depth/a\n\x1b[2J\x9b1m.png", good.subarray(0, 40)), end));
    expect(message).toMatch(/^a\.tar\/depth\/a\ufffd\ufffd\[2J.*1m\.png: /);
    expect(message).not.toMatch(/\p{Cc}/u);
  });

  test("a name of a megabyte is cut short in the message", async () => {
    const name = `../${"x".repeat(2 ** 19)}`;
    const record = ` path=${name}\n`;
    const attributes = `${record.length + 6}${record}`;
    const message = await failure(tar(tarPart("PaxHeader", attributes, "x"), tarPart("0.png", good), end));
    expect(message).toMatch(/^a\.tar: it holds a file whose path leads out of it, "\.\.\/x+ … x+"; such an archive/);
  });

  test("a size below nothing, and one beyond numbers", async () => {
    const header = tarHeader("0.png", 0);
    for (const size of ["-0000000001", "77777777777"]) {
      header.write(`${size}\0`, 124);
      sealTarHeader(header);
      expect(await failure(tar(header, end))).toMatch(/^a\.tar: this (tar is damaged|archive is cut short)/);
    }
  });
});

test.skipIf(process.platform === "win32")("a pipe that nobody writes to", async () => {
  const path = join(disk.root, "pipe");
  execFileSync("mkfifo", [path]);
  const { message } = await openRecording(path).then(
    () => new Error("it was opened"),
    (error: Error) => error,
  );
  expect(message).toMatch(/pipe: this is neither a file nor a folder; copy its contents into a file first$/);
  await expect(openRecording("/dev/zero")).rejects.toThrow(SourceError);
});
