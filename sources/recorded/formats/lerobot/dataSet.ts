import { SourceError } from "../../../../core/source.ts";
import { ParquetTable } from "../../../decode/parquet/table.ts";
import { type ByteFile, bytesAsFile, type Files, mostLines, readText } from "../../../files/files.ts";
import { isDepthFile } from "../../depthFile.ts";

export const INFO = "meta/info.json";
/** The most bytes of `meta/info.json` and of version 2's list of episodes. */
const LONGEST_INFO = 16 * 2 ** 20;
const LONGEST_LIST = 64 * 2 ** 20;
/** The most characters of a path's template, of a path, and of a feature's name. */
const LONGEST_PATH = 1000;
const MOST_EPISODES = 100_000;
const MOST_FEATURES = 1000;

/** The entry of a feature in `meta/info.json`, an object of any shape. */
export type Feature = Readonly<Record<string, unknown>>;

export interface DataSet {
  readonly files: Files;
  readonly info: Feature;
  readonly fps: number;
  readonly features: ReadonlyMap<string, Feature>;
  /** The features that have depth. */
  readonly depth: readonly string[];
}

/** An episode's number, its frames, and where its data is. */
export interface Episode {
  readonly index: number;
  readonly length: number;
  /** The table with the episode's rows, and the first of them. */
  readonly table: string;
  readonly row: number;
  /** The film of a feature, and where in it the episode begins, in s. */
  film(key: string): { readonly name: string; readonly fromS: number };
}

const objectOf = (value: unknown): Feature =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Feature) : {};

/** Everything that is said of a feature beside its type and shape: LeRobot has had two places for it. */
export const saidOf = (feature: Feature): Feature => ({
  ...feature,
  ...objectOf(feature.video_info),
  ...objectOf(feature.info),
});

/**
 * Reads `meta/info.json`; `undefined` where it is not LeRobot's, or where it names no depth and the folder has depth as files. Throws a
 * `SourceError`.
 */
export async function readDataSet(files: Files): Promise<DataSet | undefined> {
  const text = await readText(files, INFO, LONGEST_INFO);
  let info: Feature;
  try {
    info = objectOf(JSON.parse(text));
  } catch {
    throw new SourceError(`${files.name}/${INFO}: this is not JSON; download the data set again`);
  }
  const { codebase_version: version, fps } = info;
  if (typeof version !== "string" || typeof info.features !== "object") return undefined;
  if (!/^v[23]\./.test(version))
    throw new SourceError(`${files.name}/${INFO}: it is of LeRobot ${version}; only v2 and v3 are read: convert it`);
  const features = new Map(Object.entries(objectOf(info.features)).slice(0, MOST_FEATURES).map(named));
  for (const text of [info.data_path, info.video_path, ...features.keys()]) {
    if (typeof text === "string" && text.length > LONGEST_PATH)
      throw new SourceError(
        `${files.name}/${INFO}: a path or name in it has ${text.length} characters; ${LONGEST_PATH} at most are read`,
      );
  }
  const isDepth = (said: Feature) => said.is_depth_map === true || said["video.is_depth_map"] === true;
  const flagged = [...features].filter(([, feature]) => isDepth(saidOf(feature))).map(([key]) => key);
  const called = [...features.keys()].filter((key) => /depth/i.test(key) && !/mask|conf|vis/i.test(key));
  const depth = flagged.length > 0 ? flagged : called;
  if (depth.length === 0) {
    if ((await files.list()).some(isDepthFile)) return undefined;
    const there = [...features.keys()].slice(0, 8).join(", ");
    throw new SourceError(`${files.name}: none of this LeRobot data set's features is depth; it has ${there}`);
  }
  return { files, info, fps: typeof fps === "number" ? fps : Number.NaN, features, depth };
}

const named = ([key, feature]: [string, unknown]) => [key, objectOf(feature)] as const;

/** Opens a table of the data set. The file stays open as long as the recording does: `opened` collects it. */
export async function openTable(files: Files, name: string, opened: ByteFile[]): Promise<ParquetTable> {
  if (!(await files.has(name)))
    throw new SourceError(`${files.name}/${name}: it is missing; download the whole data set`);
  const file = (await files.file?.(name)) ?? bytesAsFile(await files.read(name), `${files.name}/${name}`);
  opened.push(file);
  return ParquetTable.open(file);
}

/** A feature's name without the words for depth and colour; the features of one camera then have the same name. */
export const cameraOf = (name: string) => name.replace(/[._-]?(depths?|rgb|colou?r|images?)(?=[._-]|$)/gi, "");

/** The most films, beside that of a feature of depth, whose places are read. */
const MOST_FILMS = 8;

/**
 * The episodes: of version 3 by the tables in `meta/episodes/`, of version 2 by `meta/episodes.jsonl`. Only the films of the camera of
 * feature `key` are known.
 */
