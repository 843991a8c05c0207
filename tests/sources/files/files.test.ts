import { randomBytes } from "node:crypto";
import { readdirSync, truncateSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { crc32, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { indexedFiles } from "../../../sources/files/files.ts";
import { openPath } from "../../../sources/files/node.ts";
import { openTgz } from "../../../sources/files/tarFiles.ts";
import { openRecording } from "../../../sources/index.ts";
import { recordingOf } from "../../../sources/recorded/index.ts";
import { openInput } from "../../../sources/recorded/openHere.ts";
import { turns } from "../../turns.ts";
import {
  type Contents,
  depthPng,
  depthValues,
  sevenScenesContents,
  tarOf,
  tarPart,
  tgzOf,
  tumContents,
  useFolder,
  zipOf,
} from "../fixtures.ts";

const disk = useFolder();

/** Files in memory, and the names of those that were read. */
function counted(contents: Contents) {
  const reads: string[] = [];
  const files = indexedFiles("memory", new Map(Object.entries(contents)), async (content, where) => {
    reads.push(where.slice("memory/".length));
    return new Uint8Array(Buffer.from(content));
  });
  return { reads, open: async () => recordingOf(await openInput({ kind: "files", files })) };
}
const pngs = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`${i}.png`, depthPng(depthValues(0))]));

test.each<[string, Contents, string[], string[]]>([
  [
    "TUM",
    tumContents(100),
    ["depth.txt", "rgb.txt"],
    ["depth/100.000000.png", "rgb/100.005000.png", "groundtruth.txt"],
  ],
  [
    "7-Scenes",
    sevenScenesContents(100),
    [],
    ["frame-000000.depth.png", "frame-000000.color.png", "frame-000000.pose.txt"],
  ],
  // Of images without a list the first four are looked at, which tells two series of turns from one.
  ["PNGs", { ...pngs, "recording.json": "{}" }, ["recording.json", "0.png", "1.png", "2.png", "3.png"], ["0.png"]],
])(
  "openRecording is lazy with a recording in the layout of %s: opening reads few images, read() reads only its frame's files",
  async (_, contents, opening, frame) => {
    const { reads, open } = counted(contents);
    const recording = await open();
    expect(reads).toEqual(opening);
    await recording.read(0);
    expect(reads.slice(opening.length).sort()).toEqual(frame.sort());
  },
);

