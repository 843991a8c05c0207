import { SourceError } from "../../../../core/source.ts";
import type { Decoder } from "../../../decode/index.ts";
import type { ParquetTable } from "../../../decode/parquet/table.ts";
import { unitReader, unitsOf } from "../../../decode/pixels.ts";
import type { DepthFormat } from "../../../format/depthFormat.ts";
import type { OpenOptions, WithOrigin } from "../../../format/format.ts";
import { scaleIn } from "../../beside/lens.ts";
import { decodeDepthFile, likelyUnitIn, unitOfKind } from "../../depthFile.ts";
import { type DataSet, type Episode, type Feature, INFO, saidOf } from "./dataSet.ts";
import { quantizer, USUAL } from "./quantum.ts";

/** The part of a data set that is opened. */
export interface Wanted {
  readonly set: DataSet;
  readonly key: string;
  readonly episode: Episode;
  readonly table: ParquetTable | undefined;
  readonly decoder: Decoder;
  readonly options: OpenOptions;
  readonly warnings: string[];
}

export interface EpisodeDepth {
  readonly width: number;
  readonly height: number;
  /** The kind of images, for people: "film of 12 bits". */
  readonly kind: string;
  /** The unit of depth, where something says it. */
  readonly unit: WithOrigin<number> | undefined;
  /** The likely unit of floats that cannot be metres. */
  readonly likelyFloat?: number | undefined;
  /** Makes the function that reads frames in the unit that is known by then. */
  reader(meaning: DepthFormat): (index: number) => Promise<Uint16Array>;
  close(): void;
}

const from = `file ${INFO}` as const;

/** A film's place on the disk; `undefined` in a page and in an archive. */
export const pathOf = ({ files }: DataSet, episode: Episode, key: string): string | undefined =>
  files.path?.(episode.film(key).name);

/** Depth as images in a table, as LeRobot's data sets without films have it: TIFF or PNG of 16 bits, or TIFF of floats. */
export async function depthOfTable(wanted: Wanted): Promise<EpisodeDepth> {
  const { set, key, episode, table, decoder, warnings } = wanted;
  const { files } = set;
  const where = `${files.name}/${episode.table}`;
  if (!table) throw new SourceError(`${where}: it is missing; download the whole data set`);
  const [bytes, path] = [table.leaf(key, "bytes"), table.leaf(key, "path")];
  if (!bytes)
    throw new SourceError(
      `${where}: ${key} is not kept as images or as a film, but as ${table.leaf(key) ? "numbers in lists" : "nothing"}; write it again with the dtype "image"`,
    );
  const imageAt = async (index: number) => {
    const row = episode.row + index;
    const place = `${where}, row ${row}, ${key}`;
    const found = await table.cell(bytes, row);
    if (found instanceof Uint8Array && found.length > 0) return decodeDepthFile(found.slice(), place, decoder);
    const name = path && (await table.cell(path, row));
    const file = name instanceof Uint8Array ? new TextDecoder().decode(name) : "";
    if (file !== "" && (await files.has(file))) return decodeDepthFile(await files.read(file), place, decoder);
    throw new SourceError(`${place}: there is no image; download the whole data set`);
  };
  const first = await imageAt(0);
  const said = saidOf(set.features.get(key) ?? {});
  const { width, height, kind } = first;
  const written = unitWritten(said);
  return {
    width,
    height,
    kind: `${kind} in Parquet`,
    unit: written ?? unitOfKind(first).metresPerUnit ?? unitSaid(said),
    likelyFloat: written ? undefined : likelyUnitIn(first),
    reader(meaning) {
      const unitsIn = unitReader(meaning, files.name, warnings);
      return async (index) => {
        const { data, ...size } = await imageAt(index);
        if (size.width === width && size.height === height) return unitsIn(data);
        throw new SourceError(`${where}: frame ${index} is ${size.width}×${size.height}, not ${width}×${height}`);
      };
    },
    close() {},
  };
}

/** The unit from which depth in metres was made, where Depthloom wrote the data set. */
const unitWritten = ({ metresPerUnit: value }: Feature): WithOrigin<number> | undefined =>
  typeof value === "number" && value > 0 && value <= 1 ? { value, from } : undefined;

