import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { expect, test } from "vitest";
import { openRecording } from "../../sources/index.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { writePngFolder } from "../../write/index.ts";
import { depthPng, depthValues, tumContents, useFolder } from "../sources/fixtures.ts";
import { codeOf } from "../sources/makers/lerobot.ts";
import { depthloom } from "./command.ts";

// convert --to lerobot: our own reader gets the same frames, and each field is what LeRobot's code writes (dataset_metadata.py,
// dataset_writer.py, utils.py), as another reader of Parquet finds it.

const disk = useFolder();
const [DEPTH, COLOR] = ["observation.images.camera_depth", "observation.images.camera"];
const room = syntheticRoom({ width: 80, height: 60, frames: 9, cameraMotion: "sway" });
const recording = join(disk.root, "room");
await writePngFolder(room, recording, { truth: false });
const hasEncoder = spawnSync("ffmpeg", ["-hide_banner", "-h", "encoder=libx265"]).stdout?.includes("gray12le") ?? false;

async function set(name: string, ...more: string[]) {
  const out = join(disk.root, name);
  const { status, stderr } = await depthloom("convert", recording, out, "--to", "lerobot", ...more);
  expect([status, stderr]).toEqual([0, expect.stringContaining("(lerobot)")]);
  const info = JSON.parse(readFileSync(join(out, "meta/info.json"), "utf8"));
  const stats = JSON.parse(readFileSync(join(out, "meta/stats.json"), "utf8"));
  return { out, stderr, info, stats };
}

async function rowsOf(...path: string[]): Promise<Record<string, unknown>[]> {
  const file = await asyncBufferFromFile(join(...path));
  return parquetReadObjects({ file, utf8: false });
}

/** Reads every frame of an episode, and what it was made from. */
async function episode(out: string, number: number, from: number, count: number) {
  await using again = await openRecording(out, { topic: `${DEPTH} episode ${number}`, worker: false });
  expect([again.length, again.fps, again.warnings]).toEqual([count, 30, []]);
  const frames = [];
  for (let i = 0; i < count; i++) frames.push([await again.read(i), await room.read(from + i)] as const);
  return { frames, facts: again.facts };
}

test.each([[[]], [["--depth", "png"]]])(
  "a data set with %j is read as the same depth, colour and lens, cut where it was asked for",
  async (depth) => {
    const { out } = await set(`set${depth.length}`, "--cut", "4,6", "--start", "1", "--frames", "7", ...depth);
    for (const [number, from, count] of [
      [0, 1, 3],
      [1, 4, 2],
      [2, 6, 2],
    ] as const) {
      const { frames, facts } = await episode(out, number, from, count);
      expect(facts.filter(({ from }) => /assumed/.test(from))).toEqual([]);
      for (const [i, [frame, original]] of frames.entries()) {
        expect(frame.depth.data).toEqual(original.depth.data);
        expect(frame.color?.data).toEqual(original.color?.data);
        const pose = (await room.pose?.(from + i)) ?? [];
        expect(frame.pose).toEqual(pose.map((value) => expect.closeTo(value, 6)));
        const { intrinsics } = original;
        expect(frame).toMatchObject({ metresPerUnit: 0.001, intrinsics, timestamp: (1000 * i) / 30 });
      }
    }
  },
);

test("filtered frames are cut at the recording's frames, also where one before cannot be read", async () => {
  const torn = disk.folder({
    ...tumContents(12),
    "depth/100.166667.png": depthPng(depthValues(5)).subarray(0, 60),
    "recording.json": JSON.stringify({ intrinsics: { fx: 5, fy: 5, cx: 3, cy: 2 } }),
  });
  const out = join(disk.root, "torn");
  const how = ["--to", "lerobot", "--stages", "median", "--start", "3", "--cut", "8", "--backend", "cpu"];
  expect((await depthloom("convert", torn, out, ...how)).status).toBe(3);
  const lengths = [0, 1].map(async (number) => {
    await using one = await openRecording(out, { topic: `${DEPTH} episode ${number}`, worker: false });
    return one.length;
  });
  expect(await Promise.all(lengths)).toEqual([4, 4]);
});

