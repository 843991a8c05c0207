import { describe, expect, test } from "vitest";
import { type Contents, depthValues, HEIGHT, useFolder, WIDTH, zipOf } from "../fixtures.ts";
import { littleEndian } from "../makers/bytes.ts";
import { npyOf } from "../makers/still.ts";

// An .npz holds arrays under keys, whose names say what they are.

const disk = useFolder();
const K = [9, 0, 3.25, 0, 9.5, 2.25, 0, 0, 1];

describe("an .npz is read by its keys:", () => {
  const stack = (first: number) =>
    npyOf("<u2", [3, HEIGHT, WIDTH], Buffer.concat([0, 1, 2].map((i) => littleEndian(depthValues(i, first)))));
  const doubles = (...values: number[]) => new Uint8Array(Float64Array.from(values).buffer);
  const all: Contents = {
    "depth.npy": stack(0),
    "ir.npy": stack(9),
    "depth_filled.npy": stack(8),
    "rgb.npy": npyOf(
      "|u1",
      [3, HEIGHT, WIDTH, 3],
      new Uint8Array(9 * WIDTH * HEIGHT).map((_, i) => i),
    ),
    "K.npy": npyOf("<f8", [3, 3], doubles(...K)),
    "poses.npy": npyOf(
      "<f8",
      [3, 4, 4],
      doubles(...[0, 1, 2].flatMap((i) => [1, 0, 0, i, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])),
    ),
    "timestamps.npy": npyOf(
      "<i8",
      [3],
      new Uint8Array(
        BigInt64Array.from([0n, 50_000_000n, 100_000_000n], (ns) => 1_700_000_000_000_000_000n + ns).buffer,
      ),
    ),
    "depth_scale.npy": npyOf("<f8", [1], doubles(0.0005)),
  };
  const fileOf = (contents: Contents) => disk.file("a.npz", zipOf(contents));

  test("depth with lens, unit, times, poses and colour", async () => {
    const recording = await disk.open(fileOf(all));
    const frame = await recording.read(2);
    expect(frame).toMatchObject({ metresPerUnit: 0.0005, intrinsics: { fx: 9, cy: 2.25 } });
    expect([frame.depth.data, Math.round(frame.timestamp - recording.timestampOf(0))]).toEqual([depthValues(2), 100]);
    expect([frame.pose?.[3], frame.color?.get(0, 1, 2), recording.fps]).toEqual([
      2,
      (6 * WIDTH * HEIGHT + 5) & 255,
      20,
    ]);
    expect((await (await disk.open(fileOf(all), { topic: "ir" })).read(0)).depth.data).toEqual(depthValues(0, 9));
  });

  test("of several of one rank the user chooses, also by a pattern", async () => {
    const two = { "depth_left.npy": stack(0), "depth_right.npy": stack(9), "K.npy": all["K.npy"] };
    await expect(disk.open(fileOf(two))).rejects.toThrow(/2 depth topics.*depth_left \(NPY, 3 frames\)/s);
    expect((await (await disk.open(fileOf(two), { topic: "*right" })).read(0)).depth.data).toEqual(depthValues(0, 9));
  });

  test.each([
    [
      "no depth by any name",
      { "labels.npy": stack(0), "K.npy": all["K.npy"] },
      /none of its arrays \(K, labels\) is depth/,
    ],
    ["depth cut short", { "depth.npy": stack(0).subarray(0, 90) }, /cut short/],
    ["a list of points", { "depth.npy": npyOf("<f8", [400, 3], new Uint8Array(9600)) }, /table of 400 rows/],
  ])("%s is refused", async (_, contents, why) => {
    await expect(disk.open(fileOf(contents))).rejects.toThrow(why);
  });

  test("times, poses and colours that do not fit depth are left out", async () => {
    const recording = await disk.open(
      fileOf({
        ...all,
        "timestamps.npy": npyOf("<f8", [2], doubles(5, 6)),
        "poses.npy": npyOf("<f8", [2, 7], doubles(...Array(14).fill(1))),
        "rgb.npy": stack(0),
      }),
    );
    expect([recording.timestampOf(1), await recording.pose(0), (await recording.read(0)).color]).toEqual([
      1000 / 30,
      undefined,
      undefined,
    ]);
  });
});
