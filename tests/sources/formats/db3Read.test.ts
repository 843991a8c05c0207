import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openRecording } from "../../../sources/index.ts";
import { openFiles, useFolder } from "../fixtures.ts";
import { zstandard } from "../logs/compress.ts";
import { db3Of, type Entry, entry, mcapOf, readAll } from "../logs/files.ts";
import * as made from "../logs/frames.ts";
import { depthUnits } from "../logs/frames.ts";
import * as write from "../logs/messages.ts";

// ROS 2 bags in SQLite, with and without message definitions: depth comes back bit for bit.

const disk = useFolder();
const timeOf = (index: number) => 1_650_000_000_000 + index * 50;
const entries: Entry[] = [
  entry("/depth/camera_info", timeOf(0), write.ros2Lens()),
  ...Array.from({ length: 9 }, (_, i) => entry("/depth/image_rect_raw", timeOf(8 - i), write.ros2Depth(8 - i))),
];
/** Temporary files of unpacking that this process still holds open. */
const spools = () => openFiles().filter((path) => /depthloom-(?!test-).*unpacked/.test(path));

/** `packed` by zstd, with `size` stated in its header as the unpacked size. */
function stating(packed: Uint8Array, size: number): Uint8Array {
  const single = (packed[4] & 0x20) !== 0;
  const width = [single ? 1 : 0, 2, 4, 8][packed[4] >> 6];
  const head = single ? 5 : 6;
  const length = new Uint8Array(new BigUint64Array([BigInt(size)]).buffer);
  return Uint8Array.from([
    ...packed.subarray(0, 4),
    packed[4] | 0xc0,
    ...packed.subarray(5, head),
    ...length,
    ...packed.subarray(head + width),
  ]);
}

const expected = made.framesAt(9, timeOf);

test.each([
  ["without definitions", false, false],
  ["with definitions", true, false],
  ["in WAL mode", false, true],
  ["with each message packed", false, false, zstandard],
] as const)(
  "a ROS 2 bag in SQLite, %s, comes back bit for bit",
  async (_, definitions, wal, pack?: (data: Uint8Array) => Uint8Array) => {
    const told = await readAll(await db3Of(entries, definitions, wal, pack), "a.db3");
    expect(told).toMatchObject({ format: "db3", fps: 20, warnings: [], topics: ["/depth/image_rect_raw"] });
    expect(told.frames).toEqual(expected);
  },
);

test("a SQLite bag on a disk can be open twice at once, and is read without FileReaderSync", async () => {
  const path = disk.file("a.db3", await db3Of(entries));
  const both = await Promise.all([openRecording(path), openRecording(path)]);
  for (const recording of both) {
    const { depth } = await recording.read(4);
    expect([...depth.data]).toEqual([...depthUnits(4)]);
  }
  await Promise.all(both.map((recording) => recording.close()));
  expect("FileReaderSync" in globalThis).toBe(false);
});