test("each field is that of LeRobot 3.0", async () => {
  const other = join(disk.root, "other");
  await writePngFolder(syntheticRoom({ width: 80, height: 60, frames: 3 }), other, { truth: false });
  const { out, info, stats, stderr } = await set("fields", "--cut", "5", "--with", other, "--task", "look around");
  expect(stderr).not.toContain("warning");
  const number = (dtype: string) => ({ dtype, shape: [1], names: null });
  const names = ["height", "width", "channels"];
  expect(info).toEqual({
    codebase_version: "v3.0",
    fps: 30,
    features: {
      [DEPTH]: {
        ...{ dtype: "image", shape: [60, 80, 1], names },
        info: { is_depth_map: true, depth_unit: "mm", intrinsics: expect.objectContaining({ fx: expect.any(Number) }) },
      },
      [COLOR]: { dtype: "image", shape: [60, 80, 3], names, info: { registered: true } },
      "observation.state": {
        ...{ dtype: "float32", shape: [7], names: ["x", "y", "z", "qx", "qy", "qz", "qw"] },
        info: { is_camera_pose: true },
      },
      timestamp: number("float32"),
      ...{ frame_index: number("int64"), episode_index: number("int64"), index: number("int64") },
      task_index: number("int64"),
    },
    ...{ total_episodes: 3, total_frames: 12, total_tasks: 1, chunks_size: 1000 },
    ...{ data_files_size_in_mb: 100, video_files_size_in_mb: 200, robot_type: null, splits: { train: "0:3" } },
    data_path: "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
    video_path: null,
  });
  const rows = await rowsOf(out, "data/chunk-000/file-000.parquet");
  const first = Object.keys(rows[0] ?? {});
  expect(first).toEqual([
    DEPTH,
    COLOR,
    "observation.state",
    "timestamp",
    "frame_index",
    "episode_index",
    "index",
    "task_index",
  ]);
  expect(rows.map(({ index, episode_index: e, frame_index: f }) => [index, e, f].map(Number))).toEqual(
    [0, 1, 2, 3, 4, 0, 1, 2, 3, 0, 1, 2].map((frame, i) => [i, i < 5 ? 0 : i < 9 ? 1 : 2, frame]),
  );
  const { 3: x, 7: y, 11: z } = (await room.pose?.(8)) ?? [];
  const state = rows[8]?.["observation.state"];
  expect(Array.isArray(state) && state.slice(0, 3)).toEqual([x, y, z].map(Math.fround));
  expect(rows[8]?.timestamp).toBe(Math.fround(3 / 30));
  expect(rows[5]?.[DEPTH]).toMatchObject({ path: "frame-000000.tiff", bytes: { 0: 0x49, 1: 0x49, 2: 42, 3: 0 } });
  const episodes = await rowsOf(out, "meta/episodes/chunk-000/file-000.parquet");
  expect(
    episodes.map((one) => [
      one.tasks,
      ...["length", "dataset_from_index", "dataset_to_index"].map((key) => Number(one[key])),
    ]),
  ).toEqual([
    [["look around"], 5, 0, 5],
    [["look around"], 4, 5, 9],
    [["look around"], 3, 9, 12],
  ]);
  expect(Object.keys(episodes[0] ?? {})).toEqual(
    expect.arrayContaining(["data/chunk_index", "meta/episodes/file_index", `stats/${DEPTH}/q99`, "stats/index/count"]),
  );
  const [task] = await rowsOf(out, "meta/tasks.parquet");
  expect([task?.task, Number(task?.task_index)]).toEqual(["look around", 0]);
  const { key_value_metadata: extra } = await parquetMetadataAsync(
    await asyncBufferFromFile(join(out, "meta/tasks.parquet")),
  );
  expect(JSON.parse(extra?.find(({ key }) => key === "pandas")?.value ?? "{}").index_columns).toEqual(["task"]);
  // All frames of so few, and all their pixels.
  const depths = [];
  for (let i = 0; i < 9; i++) depths.push(...(await room.read(i)).depth.data);
  const one = episodes.slice(0, 2).map((each) => (each[`stats/${DEPTH}/mean`] as number[][][])[0]?.[0]?.[0] ?? 0);
  const mean = depths.reduce((sum, value) => sum + value, 0) / depths.length;
  expect((5 * (one[0] ?? 0) + 4 * (one[1] ?? 0)) / 9).toBeCloseTo(mean, 6);
  expect(stats[DEPTH]).toMatchObject({ min: [[[0]]], count: [12] });
  expect(stats[COLOR].mean).toHaveLength(3);
  expect(stats.index).toMatchObject({ min: [0], max: [11], mean: [5.5], count: [12] });
  expect(stats.index.std[0]).toBeCloseTo(Math.sqrt(143 / 12), 9);
  expect(stats.frame_index.q50[0]).toBeCloseTo((5 * 2 + 4 * 1 + 3 * 1) / 12, 6);
});

