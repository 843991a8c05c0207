import { describe, expect, test } from "vitest";
import { type Contents, depthValues, HEIGHT, useFolder, WIDTH, zipOf } from "../fixtures.ts";
import { littleEndian } from "../makers/bytes.ts";
import { doubles, floats, npyOf } from "../makers/still.ts";
import { K, many, opened, placeAt } from "../opening.ts";

// An .npz holds arrays under keys, whose names say what they are.

const disk = useFolder();

describe("an .npz is read by its keys:", () => {
  const stack = (first: number) =>
    npyOf("<u2", [3, HEIGHT, WIDTH], Buffer.concat([0, 1, 2].map((i) => littleEndian(depthValues(i, first)))));
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
    "poses.npy": npyOf("<f8", [3, 4, 4], doubles(...[0, 1, 2].flatMap(placeAt))),
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

  const lensOf = (f: number) => npyOf("<f8", [3, 3], doubles(f, 0, 3, 0, f, 2, 0, 0, 1));
  test.each([
    ["depth_front", "front", "depth_wrist", "wrist"],
    ["depth_left", "left", "depth_right", "right"],
    ["depth_1", "cam_1", "depth_2", "cam_2"],
    ["depth", "", "depth_wrist", "wrist"],
  ])("lens, poses, times and colour of a rig are those of the depth chosen: %s, %s", async (...keys) => {
    const rig: Contents = {};
    const cameras = [keys.slice(0, 2), keys.slice(2)];
    for (const [k, [depth, camera]] of cameras.entries()) {
      const named = (what: string) => `${camera && `${camera}_`}${what}.npy`;
      Object.assign(rig, {
        [`${depth}.npy`]: stack(k),
        [named("intrinsics")]: lensOf(9 + k),
        [named("poses")]: npyOf("<f8", [3, 4, 4], doubles(...[0, 1, 2].flatMap((i) => placeAt(10 * k + i)))),
        [named("timestamps")]: npyOf("<f8", [3], doubles(...[0, 1, 2].map((i) => 1.7e9 + i * (k + 1)))),
        [named("rgb")]: npyOf("|u1", [3, HEIGHT, WIDTH, 3], new Uint8Array(9 * WIDTH * HEIGHT).fill(k + 1)),
      });
    }
    for (const [k, [topic]] of cameras.entries()) {
      const recording = await disk.open(fileOf(rig), { topic });
      const { intrinsics, pose, timestamp, color } = await recording.read(2);
      expect([intrinsics.fx, pose?.[3], timestamp - recording.timestampOf(0), color?.data[0]]).toEqual([
        9 + k,
        10 * k + 2,
        2000 * (k + 1),
        k + 1,
      ]);
    }
  });

  test("one pose for each frame is that of both cameras of a rig", async () => {
    const rig = { "depth_1.npy": stack(0), "depth_2.npy": stack(1), "c2w.npy": all["poses.npy"] };
    expect((await (await disk.open(fileOf(rig), { topic: "depth_1" })).read(2)).pose?.[3]).toBe(2);
  });

  test("colour's lens is that of depth aligned to it, and of other depth only with a word", async () => {
    const lenses = { "depth_intrinsics.npy": lensOf(9), "rgb_intrinsics.npy": lensOf(12) };
    const aligned = await disk.open(fileOf({ "aligned_depth.npy": stack(0), ...lenses }));
    expect((await aligned.read(0)).intrinsics.fx).toBe(12);
    const word = "rgb_intrinsics.npy: depth's lens is taken from it, though it is named after colour";
    const told = async (more: Contents) =>
      (await disk.open(fileOf({ "depth.npy": stack(0), "rgb_intrinsics.npy": lensOf(12), ...more }))).warnings.join();
    expect(await told({})).toContain(word);
    // Colour of depth's size is registered to depth.
    expect(await told({ "rgb.npy": all["rgb.npy"] })).not.toContain(word);
    expect(await told(lenses)).not.toContain(word);
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

  test("poses that may be others are told", async () => {
    const { "poses.npy": poses, ...rest } = all;
    const told = (await disk.open(fileOf({ ...rest, "poses_w2c.npy": poses }))).warnings.join();
    expect(told).toContain("poses_w2c.npy: its poses are taken to lead from the world to the camera");
  });

  test("the camera's poses are found beside a body's", async () => {
    const { "poses.npy": poses, ...rest } = all;
    const body = npyOf("<f8", [3, 72], doubles(...Array(216).fill(0)));
    const recording = await disk.open(fileOf({ ...rest, "body_pose.npy": body, "cam_poses.npy": poses }));
    expect((await recording.read(2)).pose?.[3]).toBe(2);
    expect(recording.warnings.join()).toContain("body_pose.npy: it is no NumPy array of a few numbers a frame");
  });

  test("times, poses and colours that do not fit depth are left out, times with a word", async () => {
    const recording = await disk.open(
      fileOf({
        ...all,
        "timestamps.npy": npyOf("<f8", [2], doubles(5, 6)),
        "poses.npy": npyOf("<f8", [2, 7], doubles(...Array(14).fill(1))),
        "rgb.npy": stack(0),
      }),
    );
    expect(recording.warnings.join()).toContain("timestamps.npy: its 2 numbers are no times of the 3 images");
    expect([recording.timestampOf(1), await recording.pose(0), (await recording.read(0)).color]).toEqual([
      1000 / 30,
      undefined,
      undefined,
    ]);
  });
});

describe("a folder of .npz files, one a frame,", () => {
  const f4 =
    (...axes: number[]) =>
    (values: readonly number[]) =>
      npyOf("<f4", axes, floats([...values]));
  const frame = (i: number): Contents => ({
    "depth.npy": npyOf("<u2", [HEIGHT, WIDTH], littleEndian(depthValues(i))),
    "rgb.npy": npyOf("|u1", [HEIGHT, WIDTH, 3], new Uint8Array(3 * WIDTH * HEIGHT).fill(i + 5)),
    "K.npy": f4(4, 4)([9, 0, 3.25, 0, 0, 9.5, 2.25, 0, 0, 0, 1, 0, 0, 0, 0, 1]),
    "pose.npy": f4(4, 4)(placeAt(i)),
    "depth_scale.npy": npyOf("<f8", [], doubles(0.0005)),
    "timestamp.npy": npyOf("<f8", [], doubles(1.7e9 + i / 20)),
    "mask.npy": npyOf("|b1", [HEIGHT, WIDTH], new Uint8Array(WIDTH * HEIGHT)),
  });
  const folder = (count: number, nameOf: (i: number) => string, broken: readonly Uint8Array[] = []) =>
    many(count, (i) => [nameOf(i), broken[i - 1] ?? zipOf(frame(i), 0)]);

  test.each([
    [50, "000#.npz"],
    [4, "data/scene3_#.npz"],
    [4, "frames/frame_#.npz"],
  ])("%d of %s, is one recording with unit, lens, poses, times and colour", async (count, name) => {
    const contents = folder(count, (i) => name.replace("#", `${i + 10}`));
    const { frames, places, from, told } = await opened(disk, contents);
    expect(frames[1].depth.data).toEqual(depthValues(1));
    expect(frames[1]).toMatchObject({ metresPerUnit: 0.0005, intrinsics: { fx: 9, fy: 9.5, cx: 3.25, cy: 2.25 } });
    expect([frames.length, places[count - 1], frames[2].color?.get(0, 0, 2)]).toEqual([count, [count - 1, 0, 0], 7]);
    expect(Math.round(frames[1].timestamp - frames[0].timestamp)).toBe(50);
    expect(from("intrinsics")).toMatch(/10\.npz\/K\.npy$/);
    expect(told).not.toMatch(/read in part/);
  });

  test("costs only what is damaged", async () => {
    const broken = [zipOf(frame(0)).slice(0, 300), zipOf({ "K.npy": frame(0)["K.npy"] }), new Uint8Array(9)];
    const contents = folder(6, (i) => `${i + 10}.npz`, broken);
    const recording = await disk.open(disk.folder(contents));
    expect((await recording.read(0)).depth.data).toEqual(depthValues(0));
    const told = [/11\.npz.*zip/, /12\.npz: there is no depth\.npy/, /13\.npz.*zip/];
    for (const [i, why] of told.entries()) await expect(recording.read(i + 1)).rejects.toThrow(why);
    expect((await recording.read(4)).pose?.[3]).toBe(4);
  });

  test("that hold stacks are as many recordings", async () => {
    const stack = npyOf("<u2", [2, HEIGHT, WIDTH], Buffer.concat([0, 1].map((i) => littleEndian(depthValues(i)))));
    const contents = many(2, (i) => [`${i}.npz`, zipOf({ "depth.npy": stack })]);
    await expect(disk.open(disk.folder(contents))).rejects.toThrow(/each a recording|several recordings/);
  });
});
