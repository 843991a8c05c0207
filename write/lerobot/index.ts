import { dirname, join } from "node:path";
import type { NdArray } from "ndarray";
import { checkArgument, checkOptions } from "../../core/check.ts";
import { type DepthFrame, image } from "../../core/frame.ts";
import { SourceError } from "../../core/source.ts";
import type { Pose } from "../../sources/format/format.ts";
import { makeFolder } from "../disk.ts";
import { Folder } from "../folder.ts";
import { eachFrame, poseOf } from "../frames.ts";
import { depthTiff } from "../plain.ts";
import { depthPng, opaquePng } from "../png.ts";
import { quaternionOf } from "../quaternion.ts";
import { inUnits } from "../units.ts";
import { CodingLoss, FilmFile } from "./film.ts";
import {
  COLOR,
  DEPTH,
  hubFeatures,
  infoOf,
  MILLIMETRES,
  NUMBERS,
  PANDAS,
  pathOf,
  placeOf,
  STATE,
  TABLE_MB,
  TASKS,
} from "./info.ts";
import { type EpisodePart, type LerobotOptions, lerobotRules, partsRule } from "./options.ts";
import { aggregated, ImageStats, numberStats, type Stats, vectorStats } from "./stats.ts";
import { type Columns, TableFile } from "./table.ts";

export type { EpisodePart, LerobotOptions } from "./options.ts";

/** Bytes of images per row group. A row group is kept in memory until it is written. */
const GROUP_BYTES = 64 * 2 ** 20;

/** An image feature's values are in planes of one row and column. */
const nested = (key: string, values: readonly number[], name: string) =>
  key in NUMBERS || key === STATE || name === "count" ? values : values.map((value) => [[value]]);

/**
 * Writes recordings as a data set of LeRobot, version 3.0, an episode each: tables of frames with their images, films of depth if they are
 * asked for, and `meta/` (dataset_writer.py, dataset_metadata.py). Frames that cannot be read are left out. Returns the number of frames;
 * rejects with the reason of `signal`: a data set that was stopped is not complete.
 *
 * @example
 * const recording = await openRecording("fold.mcap");
 * await writeLerobot([{ recording, start: 0, count: recording.length }], "set", { depth: "tiff", task: "fold the towel" });
 */
export async function writeLerobot(
  parts: readonly EpisodePart[],
  target: string | Folder,
  options: LerobotOptions,
): Promise<number> {
  checkOptions("writeLerobot", options, lerobotRules);
  checkArgument("writeLerobot", "the episodes", partsRule, parts);
  const folder = typeof target === "string" ? await Folder.create(target) : target;
  const set = new DataSet(folder, Math.max(1, Math.round(parts[0].recording.fps)), options);
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  let before = 0;
  try {
    for (const part of parts) {
      const onFrame = (done: number) => options.onFrame?.(before + done, total);
      await set.begin(part);
      before += await eachFrame(part.recording, { ...options, ...part, onFrame }, async (frame, position) => {
        await set.frame(frame, position, await poseOf(part.recording, frame.index));
      });
      await set.end();
    }
    await set.finish();
  } finally {
    await set.close();
  }
  return before;
}

class DataSet {
  readonly #episodes: Record<string, unknown>[] = [];
  readonly #stats: Readonly<Record<string, Stats>>[] = [];
  readonly #coding = new CodingLoss();
  #first: DepthFrame | undefined;
  #table: TableFile | undefined;
  #tables = 0;
  #film: FilmFile | undefined;
  #rows: Record<string, unknown>[] = [];
  #bytes = 0;
  #images: Record<string, ImageStats> = {};
  #hasState = false;
  #states: number[][] = [];
  #frames = 0;
  #inEpisode = 0;
  #beganMs = 0;

  constructor(
    readonly folder: Folder,
    readonly fps: number,
    readonly options: LerobotOptions,
  ) {}

  begin({ count }: EpisodePart): Promise<void> {
    this.#inEpisode = 0;
    this.#states = [];
    this.#images = { [DEPTH]: new ImageStats(count, 1, 1, 65536), [COLOR]: new ImageStats(count, 3, 4, 256) };
    return this.#nextTable(count);
  }

