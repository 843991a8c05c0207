import { shown } from "../../core/check.ts";
import { SourceError } from "../../core/source.ts";
import type { Bytes } from "../decode/codec.ts";

/** The files of a recording in a folder, in an archive or dropped on a page. */
export interface Files {
  /** The name that the user gave, which heads every message. */
  readonly name: string;
  /** Whether all names are known already. A .tar or .tgz has no table of contents and is read through in the background. */
  readonly indexed: boolean;
  /** The size in bytes of the archive that the files are packed in, if they are: it bounds the names and lists. */
  readonly packed?: number;
  /** Lines about the names that were left out. */
  readonly warnings?: readonly string[];
  /** All names, sorted, with "/" between folders. Waits until all are known. */
  list(): Promise<readonly string[]>;
  /** The first name in the archive's order that `wanted` accepts. Waits no longer than needed. */
  find(wanted: (name: string) => boolean): Promise<string | undefined>;
  /** Whether a file of this name exists. */
  has(name: string): Promise<boolean>;
  /** Reads a whole file into memory of its own. Throws a `SourceError` for a file that is missing, damaged or larger than `MAX_FILE`. */
  read(name: string): Promise<Bytes>;
  /** A file's size in bytes, where an archive tells it before the file is unpacked. `name` is one of the list. */
  unpackedSize?(name: string): number;
  /** Opens a file for reading at any position; absent where an archive cannot do that. */
  file?(name: string): Promise<ByteFile>;
  /** The path of a file on this machine's disk, for a program that reads it; absent in archives and in pages. */
  path?(name: string): string | undefined;
  /** The texts about cameras that lie beside the folder; absent in archives and in pages. */
  around?(): Promise<Files>;
  /** Frees what reading needs. */
  close(): Promise<void>;
}

/** A file that can be read at any position: an archive before it is opened, or a recording in a single file. */
export interface ByteFile {
  /** The file's name, which heads every message. */
  readonly name: string;
  /** Its size, bytes. */
  readonly size: number;
  /** The file's size before it was unpacked, where it was compressed as a whole. The `ParseBudget` of opening it depends on that size. */
  readonly packedSize?: number;
  /** Reads `length` bytes from `offset`; fewer where the file ends. */
  read(offset: number, length: number): Promise<Bytes>;
  /** Does as `read`, but returns the bytes at once, for a library that cannot wait. Available in Node and in a page's worker. */
  readSync?(offset: number, length: number): Bytes;
  /** Opens another file of the same folder; `undefined` where there is none. Absent where the folder is not known. */
  beside?(name: string): Promise<ByteFile | undefined>;
  /** Closes the file. */
  close(): Promise<void>;
}

/** Thrown for an archive that is cut short or damaged from some position on. The files before that position can be used. */
export class DamagedArchive extends SourceError {}

/** The most bytes of a single file of a recording. Files that an archive declares larger are not unpacked. */
export const MAX_FILE = 256 * 2 ** 20;
/** The most names of a recording, since names are held in memory: two hours of depth and colour at 30 Hz. */
export const MAX_NAMES = 500_000;

/** The levels of folders that are looked through below the one that is opened: data sets keep a recording six folders down. */
export const LEVELS = 8;

/** Characters of a name with its folders: no system has longer ones. */
const LONGEST_NAME = 4096;

/** The most names that an archive of `packed` bytes may have: a file of a recording takes more than 64 bytes in it. */
export const mostNames = (packed = Number.POSITIVE_INFINITY): number =>
  Math.min(MAX_NAMES, 10_000 + Math.floor(packed / 64));

/** The most lines of a list that are read of an archive of `packed` bytes: ten or so for each image, as poses have. */
export const mostLines = ({ packed = Number.POSITIVE_INFINITY }: Pick<Files, "packed">): number =>
  Math.min(MAX_NAMES, 20_000 + Math.floor(packed / 16));

export const tooManyLines = (where: string, most: number) =>
  new SourceError(`${where}: a list has ${most} lines at most; split it`);

/** The most bytes that a file of `packed` bytes in an archive may unpack to: arrays of one depth shrink to a thousandth. */
export const mostUnpacked = (packed: number): number => Math.min(MAX_FILE, 96 * 2 ** 20 + 64 * packed);

export const tooLarge = (where: string, size: number, most = MAX_FILE) =>
  new SourceError(
    `${where}: ${size} bytes unpacked are more than the ${most >> 20} MiB a file of a recording may have`,
  );

export const tooMany = (name: string, most = MAX_NAMES) =>
  new SourceError(`${name}: more than ${most} files; open the folder or archive of one recording`);

/**
 * Cleans the name that an archive gives a file, with "/" between folders; `undefined` for hidden files. Throws a `SourceError` for a name
 * that leads out of the archive.
 */
export function safeName(raw: string, archive: string): string | undefined {
  if (/^([\\/]|[a-z]:)|(^|[\\/])\.\.([\\/]|$)|\0/i.test(raw))
    throw new SourceError(
      `${archive}: it holds a file whose path leads out of it, ${shown(raw)}; such an archive is not opened: make it again without that path`,
    );
  if (raw.length > LONGEST_NAME)
    throw new SourceError(
      `${archive}: it holds a file whose name has ${raw.length} characters, ${shown(raw)}; make it again`,
    );
  const parts = raw.replaceAll("\\", "/").split("/");
  const kept = parts.filter((part) => part !== "" && part !== ".");
  return kept.length === 0 || kept.some(isHidden) ? undefined : kept.join("/");
}

