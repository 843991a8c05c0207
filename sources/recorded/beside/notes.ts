import { caught } from "../../../core/caught.ts";
import { SourceError } from "../../../core/source.ts";
import { type Files, folderOf, mostLines, readText, tooLong, tooManyLines } from "../../files/files.ts";
import { archives, named, recordingExtensions } from "../../format/extensions.ts";
import { isDepthFile } from "../depthFile.ts";
import { matlabIn } from "./matlab.ts";
import { haveOneName, kindsOf, type Pairs, pairByNames } from "./pair.ts";
import { parseText, type Said } from "./parse.ts";
import { depthFirst, othersThan } from "./whose.ts";

/** A text beside depth. */
export interface Note {
  readonly name: string;
  readonly said: Said;
}

/** Texts that each belong to one frame: poses, intrinsics. */
export interface Series extends Pairs {
  /** The folder of the texts, or the name of the first text. */
  readonly name: string;
}

/** The texts that lie beside depth. */
export interface Notes {
  readonly singles: readonly Note[];
  readonly series: readonly Series[];
  /** The names of texts and series that lie beside the recording's folder, neither in it nor around it. */
  readonly farther: ReadonlySet<string>;
  /** Whether a name is that of another camera than depth's. */
  isOthers(name: string): boolean;
  /** The names of the texts in series of which nobody needs to hear: all but a camera's that are not among the `used` ones. */
  paired(used: readonly (string | undefined)[]): readonly string[];
  /** The first text of each series that can be read. */
  firsts(): Promise<readonly Note[]>;
  /** Reads a text of a series; `undefined` for a text that is missing or cannot be read, of which the recording warns. */
  read(name: string | undefined): Promise<Said | undefined>;
}

const TEXT = /\.(txt|json|ya?ml|toml|xml|csv|pincam|traj|cfg|ini|conf|log|intr|camera|mat|g2o|pose)$|(^|\/)metadata$/i;
/** NumPy arrays that are a lens, a unit, a time, or poses. */
const ARRAY =
  /(^|[/_])(intrinsics?|K|camera_matrix|cam_?K|depth_?(scale|units?|factor)|time_?stamps?)\.npy$|intrinsics[^/]*\.npy$|(pose|traj|c2w|cam2world|w2c|world_?2_?cam|view_?mat)[^/]*(\/[^/]+)?\.npy$/i;
/** Texts that people wrote, and texts of programs that record nothing. */
export const OTHER = /(^|\/)(recording|package|tsconfig)\.json$|readme|licen[cs]e|requirements/i;
/** The most texts that are looked into, and the most bytes of one that is no list of poses. */
const MOST = 48;
const LONGEST = 16 * 2 ** 20;
/** The most texts of series that warnings name. */
const MOST_TOLD = 20;
/** Texts of so many bytes are read whatever other texts took. */
const SMALL = 2 ** 16;
/** The most bytes of all texts of a folder together. */
const IN_FOLDER = 64 * 2 ** 20;
/** The most bytes of all texts of an archive together: this many, and `PER_BYTE` more for each byte of the archive. */
const IN_ARCHIVE = 4 * 2 ** 20;
const PER_BYTE = 4;

/**
 * The texts in a recording's folder, up to two folders down, and in the folders around it up to what was opened (Replica's camera is one
 * level up). Texts whose names pair with the images' are one series. Faults become warnings.
 */