test("a zip of 70,000 files, with a Zip64 directory, is read", async () => {
  const [count, entries] = [70_000, [] as Buffer[]];
  const central: Buffer[] = [];
  const png = depthPng(depthValues(0));
  let offset = 0;
  for (let i = 0; i < count; i++) {
    const name = Buffer.from(`depth/${i}.png`);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt32LE(crc32(png), 10);
    common.writeUInt32LE(png.length, 14);
    common.writeUInt32LE(png.length, 18);
    common.writeUInt16LE(name.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    entries.push(Buffer.from("PK\x03\x04"), common, name, Buffer.from(png));
    central.push(Buffer.from("PK\x01\x02\x14\x00"), common, rest, name);
    offset += 30 + name.length + png.length;
  }
  const directory = Buffer.concat(central);
  const end64 = Buffer.alloc(56);
  end64.write("PK\x06\x06");
  end64.writeBigUInt64LE(44n, 4);
  end64.writeBigUInt64LE(BigInt(count), 24);
  end64.writeBigUInt64LE(BigInt(count), 32);
  end64.writeBigUInt64LE(BigInt(directory.length), 40);
  end64.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.write("PK\x06\x07");
  locator.writeBigUInt64LE(BigInt(offset + directory.length), 8);
  const end = Buffer.concat([Buffer.from("PK\x05\x06"), Buffer.alloc(4), Buffer.alloc(12, 0xff), Buffer.alloc(2)]);
  const path = disk.file("many.zip", Buffer.concat([...entries, directory, end64, locator, end]));
  const recording = await disk.open(path);
  expect(recording.length).toBe(count);
  expect((await recording.read(count - 1)).depth.data).toEqual(depthValues(0));
});

describe("a tar", () => {
  const png = depthPng(depthValues(4));
  const long = `${"deep/".repeat(30)}0.png`;

  test.each([
    ["GNU", [tarPart("././@LongLink", `${long}\0`, "L"), tarPart("cut", png)]],
    ["pax", [tarPart("PaxHeader", `${String(long.length + 10)} path=${long}\n`, "x"), tarPart("cut", png)]],
    [
      "pax, after global attributes",
      [
        tarPart("g", "20 comment=whatever\n", "g"),
        tarPart("PaxHeader", `${String(long.length + 10)} path=${long}\n`, "x"),
        tarPart("cut", png),
      ],
    ],
  ])("with a long name (%s) is read", async (_, parts) => {
    const recording = await disk.open(disk.file("a.tar", Buffer.concat([...parts, Buffer.alloc(1024)])));
    expect(recording.length).toBe(1);
    expect((await recording.read(0)).depth.data).toEqual(depthValues(4));
  });
});

describe("a tgz", () => {
  /** Writes a TUM archive: lists and description first, then images filled up with noise, without compression. */
  async function writeLarge(path: string, frames: number, frameBytes: number): Promise<void> {
    await using file = await open(path, "w");
    const write = (bytes: Buffer) => file.write(gzipSync(bytes, { level: 0 }));
    const lines = Array.from({ length: frames }, (_, i) => `${i} depth/${i}.png\n`).join("");
    const described = tarPart("rec/recording.json", "{}");
    await write(Buffer.concat([described, tarPart("rec/depth.txt", lines), tarPart("rec/rgb.txt", "")]));
    for (let i = 0; i < frames; i++) await write(tarPart(`rec/depth/${i}.png`, noisy(i, frameBytes)));
    await write(Buffer.alloc(1024));
  }
  /** A healthy PNG with a chunk of noise that every decoder skips. */
  function noisy(index: number, size: number): Buffer {
    const png = Buffer.from(depthPng(depthValues(index % 50)));
    const chunk = Buffer.alloc(size + 12);
    chunk.writeUInt32BE(size, 0);
    chunk.write("noIs", 4);
    chunk.set(randomBytes(size), 8);
    chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), size + 8);
    return Buffer.concat([png.subarray(0, -12), chunk, png.subarray(-12)]);
  }

  test("of 256 MiB plays every frame with less than 96 MiB of memory", async () => {
    const path = disk.file("large.tgz", "");
    await writeLarge(path, 256, 2 ** 20);
    globalThis.gc?.();
    const before = process.memoryUsage();
    let most = 0;
    const sample = () => {
      const now = process.memoryUsage();
      most = Math.max(most, now.heapUsed - before.heapUsed + now.external - before.external);
    };
    const timer = setInterval(sample, 5);
    const recording = await disk.open(path);
    const order = [0, 255, 1, 128, ...Array.from({ length: 256 }, (_, i) => i)];
    for (const index of order) {
      expect((await recording.read(index)).depth.data[1]).toBe(depthValues(index % 50)[1]);
      sample();
    }
    clearInterval(timer);
    console.log(`256 MiB tgz: ${(most / 2 ** 20).toFixed(0)} MiB of memory at most`);
    expect(most).toBeLessThan(96 * 2 ** 20);
  });

  test("opens once its recording.json and its lists are read, long before its end", async () => {
    const path = disk.file("endless.tgz", "");
    await writeLarge(path, 40, 2 ** 20);
    const inner = await openPath(path);
    if (!("size" in inner)) throw new Error("not a file");
    let furthest = 0;
    let reading: Promise<unknown> = Promise.resolve();
    const watched = {
      ...inner,
      read(offset: number, length: number) {
        furthest = Math.max(furthest, offset + length);
        // Each read takes some turns of the event loop, so that opening can end before the next read begins.
        const piece = turns(50).then(() => inner.read(offset, length));
        reading = piece;
        return piece;
      },
    };
    const recording = recordingOf(await openInput({ kind: "files", files: openTgz(watched) }));
    expect(furthest).toBeLessThan(4 * 2 ** 20);
    expect((await recording.read(5)).depth.data).toEqual(depthValues(5));
    expect(furthest).toBeLessThan(12 * 2 ** 20);
    await recording.close();
    const stopped = furthest;
    await reading.catch(() => {});
    await turns(100);
    expect(furthest).toBe(stopped);
    expect(stopped).toBeLessThan(20 * 2 ** 20);
  });

  test("leaves no file in the temporary folder, not even while the recording is open", async () => {
    const spools = () => readdirSync(tmpdir()).filter((name) => /^depthloom-(?!test-)/.test(name));
    const before = spools();
    const recording = await disk.open(disk.file("a.tgz", tgzOf(tumContents(2))));
    await recording.read(1);
    expect(spools()).toEqual(before);
    expect(spools()).toEqual(before);
  });

  test("that is cut off still reads the frames before the cut", async () => {
    const whole = tarOf(tumContents(20));
    const cut = gzipSync(whole).subarray(0, -100);
    const recording = await disk.open(disk.file("a.tgz", cut));
    expect((await recording.read(0)).depth.data).toEqual(depthValues(0));
    await expect(recording.read(19)).rejects.toThrow(/a\.tgz: its compressed data ends too early/);
    expect((await recording.read(1)).depth.data).toEqual(depthValues(1));
  });

  test("that unpacks to more than its limit is refused, but the files before the limit are read", async () => {
    const many = Array.from({ length: 40 }, (_, i) => tarPart(`${i}.png`, Buffer.alloc(2 ** 16)));
    const file = await openPath(disk.file("bomb.tgz", gzipSync(Buffer.concat(many))));
    if (!("size" in file)) throw new Error("not a file");
    const files = openTgz(file, 2 ** 20);
    await expect(files.list()).rejects.toThrow(
      /bomb\.tgz: it unpacks to more than 1048576 bytes, which no recording of its size does/,
    );
    expect((await files.read("0.png")).length).toBe(2 ** 16);
    await files.close();
  });
});

