import { type DepthTopic, SeveralTopicsError } from "../../../../core/severalTopics.ts";
import { SourceError } from "../../../../core/source.ts";
import type { Decoder } from "../../../decode/index.ts";
import type { ParquetTable } from "../../../decode/parquet/table.ts";
import type { ByteFile, Files } from "../../../files/files.ts";
import { depthFormatOf, type FormatDefaults } from "../../../format/depthFormat.ts";
import type { Frames, OpenOptions, Pose } from "../../../format/format.ts";
import { lensesIn } from "../../beside/lens.ts";
import { type Colors, fileFrames } from "../../fileFrames.ts";
import { readPose } from "../tum/lists.ts";
import { cameraOf, type DataSet, type Episode, INFO, openTable, readDataSet, readEpisodes, saidOf } from "./dataSet.ts";
import { depthOfFilm, depthOfTable, type EpisodeDepth, pathOf, type Wanted } from "./depth.ts";
import { EPISODE, episodeIn } from "./episode.ts";

const MOST_TOPICS = 500;

/** Opens an episode of a data set: see `lerobot`. `undefined` for a folder that is not a data set. */
export async function openDataSet(files: Files, options: OpenOptions, decoder: Decoder): Promise<Frames | undefined> {
  const set = await readDataSet(files);
  if (!set) return undefined;
  const episodes = await readEpisodes(set, options.topic?.replace(EPISODE, "") || set.depth[0]);
  const opened: ByteFile[] = [];
  const warnings: string[] = [];
  let depth: EpisodeDepth | undefined;
  const close = async () => {
    depth?.close();
    await Promise.all(opened.map((file) => file.close()));
  };
  try {
    const [key, chosen] = choose(set, episodes, options.topic, warnings);
    count(set, episodes, warnings);
    const feature = set.features.get(key) ?? {};
    const table = (await files.has(chosen.table)) ? await openTable(files, chosen.table, opened) : undefined;
    const episode = withinTable(files, chosen, table, warnings);
    const open = feature.dtype === "video" ? depthOfFilm : depthOfTable;
    const wanted = { set, key, episode, table, decoder, options, warnings };
    depth = await open(wanted);
    const lens = await lensOfFeature(set, key, table, episode.row);
    const from = `file ${INFO}` as const;
    const meaning = depthFormatOf(
      options,
      undefined,
      {
        topics: true,
        likelyFloat: depth.likelyFloat,
        ...(depth.unit && { metresPerUnit: depth.unit }),
        invalid: { value: [], from: "LeRobot default" },
        ...(set.fps > 0 && { fps: { value: set.fps, from } }),
        ...lens,
      },
      warnings,
    );
    const { width, height, kind } = depth;
    // Only the names and frames of the other topics are known.
    const known = {
      size: { width, height },
      ...(lens.lens && {
        intrinsics: meaning.intrinsics(width, height),
        intrinsicsFrom: lens.lens.from.replace(/^\w+ /, ""),
      }),
    };
    const topicOf = (name: string, frames: number): DepthTopic => ({
      name,
      kind,
      frames,
      metresPerUnit: meaning.metresPerUnit,
      ...(name === nameOf(episodes, key, episode) && known),
    });
    const topics = set.depth.flatMap((one) =>
      episodes.map((each) => topicOf(nameOf(episodes, one, each), each.length)),
    );
    const frames = fileFrames({
      width,
      height,
      meaning,
      warnings,
      times: Array.from({ length: episode.length }, (_, i) => (i * 1000) / meaning.fps),
      depth: depth.reader(meaning),
      color: options.color !== false && (await colorOf(wanted, depth)),
      pose: await posesInStates(set, table, episode, warnings),
    });
    const topic = nameOf(episodes, key, episode);
    const fact = {
      what: "topic",
      value: `${topic} (${kind})`,
      from: options.topic === undefined ? "files" : "option",
    } as const;
    return { ...frames, facts: [fact, ...frames.facts], topics: topics.slice(0, MOST_TOPICS), topic, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The most frames of an episode without a table: two hours at 30 Hz and more. */
const MOST_FRAMES = 500_000;

/** The episode, with at most as many frames as its table has rows: its length comes from elsewhere, and may be anything. */
function withinTable(
  files: Files,
  { index, table: name, row, length, film }: Episode,
  table: ParquetTable | undefined,
  warnings: string[],
): Episode {
  const most = table ? Math.max(0, table.rows - row) : MOST_FRAMES;
  if (length > most)
    warnings.push(
      `${files.name}/${name}: ${table ? `it has ${table.rows} rows` : "it is missing"}, and episode ${index} needs ${row + length}; the frames beyond cannot be read, and are left out`,
    );
  return { index, table: name, row, length: Math.min(length, most), film };
}

/** The episodes of a data set, where a folder is one with several: what `topic` names each by, and its frames. */
export async function episodesIn(
  files: Files,
): Promise<readonly { readonly topic: string; readonly frames: number }[]> {
  const set = (await files.has(INFO)) ? await readDataSet(files) : undefined;
  const episodes = set ? await readEpisodes(set) : [];
  return episodes.length < 2
    ? []
    : episodes.map(({ index, length }) => ({ topic: `episode ${index}`, frames: length }));
}

/** A recording's name among the topics: its feature, and the episode's number where there are several. */
const nameOf = (episodes: readonly Episode[], key: string, { index }: Episode) =>
  episodes.length > 1 ? `${key} episode ${index}` : key;

/** The feature and the episode that `topic` names: "observation.depth", "observation.depth episode 7" or "episode 7". */
function choose(
  set: DataSet,
  episodes: readonly Episode[],
  topic: string | undefined,
  warnings: string[],
): readonly [string, Episode] {
  const where = set.files.name;
  const number = episodeIn(topic);
  const named = topic?.replace(EPISODE, "") || undefined;
  const episode = number === undefined ? episodes[0] : episodes.find(({ index }) => index === number);
  if (!episode) {
    const last = episodes[episodes.length - 1].index;
    throw new SourceError(`${where}: it has no episode ${number}; there are ${episodes[0].index} to ${last}`);
  }
  if (named === undefined && set.depth.length > 1)
    throw new SeveralTopicsError(
      where,
      set.depth.map((key) => ({ name: nameOf(episodes, key, episode) })),
    );
  const key = named ?? set.depth[0];
  if (!set.depth.includes(key))
    throw new SourceError(`${where}: it has no depth feature "${key}"; there is ${set.depth.join(", ")}`);
  if (episodes.length > 1 && number === undefined)
    warnings.push(
      `${where}: it has ${episodes.length} episodes, each a recording; this is episode ${episode.index} (choose another by its topic, such as "${nameOf(episodes, key, episodes[1])}")`,
    );
  return [key, episode];
}

/** Warns where the episodes are not those that `meta/info.json` counts. */
function count({ files, info }: DataSet, episodes: readonly Episode[], warnings: string[]): void {
  const frames = episodes.reduce((sum, { length }) => sum + length, 0);
  const { total_episodes: allEpisodes, total_frames: allFrames } = info;
  const differs = (said: unknown, found: number) => typeof said === "number" && said !== found;
  if (differs(allEpisodes, episodes.length) || differs(allFrames, frames))
    warnings.push(
      `${files.name}/${INFO}: it counts ${allFrames} frames in ${allEpisodes} episodes, and there are ${frames} in ${episodes.length}: part of the data set may be missing`,
    );
}

/** The same camera's colour, where it has depth's size, as a film or in the table: its name is that of depth without "depth". */
async function colorOf(
  { set, key, episode, table, decoder, warnings }: Wanted,
  { width, height }: EpisodeDepth,
): Promise<Colors | undefined> {
  const found = [...set.features].find(
    ([name, { dtype, shape }]) =>
      (dtype === "video" || dtype === "image") &&
      !set.depth.includes(name) &&
      cameraOf(name) === cameraOf(key) &&
      Array.isArray(shape) &&
      [width, height, 3].every((side) => shape.includes(side)),
  );
  if (!found) return undefined;
  const [name, feature] = found;
  const used = (where: string) =>
    warnings.push(`${where} is used as the colour of depth, as if registered to it (color: false leaves it out)`);
  const bytes = feature.dtype === "image" ? table?.leaf(name, "bytes") : undefined;
  if (table && bytes) {
    const where = `${set.files.name}/${episode.table}: ${name}`;
    if (saidOf(feature).registered !== true) used(where);
    return {
      count: episode.length,
      kind: "images in Parquet",
      async read(index) {
        const cell = await table.cell(bytes, episode.row + index);
        const image = cell instanceof Uint8Array && (await decoder.color(cell.slice(), where));
        if (typeof image === "string") return image;
        return image && image.width === width && image.height === height ? image.data : undefined;
      },
    };
  }
  const path = feature.dtype === "video" ? pathOf(set, episode, name) : undefined;
  if (path === undefined || !import.meta.env.SSR) return undefined;
  const { openColorFilm } = await import("./film.ts");
  const { name: film, fromS } = episode.film(name);
  const where = `${set.files.name}/${film}`;
  used(`${where}: this film`);
  const opened = openColorFilm({ path, where, fps: set.fps || 30, fromS, maxPixels: width * height }, width, height);
  opened.catch(() => {});
  return {
    count: episode.length,
    kind: `film ${saidOf(feature)["video.codec"] ?? ""}`.trim(),
    read: async (index) => (await opened).read(index),
  };
}

const STATE = "observation.state";
/** x, y, z, and the turn as a quaternion, its real part last. */
const NUMBERS = 7;

/**
 * The camera's poses in an episode's states, where `meta/info.json` says that the states are these, as `convert` writes it. LeRobot itself
 * keeps a robot's joints or its hand's pose there, which are not the camera's.
 */
async function posesInStates(
  { files, features }: DataSet,
  table: ParquetTable | undefined,
  { row, length }: Episode,
  warnings: string[],
): Promise<((index: number) => Promise<Pose | undefined>) | undefined> {
  if (!table || saidOf(features.get(STATE) ?? {}).is_camera_pose !== true) return undefined;
  const all = await table.column(STATE);
  if (all.length !== NUMBERS * table.rows) {
    warnings.push(`${files.name}: ${STATE} has not ${NUMBERS} numbers in each row: frames go without a pose`);
    return undefined;
  }
  const states = Float64Array.from(all.slice(NUMBERS * row, NUMBERS * (row + length)), Number);
  return async (index) => {
    const state = [...states.subarray(NUMBERS * index, NUMBERS * (index + 1))];
    return state.some(Number.isNaN) ? undefined : readPose(state.map(String), `${files.name}, ${STATE}`);
  };
}

/**
 * The lens of a depth feature. LeRobot itself keeps no lens; people add fields to the feature in `meta/info.json`, or a feature of numbers
 * that is named after intrinsics and the camera. In such a feature the lens stands in the episode's first row.
 */
async function lensOfFeature(
  { info, features }: DataSet,
  key: string,
  table: ParquetTable | undefined,
  row: number,
): Promise<Pick<FormatDefaults, "lens" | "intrinsics">> {
  const words = key.split(/[._-]/).filter((word) => !/^(observation|images?|depths?)$/i.test(word));
  const isOurs = (name: string) => words.every((word) => name.includes(word));
  const said = lensesIn({ value: info }, INFO);
  const found =
    said.find(({ path }) => path.includes(key)) ??
    (said.length === 1 ? said[0] : said.find(({ path }) => isOurs(path) && !/rgb|colou?r/i.test(path)));
  if (found) {
    const said = { value: found.lens, from: `file ${INFO}` } as const;
    return found.lens.width === undefined ? { lens: said } : { intrinsics: said };
  }
  const names = [...features.keys()].filter((name) => /intrin|(^|[._])k$|camera_matrix/i.test(name));
  const name = names.find(isOurs) ?? (names.length === 1 ? names[0] : undefined);
  const leaf = name === undefined ? undefined : table?.leaf(name);
  if (!leaf || name === undefined) return {};
  const numbers = (await table?.firstList(leaf, row))?.map(Number) ?? [];
  const [one] = lensesIn({ rows: [numbers] }, "intrinsics");
  return one ? { lens: { value: one.lens, from: `topic ${name}` } } : {};
}