describe("the folder that rosbag2 makes", () => {
  const info = new File(["rosbag2_bagfile_information:\n"], "metadata.yaml");
  const at = (path: string, file: File) => Object.defineProperty(file, "webkitRelativePath", { value: path });

  test("opens as the one bag in it, from a disk and in a page", async () => {
    const bag = await db3Of(entries);
    const folder = disk.folder({ "bag_0.db3": bag, "metadata.yaml": await info.text() });
    const dropped = [at("bag/bag_0.db3", new File([bag], "bag_0.db3")), at("bag/metadata.yaml", info)];
    for (const input of [folder, dropped]) {
      await using recording = await openRecording(input);
      expect([recording.name, recording.format, recording.length]).toEqual(["bag_0.db3", "db3", 9]);
      expect([...(await recording.read(4)).depth.data]).toEqual([...depthUnits(4)]);
    }
  });

  test.each([
    ["bag_0.db3.zstd", "db3", () => db3Of(entries)],
    ["bag_0.mcap.zstd", "mcap", () => mcapOf(entries)],
    ["bag_0.mcap.zst", "mcap", () => mcapOf(entries)],
  ] as const)("opens %s, which was packed as a whole, and leaves no temporary file", async (name, format, made) => {
    const whole = await made();
    const folder = disk.folder({ [name]: zstandard(whole), "metadata.yaml": await info.text() });
    const dropped = [at(`bag/${name}`, new File([zstandard(whole).slice()], name)), at("bag/metadata.yaml", info)];
    for (const input of [folder, join(folder, name), dropped]) {
      await using recording = await openRecording(input);
      expect([recording.format, recording.length]).toEqual([format, 9]);
      for (const i of [4, 8]) expect([...(await recording.read(i)).depth.data]).toEqual([...depthUnits(i)]);
    }
    expect(spools()).toEqual([]);
    // The folder also holds the unpacked file, as after unpacking by hand.
    writeFileSync(join(folder, name.replace(/\.zstd?$/, "")), whole);
    await using both = await openRecording(folder);
    expect(both.name).toBe(name.replace(/\.zstd?$/, ""));
  });

  test.each<[string, (packed: Uint8Array) => Uint8Array, string | RegExp]>([
    ["cut off", (packed) => packed.subarray(0, -20), /it is packed by zstd, and its compressed data (is damaged|ends)/],
    ["damaged", (packed) => packed.fill(0xff, 200, 240), "it is packed by zstd, and its compressed data is damaged"],
    ["that does not say its length", (packed) => packed.with(4, 0).with(5, 0x50), "does not declare its unpacked size"],
    ["that would take all memory", (packed) => stating(packed, 2 ** 40), "holds 1048576 MiB, more than the 1"],
    ["that holds less than it says", (packed) => stating(packed, 2 ** 20), "its compressed data"],
    ["packed twice", (packed) => zstandard(packed), "it is packed by zstd more than once"],
    ["of another kind", () => zstandard(new Uint8Array(900).fill(1)), "it is no recording, by its first bytes"],
  ])("refuses a packed bag %s, and leaves no temporary file", async (_, change, message) => {
    const packed = change(Uint8Array.from(zstandard(await db3Of(entries))));
    await expect(openRecording(new File([Uint8Array.from(packed)], "a.db3.zstd"))).rejects.toThrow(message);
    expect(spools()).toEqual([]);
  });

  test("is refused when it holds several bags and nothing says that they are one, and the error lists them", async () => {
    const parts = ["desk.mcap", "room.mcap"].map((name) => at(`bag/${name}`, new File(["x"], name)));
    await expect(openRecording(parts)).rejects.toThrow("(desk.mcap, room.mcap)");
  });
});

test("a SQLite bag with a packed message that is damaged, or does not state its size, is refused", async () => {
  const damage = (change: (bytes: Uint8Array) => void) => (data: Uint8Array) => {
    const bytes = Uint8Array.from(zstandard(data));
    change(bytes);
    return bytes;
  };
  const cut = await db3Of(entries, false, false, (data) => zstandard(data).subarray(0, 30));
  await expect(readAll(cut, "a.db3")).rejects.toThrow(/message 0: .* is damaged|message 0: .*(ends|cut)/);
  const mute = damage((bytes) => bytes.set([0, 0x50], 4));
  await expect(readAll(await db3Of(entries, false, false, mute), "a.db3")).rejects.toThrow("does not declare its size");
});

test("a bag whose recorder left messages in the file -wal beside it is read, with a warning", async () => {
  const folder = disk.folder({}, "crashed");
  writeFileSync(join(folder, "a.db3"), await db3Of(entries));
  const told = async () => {
    await using bag = await openRecording(join(folder, "a.db3"));
    return [bag.length, bag.warnings.join().includes("a.db3-wal has messages that are not read")];
  };
  expect(await told()).toEqual([9, false]);
  writeFileSync(join(folder, "a.db3-wal"), "");
  expect(await told()).toEqual([9, false]);
  writeFileSync(join(folder, "a.db3-wal"), "frames");
  expect(await told()).toEqual([9, true]);
});

test("a cut-off SQLite database, and one without messages, are refused with a reason", async () => {
  const whole = await db3Of(entries);
  await expect(readAll(whole.slice(0, 3000), "a.db3")).rejects.toThrow(/a\.db3: SQLite cannot read it/);
  const empty = await db3Of([]);
  await expect(readAll(empty, "a.db3")).rejects.toThrow(/it has no depth topic/);
});
