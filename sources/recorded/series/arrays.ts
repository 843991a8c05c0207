import { SourceError } from "../../../core/source.ts";
import { baseOf, bytesAsFile, type Files, mostNames, tooMany } from "../../files/files.ts";
import { openZip } from "../../files/zip.ts";
import { DEPTH_ROLES, roleOf } from "../../format/roles.ts";
import { kindsOf } from "../beside/pair.ts";
import { FortranOrder, readNpyHeader } from "../formats/npy/array.ts";
import { depthSeriesIn } from "./choose.ts";

const PACKED = /\.npz$/i;
/** An array in one of many `.npz` files: "0001.npz/depth.npy". */
export const isInArrays = (name: string): boolean => /\.npz\/[^/]+\.npy$/i.test(name);
/**
 * The number of first files to try, since some may be damaged; the most arrays of a file that are looked at, and the most bytes of each.
 */
const TRIED = 3;
const MOST_LOOKED_AT = 8;
const LARGEST = 2 ** 25;

/**
 * The files of a folder in which each frame is one `.npz` file: in the view that is returned those files are folders of arrays,
 * "0001.npz/depth.npy", with the keys of the first file. Any other folder is returned as it is: one with fewer than two such files, with
 * depth in other files, or whose `.npz` files have stacks of images, each of which is a recording.
 */
export async function withArrays(files: Files): Promise<Files> {
  if (PACKED.test(files.name)) return files;
  const names = await files.list();
  const frames = [...kindsOf(names.filter((name) => PACKED.test(name))).values()].filter(({ length }) => length > 1);
  const [first, ...more] = frames;
  if (!first || more.length > 0 || (await depthSeriesIn(files)).isDepth) return files;
  const keys = await keysOf(files, first);
  if (keys.length === 0) return files;
  const most = mostNames(files.packed);
  if (first.length * keys.length > most) throw tooMany(files.name, most);
  const packed = new Set(first);
  const list = names.flatMap((name) => (packed.has(name) ? keys.map(({ key }) => `${name}/${key}`) : [name]));
  const sizes = new Map(keys.map(({ key, size }) => [key, size]));
  const known = new Set(list);
  const { file } = files;
  const read = async (name: string) => {
    const at = name.lastIndexOf("/");
    return packed.has(name.slice(0, at))
      ? inside(files, name.slice(0, at), (zip) => zip.read(name.slice(at + 1)))
      : files.read(name);
  };
  return {
    ...files,
    list: async () => list,
    find: async (wanted) => list.find(wanted),
    has: async (name) => known.has(name),
    unpackedSize: (name) => (isInArrays(name) ? (sizes.get(baseOf(name)) ?? 0) : (files.unpackedSize?.(name) ?? 0)),
    read,
    ...(file && { file: async (name) => (isInArrays(name) ? bytesAsFile(await read(name), name) : file(name)) }),
  };
}

/** Opens a `.npz` file for one reading. */
async function inside<T>(files: Files, name: string, use: (zip: Files) => Promise<T>): Promise<T> {
  const where = `${files.name}/${name}`;
  const file = files.file ? await files.file(name) : bytesAsFile(await files.read(name), where);
  try {
    return await use(await openZip(file));
  } finally {
    await file.close();
  }
}

/** An array of a file, and its size in bytes. */
interface Key {
  readonly key: string;
  readonly size: number;
}

/** The arrays of the first file that can be read; none where no array of depth is one image. */
async function keysOf(files: Files, names: readonly string[]): Promise<readonly Key[]> {
  for (const name of names.slice(0, TRIED)) {
    const keys = await unlessDamaged(() => inside(files, name, (zip) => imagesIn(zip, `${files.name}/${name}`)));
    if (keys) return keys;
  }
  return [];
}

async function imagesIn(zip: Files, where: string): Promise<readonly Key[]> {
  const names = (await zip.list()).filter((key) => /^[^/]+\.npy$/i.test(key));
  const keys = names.map((key) => ({ key, size: zip.unpackedSize?.(key) ?? 0 }));
  const likely = keys.filter(({ key, size }) => DEPTH_ROLES.includes(roleOf(key)) && size <= LARGEST);
  for (const { key } of likely.slice(0, MOST_LOOKED_AT)) {
    const array = await unlessDamaged(
      async () => readNpyHeader(await zip.read(key), `${where}/${key}`),
      roleOf(key) !== "unnamed",
    );
    if (array?.frames === 1 && array.width > 4 && array.height > 4) return keys;
  }
  return [];
}

/**
 * Reads something; returns `undefined` if the file is damaged. If it is an array that `isDepth` by its name, an error tells that its
 * columns are stored one after the other.
 */
const unlessDamaged = <T>(read: () => Promise<T>, isDepth = true): Promise<T | undefined> =>
  read().catch((error) => {
    if (error instanceof SourceError && !(isDepth && error instanceof FortranOrder)) return undefined;
    throw error;
  });