/** Whether a name is one that systems put beside the data: ".DS_Store", "._000001.png" or "__MACOSX/". */
export const isHidden = (part: string): boolean => part.startsWith(".") || part === "__MACOSX";

/** Files whose names are all known. `read` gets the entry that `entries` has for the name. */
export function indexedFiles<E>(
  name: string,
  entries: ReadonlyMap<string, E>,
  read: (entry: E, where: string) => Promise<Bytes>,
  close: () => Promise<void> = async () => {},
  open?: (entry: E, where: string) => Promise<ByteFile>,
): Files {
  if (entries.size > MAX_NAMES) throw tooMany(name);
  const names = [...entries.keys()].sort();
  const entryOf = (file: string): E => {
    const entry = entries.get(file);
    if (entry === undefined) throw new SourceError(`${name}: there is no ${file} in it`);
    return entry;
  };
  return {
    name,
    indexed: true,
    list: async () => names,
    find: async (wanted) => names.find(wanted),
    has: async (file) => entries.has(file),
    read: async (file) => read(entryOf(file), `${name}/${file}`),
    ...(open && { file: async (file: string) => open(entryOf(file), `${name}/${file}`) }),
    close,
  };
}

/** The files of one of the folders, named relative to it ("" for all files). */
export function within(files: Files, folder: string): Files {
  if (folder === "") return files;
  const prefix = `${folder}/`;
  const { file, path } = files;
  const strip = (name: string) => name.slice(prefix.length);
  return {
    name: `${files.name}/${folder}`,
    indexed: files.indexed,
    ...(files.packed !== undefined && { packed: files.packed }),
    list: async () => (await files.list()).filter((name) => name.startsWith(prefix)).map(strip),
    find: async (wanted) => {
      const found = await files.find((name) => name.startsWith(prefix) && wanted(strip(name)));
      return found === undefined ? undefined : strip(found);
    },
    ...(files.unpackedSize && { unpackedSize: (name: string) => files.unpackedSize?.(prefix + name) ?? 0 }),
    has: (name) => files.has(prefix + name),
    read: (name) => files.read(prefix + name),
    ...(file && { file: (name: string) => file(prefix + name) }),
    ...(path && { path: (name: string) => path(prefix + name) }),
    close: files.close,
  };
}

export const bytesAsFile = (bytes: Bytes, name: string): ByteFile => ({
  name,
  size: bytes.length,
  read: async (offset, length) => bytes.slice(offset, offset + length),
  close: async () => {},
});

/** The folder part of a name, "" for none. */
export const folderOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf("/")));

export const baseOf = (name: string): string => name.slice(name.lastIndexOf("/") + 1);

/** The outermost of the folders `candidates`, which is the recording's. Throws a `SourceError` where several lie side by side. */
export function onlyFolder(files: Files, candidates: Iterable<string>): string | undefined {
  const depth = (folder: string) => (folder === "" ? 0 : folder.split("/").length);
  const folders = [...new Set(candidates)].sort((a, b) => depth(a) - depth(b));
  const best = folders.filter((folder) => depth(folder) === depth(folders[0]));
  if (best.length <= 1) return best[0];
  const some = best.slice(0, 5).join(", ") + (best.length > 5 ? " …" : "");
  throw new SourceError(
    `${files.name}: it holds ${best.length} recordings (${some}); open one of them (an archive has to be unpacked for that)`,
  );
}

/**
 * Finds the recording's folder in an input. A file whose name `mark` matches shows where it is: `rootOf` gives the folder that belongs to
 * such a file, by default the one that the file lies in. The outermost counts. `undefined` where there is none.
 */
export async function markedFolder(
  input: { readonly files: Files } | { readonly file: ByteFile },
  mark: RegExp,
  rootOf = folderOf,
): Promise<Files | undefined> {
  if (!("files" in input)) return undefined;
  const marked = (await input.files.list()).filter((name) => mark.test(name));
  const root = onlyFolder(input.files, marked.map(rootOf));
  return root === undefined ? undefined : within(input.files, root);
}

/** The most bytes of a list of frames; no recorder writes more. */
export const LONGEST_LIST = 64 * 2 ** 20;

/** The most bytes of a text in any archive, however small that is, and more for each byte of the archive. */
const ANY_TEXT = 4 * 2 ** 20;
const TEXT_PER_BYTE = 16;

/** Reads a text file of a recording. Throws a `SourceError` where it has more than `longest` bytes, or more than its archive allows. */
export async function readText(files: Files, name: string, longest: number): Promise<string> {
  const most = Math.min(longest, ANY_TEXT + TEXT_PER_BYTE * (files.packed ?? Number.POSITIVE_INFINITY));
  const bytes = await files.read(name);
  if (bytes.length <= most) return new TextDecoder().decode(bytes).replace(/^\uFEFF/, "");
  throw tooLong(`${files.name}/${name}`, bytes.length, most);
}

export const tooLong = (where: string, bytes: number, most: number) =>
  new SourceError(`${where}: it has ${bytes} bytes, and such a file may have ${most} at most`);