test("depth finer than a millimetre is kept in metres, and read in its own unit", async () => {
  const fine = join(disk.root, "fine");
  await writePngFolder({ ...room, read: async (i) => ({ ...(await room.read(i)), metresPerUnit: 0.0002 }) }, fine, {
    truth: false,
  });
  const out = join(disk.root, "fineSet");
  expect((await depthloom("convert", fine, out, "--to", "lerobot", "--frames", "2")).status).toBe(0);
  const again = await disk.open(out, { worker: false });
  const { depth, metresPerUnit } = await again.read(1);
  expect([metresPerUnit, depth.data]).toEqual([0.0002, (await room.read(1)).depth.data]);
});

test.skipIf(!hasEncoder)("a film has LeRobot's codes, of which 0 is no measurement, and the loss is told", async () => {
  const { out, info, stderr } = await set("film", "--depth", "hevc", "--cut", "4");
  expect(info.features[DEPTH]).toMatchObject({
    dtype: "video",
    info: {
      is_depth_map: true,
      "video.depth_min": 0.01,
      "video.depth_max": 10,
      "video.shift": 3.5,
      "video.use_log": true,
    },
  });
  expect(readdirSync(join(out, "videos", DEPTH, "chunk-000"))).toEqual(["file-000.mp4", "file-001.mp4"]);
  expect(stderr).toMatch(/film of 12 bits is off by 0\.\d+ mm on average and by [0-2]\.\d+ mm at most/);
  const { frames } = await episode(out, 1, 4, 5);
  for (const [{ depth }, original] of frames)
    original.depth.data.forEach((mm, i) => {
      const got = depth.data[i] ?? 0;
      if (codeOf(got) !== codeOf(mm) || (got === 0) !== (mm === 0)) throw new Error(`pixel ${i}: ${got}, not ${mm}`);
    });
});

test.skipIf(!hasEncoder)(
  "a damaged film of depth costs the frames that are damaged, and gives no wrong ones",
  async () => {
    const { out } = await set("damaged", "--depth", "hevc");
    const read = async () => {
      await using film = await openRecording(out, { worker: false });
      const frames: unknown[] = [];
      for (let i = 0; i < film.length; i++) frames.push(await film.read(i).then(({ depth }) => depth.data, String));
      return frames;
    };
    const sound = await read();
    const path = join(out, "videos", DEPTH, "chunk-000/file-000.mp4");
    const bytes = readFileSync(path);
    for (const share of [0.05, 0.5]) {
      writeFileSync(path, Buffer.from(bytes).fill(0, share * bytes.length, share * bytes.length + 200));
      const frames = await read();
      const lost = frames.filter((frame) => typeof frame === "string");
      expect(frames.map((frame, i) => (typeof frame === "string" ? sound[i] : frame))).toEqual(sound);
      expect([lost.length > 0, lost.length < 7, lost.join()]).toEqual([true, true, expect.stringMatching(/checksum/)]);
    }
  },
);

test("options of other kinds, marks that do not rise and recordings of another size are refused", async () => {
  const wide = join(disk.root, "wide");
  await writePngFolder(syntheticRoom({ width: 84, height: 60, frames: 1 }), wide, { truth: false });
  const to = ["--to", "lerobot"];
  for (const [status, told, ...args] of [
    [2, "--cut: it is of --to lerobot", "--to", "png", "--cut", "3"],
    [2, "--codec: it is of .mcap, and tiff is written", "--to", "tiff", "--codec", "zstd"],
    [2, "--cut 3: marks rise", ...to, "--cut", "5,3"],
    [2, "--cut 9: marks rise", ...to, "--cut", "9"],
    [2, "--with: all recordings are written whole", ...to, "--with", wide, "--frames", "2"],
    [1, "differs from the first frame in size", ...to, "--with", wide],
  ] as const) {
    const ended = await depthloom("convert", recording, join(disk.root, "refused"), "--force", ...args);
    expect([ended.status, ended.stderr]).toEqual([status, expect.stringContaining(told)]);
  }
});