describe("openRecording with the File objects of a page", () => {
  const file = (path: string, content: Uint8Array | string, folder = "") => {
    const made = new File([new Uint8Array(Buffer.from(content))], path.split("/").pop() ?? "");
    Object.defineProperty(made, "webkitRelativePath", { value: folder && `${folder}/${path}` });
    return made;
  };
  const check = async (input: Parameters<typeof openRecording>[0], name: string) => {
    await using recording = await openRecording(input);
    expect(recording).toMatchObject({ format: "tum", length: 3, name });
    for (let i = 0; i < 3; i++) expect((await recording.read(i)).depth.data).toEqual(depthValues(i));
  };

  test.each([
    ["rec.zip", zipOf(tumContents(3, "top/"))],
    ["rec.tgz", tgzOf(tumContents(3))],
    ["rec.tar", tarOf(tumContents(3))],
  ])("reads %s, alone or in a list", async (name, bytes) => {
    await check(file(name, bytes), name);
    await check([file(name, bytes)], name);
  });

  test("reads the list of a chosen folder", async () => {
    const list = Object.entries(tumContents(3)).map(([path, content]) => file(path, content, "freiburg"));
    await check([file(".DS_Store", "x", "freiburg"), ...list], "freiburg");
  });
});

test("a file that is cut while its recording is open is said to have become shorter", async () => {
  const path = disk.file("a.tar", tarOf(sevenScenesContents(3)));
  await using recording = await openRecording(path);
  truncateSync(path, 700);
  await expect(recording.read(2)).rejects.toThrow("a.tar: it became shorter while it was read; open it again");
});