export async function readEpisodes(set: DataSet, key?: string): Promise<readonly Episode[]> {
  const { files, info } = set;
  const names = (await files.list()).filter((name) => /^meta\/episodes\/.*\.parquet$/.test(name));
  const episodes = names.length > 0 ? await episodesOfTables(set, names, key) : await episodesOfLines(set);
  if (episodes.length > 0) return episodes;
  throw new SourceError(`${files.name}: this LeRobot data set (${info.codebase_version}) lists no episode`);
}

async function episodesOfTables(
  { files, info, features }: DataSet,
  names: readonly string[],
  wantedKey: string | undefined,
): Promise<Episode[]> {
  const columns = new Map<string, number[]>();
  const films = [...features]
    .filter(([key, { dtype }]) => dtype === "video" && wantedKey !== undefined && cameraOf(key) === cameraOf(wantedKey))
    .map(([key]) => key)
    .toSorted((a, b) => Number(b === wantedKey) - Number(a === wantedKey))
    .slice(0, MOST_FILMS);
  const places = films.flatMap((key) =>
    ["chunk_index", "file_index", "from_timestamp"].map((one) => `videos/${key}/${one}`),
  );
  const wanted = ["episode_index", "length", "dataset_from_index", "data/chunk_index", "data/file_index", ...places];
  let count = 0;
  for (const name of names) {
    const opened: ByteFile[] = [];
    try {
      const table = await openTable(files, name, opened);
      count += table.rows;
      if (count > MOST_EPISODES) throw new SourceError(`${files.name}: it has more than ${MOST_EPISODES} episodes`);
      for (const column of wanted) {
        const values = await table.column(column);
        const all = columns.get(column) ?? [];
        for (let i = 0; i < table.rows; i++) all.push(Number(values[i] ?? Number.NaN));
        columns.set(column, all);
      }
    } finally {
      await Promise.all(opened.map((file) => file.close()));
    }
  }
  const at = (column: string, i: number) => columns.get(column)?.[i] ?? Number.NaN;
  const tableOf = (i: number) =>
    placeIn(info.data_path, { chunk_index: at("data/chunk_index", i), file_index: at("data/file_index", i) });
  const fileOf = (i: number) => `${at("data/chunk_index", i)} ${at("data/file_index", i)}`;
  const firsts = new Map<string, number>();
  for (let i = 0; i < count; i++) {
    const [file, first] = [fileOf(i), at("dataset_from_index", i)];
    firsts.set(file, Math.min(first, firsts.get(file) ?? first));
  }
  return Array.from({ length: count }, (_, i) => ({
    index: at("episode_index", i),
    length: whole(at("length", i)),
    // The paths of all episodes together may be long: each is made when it is asked for.
    get table() {
      return tableOf(i);
    },
    row: whole(at("dataset_from_index", i) - (firsts.get(fileOf(i)) ?? 0)),
    film: (key: string) => ({
      name: placeIn(info.video_path, {
        video_key: key,
        chunk_index: at(`videos/${key}/chunk_index`, i),
        file_index: at(`videos/${key}/file_index`, i),
      }),
      fromS: Math.max(0, at(`videos/${key}/from_timestamp`, i)) || 0,
    }),
  }));
}

async function episodesOfLines({ files, info }: DataSet): Promise<Episode[]> {
  const name = "meta/episodes.jsonl";
  if (!(await files.has(name)))
    throw new SourceError(`${files.name}: it has neither meta/episodes/ nor ${name}; download the whole data set`);
  const lines = (await readText(files, name, LONGEST_LIST)).split("\n", mostLines(files)).filter((line) => line.trim());
  const chunk = Number(info.chunks_size) || 1000;
  return lines.slice(0, MOST_EPISODES).map((line, i) => {
    let said: Feature = {};
    try {
      said = objectOf(JSON.parse(line));
    } catch {
      throw new SourceError(`${files.name}/${name}, line ${i + 1}: this is not JSON; download the data set again`);
    }
    const index = Number(said.episode_index);
    const numbers = { episode_index: index, episode_chunk: Math.floor(index / chunk) };
    return {
      index,
      length: whole(Number(said.length)),
      get table() {
        return placeIn(info.data_path, numbers);
      },
      row: 0,
      film: (key: string) => ({ name: placeIn(info.video_path, { ...numbers, video_key: key }), fromS: 0 }),
    };
  });
}

/** A path with values in place of Python's fields: "{chunk_index:03d}". */
const placeIn = (path: unknown, values: Readonly<Record<string, string | number>>): string =>
  String(path)
    .replace(/\{(\w{1,40})(?::0?(\d{1,2})d)?\}/g, (_, name: string, digits = "0") =>
      String(values[name] ?? "").padStart(Number(digits), "0"),
    )
    .slice(0, LONGEST_PATH);

const whole = (value: number): number => (Number.isSafeInteger(value) && value > 0 ? value : 0);