export async function notesBeside(
  all: Files,
  root: string,
  depth: readonly string[],
  warnings: string[],
  isOthers = othersThan(depth.map((name) => `${root}/${name}`)),
): Promise<Notes> {
  const images = new Set(depth.map((name) => (root === "" ? name : `${root}/${name}`)));
  const isWanted = (name: string) =>
    (TEXT.test(name) || ARRAY.test(name)) && !OTHER.test(name) && !images.has(name) && !isOthers(name);
  const listed = await all.list();
  // Where the opened folder has one recording, all of it is the recording's: "pc/01.pose" beside "imgs/scene_01/0.png".
  const isOne = isAlone(listed, root);
  const names = listed.filter((name) => isWanted(name) && (isOne || isNear(folderOf(name), root)));
  let left = all.packed === undefined ? IN_FOLDER : IN_ARCHIVE + PER_BYTE * all.packed;
  const series: Series[] = [];
  const singles: Note[] = [];
  const told = new Set<string>();
  const read = async (name: string | undefined): Promise<Said | undefined> => {
    if (name === undefined) return undefined;
    const without = ({ message }: Error) => {
      if (told.size < MOST_TOLD && !told.has(name)) warnings.push(`${message} (it is not used)`);
      told.add(name);
      return undefined;
    };
    return saidIn(all, name, LONGEST).catch(caught(SourceError, without));
  };
  const farther = new Set(names.filter((name) => !isNear(folderOf(name), root)));
  for (const group of kindsOf(names).values()) {
    const inFolder =
      group.length > 1 || (depth.length === 1 && /\d\.\w+$/.test(group[0])) ? pairByNames(depth, group) : undefined;
    if (inFolder) {
      const name = (!haveOneName(group) && folderOf(group[0])) || group[0];
      series.push({ ...inFolder, name });
      if (farther.has(group[0])) farther.add(name);
    } else if (group.length <= MOST) {
      for (const name of group) {
        if (singles.length === MOST) break;
        const said = await saidIn(all, name, Math.max(SMALL, Math.min(LONGEST, left)), (length) => {
          left -= length;
        }).catch(caught(SourceError, ({ message }) => void warnings.push(`${message} (it is not used)`)));
        if (said) singles.push({ name: relative(name, root), said });
      }
    }
  }
  singles.sort((a, b) => depthFirst(a.name) - depthFirst(b.name));
  const firsts = async () => {
    const all: Note[] = [];
    for (const { name, partners } of series) {
      const said = await read(partners.find((one) => one !== undefined));
      if (said) all.push({ name, said });
    }
    return all;
  };
  const paired = (used: readonly (string | undefined)[]) =>
    series
      .filter(({ name }) => used.includes(name) || !CAMERA.test(name))
      .flatMap(({ partners }) => partners.flatMap((name) => (name === undefined ? [] : [relative(name, root)])));
  return { singles, series, farther, isOthers, paired, firsts, read };
}

/** Reads a text, or a NumPy array as rows of numbers. Throws a `SourceError` that names it, whatever its contents do to its reader. */
async function saidIn(
  files: Files,
  name: string,
  most: number,
  spent: (length: number) => void = () => {},
): Promise<Said> {
  const where = `${files.name}/${name}`;
  if (/\.mat$/i.test(name)) {
    const bytes = await files.read(name);
    spent(bytes.length);
    return understood(files, name, async () => ({ value: await matlabIn(bytes, where) }));
  }
  if (!ARRAY.test(name)) {
    const text = await readText(files, name, most);
    spent(text.length);
    const lines = mostLines(files);
    if (endsOfLines(text) > lines) throw tooManyLines(where, lines);
    return understood(files, name, async () => parseText(text));
  }
  const { rowsIn } = await import("../formats/npy/rows.ts");
  const bytes = await files.read(name);
  spent(bytes.length);
  if (bytes.length > most) throw tooLong(where, bytes.length, most);
  return { rows: await understood(files, name, async () => rowsIn(bytes, where)) };
}

function endsOfLines(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) if (text[i] === "\n" || text[i] === "\r") count++;
  return count;
}

/** Returns what `read` makes of a text's contents. A fault of the reader costs this text, never the recording. */
async function understood<T>(files: Files, name: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw new SourceError(
      `${files.name}/${name}: reading it failed (${error}): a mistake in Depthloom, whose authors would like to hear of it and to have this text`,
    );
  }
}

/** Texts with such names may be about the camera, so a warning names those that are not read. */
export const CAMERA = /calib|intrin|extrin|cam|pose|traj|odom|time|scale/i;

/** Whether all images, films and recordings of a folder, but those around it, are those of the recording in its folder `root`. */
export const isAlone = (names: readonly string[], root: string): boolean =>
  root !== "" &&
  names.every(
    (name) => name.startsWith(`${root}/`) || !(isDepthFile(name) || (SEEN.test(name) && !isAround(name, root))),
  );

/** Images, films and recordings: in a folder of their own they are those of another recording. */
const PICTURED = "jpg jpeg bmp webp heic heif avif ppm mp4 avi mov webm db h5 hdf5 klg raw bin svo svo2 npz";
const SEEN = named([...recordingExtensions, ...archives, ...PICTURED.split(" ")]);
const isAround = (name: string, root: string) => folderOf(name) === "" || root.startsWith(`${folderOf(name)}/`);

/** Whether a folder of texts lies around the recording's folder, or in it, at most two levels down. */
const isNear = (folder: string, root: string) =>
  folder === root ||
  folderOf(folder) === root ||
  folderOf(folderOf(folder)) === root ||
  folder === "" ||
  root.startsWith(`${folder}/`);

/** A name as seen from the recording's folder. */
export const relative = (name: string, root: string) =>
  root !== "" && name.startsWith(`${root}/`) ? name.slice(root.length + 1) : name;
