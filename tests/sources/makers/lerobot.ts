import { spawnSync } from "node:child_process";
import type { Contents } from "../fixtures.ts";
import { littleEndian } from "./bytes.ts";
import { type Columns, parquetOf } from "./parquet.ts";
import { tiffOf } from "./still.ts";

export const SIDE = { width: 64, height: 48 };
export const KEY = "observation.images.head_depth";
const FPS = 30;

/** Depth in mm that differs from episode to episode and from frame to frame, with a hole. */
export function depthMm(episode: number, frame: number): Uint16Array {
  const { width, height } = SIDE;
  const values = Uint16Array.from(
    { length: width * height },
    (_, i) => 800 + 25 * (i % width) + 3 * Math.floor(i / width) + 100 * episode + 10 * frame,
  );
  for (let y = 5; y < 9; y++) values.fill(0, y * width + 5, y * width + 9);
  return values;
}

/** The 12-bit code by which LeRobot stores a depth in mm, with the settings in `FILM_INFO`. */
export const codeOf = (mm: number): number => {
  const at = (Math.log(mm + 3500) - Math.log(3510)) / (Math.log(13_500) - Math.log(3510));
  return Math.min(4095, Math.max(0, Math.round(4095 * at)));
};

/** What `meta/info.json` says of depth as a film. */
const FILM_INFO = {
  is_depth_map: true,
  depth_unit: "mm",
  "video.depth_min": 0.01,
  "video.depth_max": 10,
  "video.shift": 3.5,
  "video.use_log": true,
};

export interface LerobotParts {
  /** The frames of each episode. */
  readonly lengths: readonly number[];
  readonly version?: "v3.0" | "v2.1";
  /** Depth as images, by their kind, or as a film, with its bytes. */
  readonly image?: (episode: number, frame: number) => Uint8Array;
  readonly film?: Uint8Array;
  /** More of the depth feature's `info`, of features, and of `meta/info.json`. */
  readonly said?: object;
  readonly features?: object;
  readonly info?: object;
}

const tiff = (episode: number, frame: number) =>
  tiffOf({ ...SIDE, values: littleEndian(depthMm(episode, frame)), bits: 16 });

/** A data set as LeRobot writes it (dataset_writer.py, dataset_metadata.py): for version 3, all episodes in one table and one film. */
export function lerobotContents(parts: LerobotParts): Contents {
  const { lengths, version = "v3.0", image = tiff, film, said, features, info } = parts;
  const isNew = version === "v3.0";
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const file = "chunk-{chunk_index:03d}/file-{file_index:03d}";
  const old = "chunk-{episode_chunk:03d}/";
  const depth = {
    dtype: film ? "video" : "image",
    shape: [SIDE.height, SIDE.width, 1],
    info: { ...(film ? FILM_INFO : { is_depth_map: isNew, depth_unit: "mm" }), ...said },
  };
  const contents: Contents = {
    "meta/info.json": JSON.stringify({
      ...{ codebase_version: version, fps: FPS, chunks_size: 1000 },
      ...{ total_episodes: lengths.length, total_frames: total },
      data_path: isNew ? `data/${file}.parquet` : `data/${old}episode_{episode_index:06d}.parquet`,
      video_path: isNew ? `videos/{video_key}/${file}.mp4` : `videos/${old}{video_key}/episode_{episode_index:06d}.mp4`,
      features: { "head.intrinsics": { dtype: "float32", shape: [4] }, [KEY]: depth, ...features },
      ...info,
    }),
  };
  const starts = lengths.map((_, i) => lengths.slice(0, i).reduce((sum, length) => sum + length, 0));
  const groups = lengths.map((length, episode): Columns => {
    const frames = Array.from({ length }, (_, i) => i);
    return {
      frame_index: frames,
      "head.intrinsics": frames.map(() => [58.25, 58.5, 31.75, 24.25]),
      ...(!film && {
        [KEY]: { bytes: frames.map((i) => image(episode, i)), path: frames.map((i) => `frame-${i}.tiff`) },
      }),
    };
  });
  if (!isNew) {
    const episodes = lengths.map((length, i) => JSON.stringify({ episode_index: i, length }));
    contents["meta/episodes.jsonl"] = episodes.join("\n");
    for (const [i, group] of groups.entries())
      contents[`data/chunk-000/episode_${String(i).padStart(6, "0")}.parquet`] = parquetOf(group);
    return contents;
  }
  const zeros = lengths.map(() => 0);
  contents["data/chunk-000/file-000.parquet"] = parquetOf(...groups);
  contents["meta/episodes/chunk-000/file-000.parquet"] = parquetOf({
    episode_index: lengths.map((_, i) => i),
    ...{ length: lengths, dataset_from_index: starts, "data/chunk_index": zeros, "data/file_index": zeros },
    [`videos/${KEY}/chunk_index`]: zeros,
    [`videos/${KEY}/file_index`]: zeros,
    // The writer gives a column of whole numbers an integer type; the tiny addend keeps this column one of floats.
    [`videos/${KEY}/from_timestamp`]: starts.map((start) => start / FPS + 1e-9),
  });
  if (film) contents[`videos/${KEY}/chunk-000/file-000.mp4`] = film;
  return contents;
}

/** A film of grey frames of 16-bit values, as ffmpeg writes it without loss; `undefined` where ffmpeg or its encoder is missing. */
export function filmOf(
  path: string,
  frames: readonly Uint16Array[],
  pixels = "gray12le",
  codec = ["libx265", "-x265-params", "lossless=1:log-level=none"],
): boolean {
  const { width, height } = SIDE;
  const raw = `-v error -f rawvideo -pix_fmt ${pixels} -s ${width}x${height} -r ${FPS} -i pipe:0`.split(" ");
  const input = Buffer.concat(frames.map(littleEndian));
  return spawnSync("ffmpeg", [...raw, "-c:v", ...codec, "-g", "2", path], { input }).status === 0;
}
