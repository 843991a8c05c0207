import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { depthPng, depthValues, failure, tarOf, tarPart, tgzOf, useFolder, zipOf } from "../fixtures.ts";

const disk = useFolder();

const paths = [
  "../evil.png",
  "a/../../evil.png",
  "/etc/evil.png",
  "C:\\evil.png",
  "..\\evil.png",
  "a/b\\..\\..\\..\\evil.png",
];
test.each(paths)(
  "an archive with a path that leads out of its folder (%j) is refused, and the error names the path",
  async (path) => {
    const contents = { [path]: depthPng(depthValues(0)), "0.png": depthPng(depthValues(0)) };
    const archives = { "a.zip": zipOf(contents), "a.tar": tarOf(contents), "a.tgz": tgzOf(contents) };
    for (const [name, bytes] of Object.entries(archives)) {
      expect(await failure(disk.file(name, bytes))).toBe(
        `${name}: it holds a file whose path leads out of it, ${JSON.stringify(path)}; such an archive is not opened: make it again without that path`,
      );
    }
  },
);

describe("a damaged zip", () => {
  const contents = { "0.png": depthPng(depthValues(0)), "1.png": depthPng(depthValues(1)) };
  const zip = (change: (bytes: Buffer) => Buffer | undefined, level: 0 | 6 = 6) => {
    const bytes = Buffer.from(zipOf(contents, level));
    return disk.file("a.zip", change(bytes) ?? bytes);
  };
  const local = (bytes: Buffer) => bytes.indexOf("PK\x03\x04", 1);
  const central = (bytes: Buffer) => bytes.indexOf("PK\x01\x02", bytes.indexOf("PK\x01\x02") + 1);

  test.each([
    ["that is cut short", zip((b) => b.subarray(0, -30)), /the end of this zip is missing \(it was cut short or is/],
    ["whose directory is overwritten", zip((b) => b.fill(0, central(b), central(b) + 4)), /zip is damaged at byte \d+/],
    [
      "whose directory is said to stand elsewhere",
      zip((b) => void b.writeUInt32LE(0x7fffffff, b.length - 22 + 16)),
      /^a\.zip: this zip is damaged at byte \d+/,
    ],
    ["with a file's header overwritten", zip((b) => b.fill(0, local(b), local(b) + 4)), /zip is damaged at byte \d+/],
    ["with a stored file changed", zip((b) => void b[local(b) + 70]++, 0), /1\.png: its checksum is wrong \(byte \d+/],
    ["with a deflated file hurt", zip((b) => b.fill(0xff, local(b) + 40, local(b) + 60)), /data is damaged \(byte \d+/],
    ["with a file longer than stated", zip((b) => void b.writeUInt32LE(10, central(b) + 24)), /more than the 10 bytes/],
    [
      "with a file that unpacks to fewer bytes than stated",
      zip((b) => void b.writeUInt32LE(10_000, central(b) + 24)),
      /^a\.zip\/1\.png: its compressed data ends too early/,
    ],
    [
      "with a file of 512 MiB stated",
      zip((b) => void b.writeUInt32LE(0x20000000, central(b) + 24)),
      /^a\.zip\/1\.png: 536870912 bytes unpacked are more than the 96 MiB/,
    ],
    ["that is encrypted", zip((b) => void b.writeUInt16LE(1, central(b) + 8)), /it is encrypted; unpack the zip/],
    [
      "that is packed by another method",
      zip((b) => void b.writeUInt16LE(14, central(b) + 10)),
      /^a\.zip\/1\.png: its compression method 14/,
    ],
    [
      "that is one part of several",
      zip((b) => void b.writeUInt16LE(3, b.length - 22 + 4)),
      /^a\.zip: this zip is one of several parts/,
    ],
  ])("%s is refused with a reason", async (_, path, message) => {
    const said = await failure(path);
    expect(said).toMatch(/^a\.zip(\/1\.png)?: /);
    expect(said).toMatch(message);
  });
});

describe("openRecording", () => {
  const frame = (i: number) => tarPart(`${i}.png`, depthPng(depthValues(i)));
  const good = Buffer.concat([frame(0), frame(1), Buffer.alloc(1024)]);
  const second = frame(0).length;
  const broken = Buffer.from(good);
  broken[second + 10]++;

  test.each([
    ["tar cut short in a file", "a.tar", good.subarray(0, second + 520), /in the file that begins at byte 1024; copy/],
    ["tar cut short in a header", "a.tar", good.subarray(0, second + 100), /in the file that begins at byte 1024/],
    ["tar with a damaged header", "a.tar", broken, /^a\.tar: this tar is damaged at byte 1024; copy/],
    ["tgz of a damaged tar", "a.tgz", gzipSync(broken), /^a\.tgz: this tar is damaged at byte 1024; copy/],
    ["tgz cut short", "a.tgz", gzipSync(good).subarray(0, -60), /^a\.tgz: its compressed data ends too early; copy/],
    ["tgz of a tar cut short", "a.tgz", gzipSync(good.subarray(0, second + 520)), /cut short in the file that begins/],
    [
      "tgz with damaged data",
      "a.tgz",
      Buffer.concat([gzipSync(good).subarray(0, -8), Buffer.alloc(8, 0x55)]),
      /^a\.tgz: its compressed data is damaged; copy/,
    ],
    ["gzipped text that is no tar", "a.txt.gz", gzipSync("hello ".repeat(200)), /its contents are no tar: unpack it/],
  ])("refuses a %s with a reason", async (_, name, bytes, message) => {
    const said = await failure(disk.file(name, bytes));
    expect([said.startsWith(`${name}: `), said]).toEqual([true, expect.stringMatching(message)]);
  });
});