  /** Goes on to another table where the episode would make the present one too large. */
  async #nextTable(count: number): Promise<void> {
    const { bytes = 0, rows = 0 } = this.#table ?? {};
    if (rows === 0 || bytes + (count * bytes) / rows < TABLE_MB * 2 ** 20) return;
    await this.#table?.close();
    this.#table = undefined;
    this.#tables++;
  }

  async frame(frame: DepthFrame, position: number, pose: Pose | undefined): Promise<void> {
    const { depth: kept, losses } = this.options;
    if (!this.#first) this.#hasState = pose !== undefined;
    if (this.#hasState && !pose) losses?.note("frames without a pose have NaN as their state");
    if (!this.#hasState && pose) losses?.note("the camera's poses are not kept, as the first frame has none");
    this.#first ??= frame;
    if (String(frame.depth.shape) !== String(this.#first.depth.shape) || !frame.color !== !this.#first.color)
      throw new SourceError(
        `${this.folder.path}: frame ${frame.index} differs from the first frame in size or colour, and all frames of a LeRobot data set have the same features; convert the recordings one by one`,
      );
    losses?.lens(frame);
    if (position === 0) this.#beganMs = frame.timestamp;
    // Each episode begins at 0.
    losses?.time({ ...frame, timestamp: frame.timestamp - this.#beganMs }, this.fps, position);
    const numbers = { timestamp: position / this.fps, frame_index: position, episode_index: this.#episodes.length };
    const row: Record<string, unknown> = { ...numbers, index: this.#frames, task_index: 0 };
    if (this.#hasState) {
      const state = pose ? [pose[3], pose[7], pose[11], ...quaternionOf(pose)] : Array(7).fill(Number.NaN);
      this.#states.push(state);
      row[STATE] = state;
    }
    const name = `frame-${String(position).padStart(6, "0")}`;
    const [height, width] = frame.depth.shape;
    if (kept === "hevc") {
      this.#film ??= new FilmFile(await this.#path(this.#filmPath), width, height, this.fps);
      this.#images[DEPTH].add(position, inUnits(frame, MILLIMETRES).data, width, height);
      await this.#film.add(this.#coding.codesOf(frame));
    } else {
      const units = inUnits(frame, this.#unit, losses);
      this.#images[DEPTH].add(position, units.data, width, height);
      const bytes = await (kept === "png" ? depthPng(units) : depthTiff(this.#isWhole ? units : this.#metres(units)));
      row[DEPTH] = { bytes, path: `${name}.${kept}` };
      this.#bytes += bytes.length;
    }
    if (frame.color) {
      const bytes = await opaquePng(frame.color, losses);
      this.#images[COLOR].add(position, frame.color.data, width, height);
      row[COLOR] = { bytes, path: `${name}.png` };
      this.#bytes += bytes.length;
    }
    this.#rows.push(row);
    this.#frames++;
    this.#inEpisode++;
    if (this.#bytes > GROUP_BYTES) await this.#flush();
  }

  get #filmPath(): string {
    return pathOf(`videos/${DEPTH}`, this.#episodes.length, "mp4");
  }

  /** Whether depth is kept in whole millimetres, as LeRobot takes all whole numbers; TIFFs keep finer units as metres. */
  get #isWhole(): boolean {
    return this.options.depth !== "tiff" || this.#first?.metresPerUnit === MILLIMETRES;
  }

  /** The unit in which depth is exact. */
  get #unit(): number {
    return this.#isWhole ? MILLIMETRES : (this.#first?.metresPerUnit ?? MILLIMETRES);
  }

  #metres({ data, shape }: DepthFrame["depth"]): NdArray<Float32Array> {
    return image(
      Float32Array.from(data, (value) => value * this.#unit),
      shape,
    );
  }

  async #path(name: string): Promise<string> {
    const path = join(this.folder.path, name);
    await makeFolder(dirname(path));
    return path;
  }

  async #flush(): Promise<void> {
    this.#table ??= await TableFile.create(await this.#path(pathOf("data", this.#tables, "parquet")), this.#columns, {
      huggingface: { info: { features: hubFeatures(this.#columns) } },
    });
    await this.#table.add(this.#rows.splice(0));
    this.#bytes = 0;
  }

  /** Ends an episode. */
  async end(): Promise<void> {
    if (this.#inEpisode === 0) return;
    await this.#flush();
    const film = this.#film;
    await film?.close();
    this.#film = undefined;
    const [index, length] = [this.#episodes.length, this.#inEpisode];
    const all = (of: (i: number) => number) => numberStats(Array.from({ length }, (_, i) => of(i)));
    const stats: Record<string, Stats> = {
      [DEPTH]: this.#images[DEPTH].stats(this.#isWhole ? 1 : this.#unit),
      ...(this.#first?.color && { [COLOR]: this.#images[COLOR].stats(1 / 255) }),
      ...(this.#hasState && { [STATE]: vectorStats(this.#states) }),
      timestamp: all((i) => i / this.fps),
      frame_index: all((i) => i),
      episode_index: all(() => index),
      index: all((i) => this.#frames - length + i),
      task_index: all(() => 0),
    };
    this.#stats.push(stats);
    const { chunk_index, file_index } = placeOf(this.#tables);
    const place = placeOf(index);
    this.#episodes.push({
      episode_index: index,
      tasks: [this.options.task],
      length,
      "data/chunk_index": chunk_index,
      "data/file_index": file_index,
      dataset_from_index: this.#frames - length,
      dataset_to_index: this.#frames,
      ...(film && {
        [`videos/${DEPTH}/chunk_index`]: place.chunk_index,
        [`videos/${DEPTH}/file_index`]: place.file_index,
        [`videos/${DEPTH}/from_timestamp`]: 0,
        [`videos/${DEPTH}/to_timestamp`]: length / this.fps,
      }),
      ...flatStats(stats),
      "meta/episodes/chunk_index": 0,
      "meta/episodes/file_index": 0,
    });
  }

  /** Writes `meta/`. */
  async finish(): Promise<void> {
    await this.#table?.close();
    this.#table = undefined;
    const { folder, options } = this;
    this.#coding.tell(options.losses);
    const [first] = this.#episodes;
    if (!this.#first || !first) throw new SourceError(`${folder.path}: none of the recording's frames can be read`);
    const columns = Object.fromEntries(Object.entries(first).map(([name, value]) => [name, typeOf(name, value)]));
    const episodes = await TableFile.create(await this.#path(pathOf("meta/episodes", 0, "parquet")), columns);
    await episodes.add(this.#episodes);
    await episodes.close();
    const tasks = await TableFile.create(await this.#path("meta/tasks.parquet"), TASKS, { pandas: PANDAS });
    await tasks.add([{ task_index: 0, task: options.task }]);
    await tasks.close();
    const keys = Object.keys(this.#stats[0]);
    const stats = keys.map((key) => {
      const all = aggregated(this.#stats.map((one) => one[key]));
      return [key, Object.fromEntries(Object.entries(all).map(([name, values]) => [name, nested(key, values, name)]))];
    });
    await folder.write("meta/stats.json", json(Object.fromEntries(stats)));
    const told = { frames: this.#frames, episodes: this.#episodes.length, fps: this.fps, unit: this.#unit };
    await folder.write("meta/info.json", json(infoOf(this.#first, options.depth === "hevc", this.#hasState, told)));
  }

  get #columns(): Columns {
    return {
      ...(this.options.depth !== "hevc" && ({ [DEPTH]: "image" } as const)),
      ...(this.#first?.color && ({ [COLOR]: "image" } as const)),
      ...(this.#hasState && { [STATE]: { list: "float" } as const }),
      ...NUMBERS,
    };
  }

  async close(): Promise<void> {
    this.#film?.abandon();
    await this.#table?.close().catch(() => {});
  }
}

const json = (value: object) => `${JSON.stringify(value, null, 4)}\n`;

const flatStats = (stats: Readonly<Record<string, Stats>>) =>
  Object.fromEntries(
    Object.entries(stats).flatMap(([key, one]) =>
      Object.entries(one).map(([name, values]) => [`stats/${key}/${name}`, nested(key, values, name)]),
    ),
  );

/** The type of an episode's value. */
function typeOf(name: string, value: unknown): Columns[string] {
  if (Array.isArray(value)) return { list: typeOf(name, value[0]) };
  if (typeof value === "string") return "string";
  return /^stats\/.*(?<!\/count)$|_timestamp$/.test(name) ? "double" : "int64";
}