/** The unit of whole numbers: "mm" or "m" as LeRobot writes it, or a scale as people do. */
function unitSaid(said: Feature): WithOrigin<number> | undefined {
  const unit = said.depth_unit ?? said.unit;
  if (unit === "mm") return { value: 0.001, from };
  if (unit === "m") return { value: 1, from };
  const value = scaleIn({ value: said });
  return value === undefined ? undefined : { value, from };
}

/** Depth as a film: codes of 12 bits, in LeRobot's quantization, or whole units of 16. */
export async function depthOfFilm({ set, key, episode, options, warnings }: Wanted): Promise<EpisodeDepth> {
  const { name, fromS } = episode.film(key);
  const where = `${set.files.name}/${name}`;
  const path = pathOf(set, episode, key);
  if (!(await set.files.has(name))) throw new SourceError(`${where}: it is missing; download the whole data set`);
  if (!import.meta.env.SSR)
    throw new SourceError(
      `${where}: depth is a film here, which ffmpeg decodes and a page cannot; convert the data set by "depthloom convert"`,
    );
  if (path === undefined)
    throw new SourceError(`${where}: ffmpeg, which decodes films of depth, reads no archives; unpack the data set`);
  const { openGreyFilm } = await import("./film.ts");
  const maxPixels = Math.ceil((options.maxMegapixels ?? 16) * 2 ** 20);
  const said = saidOf(set.features.get(key) ?? {});
  const hashed = /\bhash=1\b/.test(JSON.stringify(said["video.extra_options"] ?? ""));
  const film = await openGreyFilm({ path, where, fps: set.fps > 0 ? set.fps : 30, fromS, maxPixels, hashed });
  const { width, height, bits } = film;
  if (bits <= 8) {
    film.close();
    throw new SourceError(
      `${where}: this film has 8 bits for a pixel, as pictures of depth have; depth has 12 in LeRobot: record it as such`,
    );
  }
  const quantum = bits === 16 ? undefined : quantization(said, bits, `${set.files.name}/${INFO}`, warnings);
  return {
    width,
    height,
    kind: `film of ${bits} bits`,
    unit: quantum ? { value: quantum.metresPerUnit, from } : unitSaid(said),
    reader({ metresPerUnit }) {
      const units =
        quantum && Uint16Array.from({ length: 2 ** bits }, (_, code) => unitsOf(quantum.metres(code), metresPerUnit));
      return async (index) => {
        const { buffer } = await film.read(index);
        const codes = new Uint16Array(buffer as ArrayBuffer);
        if (units) for (let i = 0; i < codes.length; i++) codes[i] = units[codes[i] & (2 ** bits - 1)];
        return codes;
      };
    },
    close: film.close.bind(film),
  };
}

/** The quantization that `meta/info.json` tells, or LeRobot's own. */
function quantization(said: Feature, bits: number, where: string, warnings: string[]) {
  const assumed: string[] = [];
  const of = (name: string, least: number, usual: number) => {
    const value = said[`video.${name}`] ?? said[name];
    if (typeof value === "number" && value >= least && value < 1e4) return value;
    assumed.push(`${name} ${usual}`);
    return usual;
  };
  const [near, far, shift] = [
    of("depth_min", 0, USUAL.near),
    of("depth_max", 0, USUAL.far),
    of("shift", 0, USUAL.shift),
  ];
  const isLog = (said["video.use_log"] ?? said.use_log) !== false;
  if (!(near < far) || (isLog && near + shift <= 0))
    throw new SourceError(`${where}: depth from ${near} to ${far} m with a shift of ${shift} cannot be; correct it`);
  if (assumed.length > 0)
    warnings.push(
      `${where}: it does not say how depth is coded; LeRobot's own values are taken (${assumed.join(", ")})`,
    );
  const { metres } = quantizer({ near, far, shift, isLog, bits });
  // Whole millimetres, or tenths where codes are closer together than that and still fit.
  return { metres, metresPerUnit: metres(2) - metres(1) < 0.001 && far < 6.5 ? 0.0001 : 0.001 };
}
