import { shown } from "../../check.ts";
import type { Bytes } from "../../decode/codec.ts";
import { SourceError } from "../../source.ts";

/** The files of a recording, wherever they lie: a folder, an archive, what was dropped on a page. */
export interface Files {
  /** As the user named it: the beginning of every message. */
  readonly name: string;
  /** Whether every name is known already. A .tar or .tgz has no list of contents: it is read through in the background. */
  readonly indexed: boolean;
  /** All names, sorted, with "/" between folders. Waits until all are known. */
  list(): Promise<readonly string[]>;
  /** The first name in the archive's order that `wanted` accepts; waits no longer than needed. */
  find(wanted: (name: string) => boolean): Promise<string | undefined>;
  has(name: string): Promise<boolean>;
  /** A file's bytes, in memory of their own. Throws a `SourceError` if it is not there, damaged or over `MAX_FILE`. */
  read(name: string): Promise<Bytes>;
  /** A file in it, to be read at any place; an archive has none such. */
  file?(name: string): Promise<ByteFile>;
  close(): Promise<void>;
}

/** One file that can be read at any place: an archive before it is opened, or a recording that is a single file. */
export interface ByteFile {
  readonly name: string;
  readonly size: number;
  /** `length` bytes from `offset`; fewer where the file ends. */
  read(offset: number, length: number): Promise<Bytes>;
  /** In a page: what it is, so that it can be handed to a worker. */
  readonly blob?: Blob;
  /** In Node: the same as `read`, at once, for a library that cannot wait. */
  readSync?(offset: number, length: number): Bytes;
  close(): Promise<void>;
}

/** An archive that is cut short or spoilt from some place on. What comes before that can be used. */
export class DamagedArchive extends SourceError {}

/** A single file of a recording is not larger than this. What an archive says it is larger is not unpacked. */
export const MAX_FILE = 256 * 2 ** 20;
/** Names are held in memory, so there is an end to them: two hours of depth and colour at 30 Hz. */
export const MAX_NAMES = 500_000;

export const tooLarge = (where: string, size: number) =>
  new SourceError(`${where}: ${size} bytes unpacked are more than the 256 MiB a file of a recording may have`);

export const tooMany = (name: string) =>
  new SourceError(`${name}: more than ${MAX_NAMES} files; open the folder or archive of one recording`);

/**
 * The name an archive gives a file, with "/" between folders; `undefined` for hidden ones. Throws a `SourceError` for a name that
 * leads out of the archive.
 */
export function safeName(raw: string, archive: string): string | undefined {
  const parts = raw.replaceAll("\\", "/").split("/");
  if (/^([\\/]|[a-z]:)/i.test(raw) || parts.includes("..") || raw.includes("\0")) {
    throw new SourceError(
      `${archive}: it holds a file that would leave its folder, ${shown(raw)}; such an archive is not opened, make it again without that path`,
    );
  }
  const kept = parts.filter((part) => part !== "" && part !== ".");
  return kept.length === 0 || kept.some(isHidden) ? undefined : kept.join("/");
}

/** What systems put beside the data: ".DS_Store", "._000001.png" and "__MACOSX/" are no frames. */
export const isHidden = (part: string): boolean => part.startsWith(".") || part === "__MACOSX";

/** Files whose names are all known. `read` gets what `entries` holds for the name. */
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

/** The same files seen from one of their folders ("" for all). */
export function within(files: Files, folder: string): Files {
  if (folder === "") return files;
  const prefix = `${folder}/`;
  const strip = (name: string) => name.slice(prefix.length);
  return {
    name: `${files.name}/${folder}`,
    indexed: files.indexed,
    list: async () => (await files.list()).filter((name) => name.startsWith(prefix)).map(strip),
    find: async (wanted) => {
      const found = await files.find((name) => name.startsWith(prefix) && wanted(strip(name)));
      return found === undefined ? undefined : strip(found);
    },
    has: (name) => files.has(prefix + name),
    read: (name) => files.read(prefix + name),
    close: files.close,
  };
}

/** The folder of a name, "" for none. */
export const folderOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf("/")));

/**
 * The folder that holds the recording among `candidates`: the outermost. Throws if there are several side by side.
 */
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

/** Bytes of a list of frames: what is longer was not written by a recorder. */
export const LONGEST_LIST = 64 * 2 ** 20;

/** A text file of a recording. Throws a `SourceError` where it has more than `longest` bytes. */
export async function readText(files: Files, name: string, longest: number): Promise<string> {
  const bytes = await files.read(name);
  if (bytes.length <= longest) return new TextDecoder().decode(bytes).replace(/^\uFEFF/, "");
  throw new SourceError(`${files.name}/${name}: ${bytes.length} bytes, and such a file has ${longest} at most`);
}
