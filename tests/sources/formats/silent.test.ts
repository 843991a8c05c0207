import { expect, test } from "vitest";
import { isShares, isSwapped } from "../../../sources/decode/pixels.ts";
import { useFolder } from "../fixtures.ts";
import { bagOf, type Entry, mcapOf, readAll } from "../logs/files.ts";
import { ros1Depth, ros2Depth, ros2Lens, stamped } from "../logs/messages.ts";
import { floats, npyOf } from "../makers/still.ts";

// What once was read wrongly without a word: it is read rightly, or the recording says what is doubtful.

const disk = useFolder();
test("a recording in which a bag was played three times has each round after the other, and says so", async () => {
  const image = ros1Depth(0);
  const entries: Entry[] = Array.from({ length: 60 }, (_, i) => ({
    topic: "/depth/image",
    time: 1_600_000_000_000 + 100 * i,
    message: { ...image, data: stamped(image, 1_500_000_000_000 + 100 * (i % 20)) },
  }));
  const { frames, warnings } = await readAll(bagOf(entries), "a.bag");
  const times = frames.map(({ timestamp }) => timestamp);
  expect(times.slice(1).map((time, i) => Math.round(time - (times[i] ?? 0)))).toEqual(Array(59).fill(100));
  expect(warnings.join()).toMatch(/40 of 60 time stamps leap/);
});

test("a lens that changes in mid-recording is that of each frame's own time, and that is said", async () => {
  const depth = (i: number): Entry => ({
    topic: "/depth/image_rect_raw",
    time: 1000 * i,
    message: ros2Depth(i),
  });
  const lens = (i: number, fx: number): Entry => ({
    topic: "/depth/camera_info",
    time: 1000 * i,
    message: ros2Lens({ k: [fx, 0, 3, 0, fx, 2, 0, 0, 1] }),
  });
  const entries = [1, 2, 3, 4].flatMap((i) => [depth(i), lens(i, i < 3 ? 5 : 6)]);
  const changing = await readAll(await mcapOf(entries), "a.mcap");
  expect(changing.frames.map(({ intrinsics }) => intrinsics.fx)).toEqual([5, 5, 6, 6]);
  expect(changing.warnings.join()).toMatch(/camera_info: the lens changes .* frame 2/);
  const same = await readAll(await mcapOf([1, 2, 3].flatMap((i) => [depth(i), lens(i, 5 + i / 100)])), "a.mcap");
  expect(same.frames.map(({ intrinsics }) => intrinsics.fx)).toEqual([5.01, 5.01, 5.01]);
  expect(same.warnings.join()).not.toContain("lens changes");
});

const [width, height] = [64, 48];
const slope = Array.from({ length: width * height }, (_, i) => 900 + 9 * (i % width) + Math.floor(i / width));
const noisy = slope.map((value, i) => value + ((i * 7919) % 13));
const raw = (
  encoding: string,
  bytes: number,
  write: (view: DataView, at: number, i: number) => void,
  lies: boolean,
) => {
  const data = new Uint8Array(bytes * width * height);
  const view = new DataView(data.buffer);
  for (let i = 0; i < width * height; i++) write(view, bytes * i, i);
  return { width, height, encoding, step: bytes * width, bigEndian: lies, data };
};
const whole = (little: boolean, values: readonly number[]) =>
  raw("16uc1", 2, (view, at, i) => view.setUint16(at, values[i] ?? 0, little), little);

test("the order of bytes of an image that lies is known by the values, and no other", () => {
  for (const little of [true, false]) {
    const image = whole(little, noisy);
    expect([isSwapped(image), isSwapped({ ...image, bigEndian: !little })]).toEqual([true, false]);
    const metres = raw("32fc1", 4, (view, at, i) => view.setFloat32(at, (noisy[i] ?? 0) / 1000, little), little);
    expect([isSwapped(metres), isSwapped({ ...metres, bigEndian: !little })]).toEqual([true, false]);
  }
  // Depth of 8 bits in the high byte, noise, and an image of one value.
  for (const values of [
    slope.map((v) => (v >> 3) << 8),
    slope.map((_, i) => (i * 40503) & 65535),
    slope.map(() => 5000),
  ])
    for (const lies of [true, false]) expect(isSwapped({ ...whole(true, values), bigEndian: lies })).toBe(false);
});

test("floats from 0 to exactly 1 are said to be doubtful, and others are not", async () => {
  const made = (most: number) => Array.from({ length: 35 }, (_, i) => (most * (i + 1)) / 35);
  const warned = async (most: number) => {
    const array = npyOf("<f4", [5, 7], floats(made(most)));
    const recording = await disk.open(disk.folder({ "depth/0.npy": array, "depth/1.npy": array }));
    await recording.read(0);
    return recording.warnings.join().includes("from 0 to exactly 1");
  };
  expect([await warned(1), await warned(0.9), await warned(3)]).toEqual([true, false, false]);
  expect(isShares(2, (i) => [1, 1.5][i] ?? 0)).toBe(false);
});

test("a PFM whose header says another scale than 1 says that it is not used", async () => {
  const pfm = (scale: string) =>
    Buffer.concat([Buffer.from(`Pf\n7 5\n${scale}\n`), floats(Array.from({ length: 35 }, (_, i) => 1 + i / 10))]);
  const warned = async (scale: string) =>
    (await disk.open(disk.folder({ "depth/0.pfm": pfm(scale), "depth/1.pfm": pfm(scale) }))).warnings.join();
  expect(await warned("-0.5")).toContain("a scale of 0.5");
  expect(await warned("-1.0")).not.toContain("a scale of");
});
