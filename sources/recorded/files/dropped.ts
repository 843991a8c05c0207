import { shown } from "../../check.ts";
import type { Bytes } from "../../decode/codec.ts";
import { SourceError } from "../../source.ts";
import { readAhead } from "./ahead.ts";
import { type ByteFile, type Files, indexedFiles, isHidden, MAX_FILE, MAX_NAMES, tooLarge, tooMany } from "./files.ts";
import { joinedReads } from "./joined.ts";

/** What a page can be handed: chosen or dropped files, a whole folder of them, or the browser's handle of either. */
export type Dropped = Blob | Iterable<File> | FileSystemHandle | FileSystemEntry;

/** Files of a page. Nothing but names is read until asked for. Throws a `SourceError` if there is none. */
export async function openDropped(input: Dropped): Promise<Files | ByteFile> {
  if (input instanceof Blob) return byteFile(input);
  if (Symbol.iterator in input) return openList([...input]);
  if (!("kind" in input) && !("isFile" in input)) throw noInput(input);
  const entries = new Map<string, Content>();
  await collect(input, "", 3, entries);
  const [single] = entries.values();
  const isFile = "kind" in input ? input.kind === "file" : input.isFile;
  return isFile && single ? byteFile(await single()) : openFolder(input.name, entries);
}

/** The error for what is none of the things that a recording can be opened from. */
export const noInput = (input: unknown) =>
  new SourceError(`a recording is a path, a file, files or a handle of them, not ${shown(input)}`);

type Content = () => Promise<File>;

const openFolder = (name: string, entries: ReadonlyMap<string, Content>): Files =>
  indexedFiles(
    name,
    entries,
    async (content, where) => {
      const file = await content();
      if (file.size > MAX_FILE) throw tooLarge(where, file.size);
      return bytesOf(file, where);
    },
    undefined,
    async (content, where) => byteFile(await content(), where),
  );

async function bytesOf(blob: Blob, where: string): Promise<Bytes> {
  try {
    return new Uint8Array(await blob.arrayBuffer());
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    throw new SourceError(
      `${where}: the browser can read it no longer (${error.message}); it was moved or changed, choose it again`,
    );
  }
}

export function byteFile(blob: Blob, name = blob instanceof File ? blob.name : "recording"): ByteFile {
  const joined = joinedReads((part) => bytesOf(part, name));
  const read = readAhead((start, end) => joined(blob.slice(start, end)), blob.size);
  return {
    name,
    size: blob.size,
    blob,
    // A place that is none, as a damaged file may name it, has no bytes; a platform may not survive being asked for it.
    read: async (offset, length) =>
      offset >= 0 && offset < blob.size && length > 0
        ? read(offset, Math.min(offset + length, blob.size))
        : new Uint8Array(),
    close: async () => {},
  };
}

/** A list is one file, or a folder whose files know their paths (`<input webkitdirectory>`). */
function openList(list: readonly File[]): Files | ByteFile {
  const stray = list.find((file) => !(file instanceof Blob));
  if (stray !== undefined) throw noInput(stray);
  if (list.length === 0) throw new SourceError("no file was chosen; choose the folder or archive of a recording");
  if (list.length === 1 && !list[0].webkitRelativePath) return byteFile(list[0]);
  const [top] = (list[0].webkitRelativePath || "the chosen files").split("/");
  const entries = new Map<string, Content>();
  for (const file of list) {
    const path = (file.webkitRelativePath || file.name).split("/");
    if (path.length > 1) path.shift();
    if (!path.some(isHidden)) entries.set(path.join("/"), async () => file);
  }
  return openFolder(top, entries);
}

/** Both kinds of handle a drop gives, as deep as recordings go. */
async function collect(
  handle: FileSystemHandle | FileSystemEntry,
  path: string,
  levels: number,
  into: Map<string, Content>,
) {
  if (into.size > MAX_NAMES) throw tooMany(path);
  if ("kind" in handle ? handle.kind === "file" : handle.isFile) {
    into.set(path || handle.name, contentOf(handle as FileSystemFileHandle | FileSystemFileEntry));
    return;
  }
  if (levels < 0) return;
  for await (const child of childrenOf(handle as FileSystemDirectoryHandle | FileSystemDirectoryEntry)) {
    if (!isHidden(child.name)) await collect(child, path ? `${path}/${child.name}` : child.name, levels - 1, into);
  }
}

function contentOf(handle: FileSystemFileHandle | FileSystemFileEntry): Content {
  if ("kind" in handle) return () => handle.getFile();
  return () => new Promise((resolve, reject) => handle.file(resolve, reject));
}

async function* childrenOf(handle: FileSystemDirectoryHandle | FileSystemDirectoryEntry) {
  if ("kind" in handle) {
    yield* handle.values();
    return;
  }
  const reader = handle.createReader();
  for (;;) {
    // A reader gives a hundred at a time, then none.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    yield* some;
  }
}
