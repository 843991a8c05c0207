import type { Address } from "../../core/address.ts";
import { shown } from "../../core/check.ts";
import { childrenOf, contentOf, isFile } from "../../core/handles.ts";
import { SourceError } from "../../core/source.ts";
import type { Bytes } from "../decode/codec.ts";
import { readAhead } from "./ahead.ts";
import {
  type ByteFile,
  type Files,
  indexedFiles,
  isHidden,
  LEVELS,
  MAX_FILE,
  MAX_NAMES,
  tooLarge,
  tooMany,
} from "./files.ts";
import { noteRead } from "./progress.ts";

/** The things that a page can open: chosen or dropped files, a whole folder of files, or the browser's handle of either. */
export type Dropped = Blob | Iterable<File> | FileSystemHandle | FileSystemEntry;

/** The thing that is opened. */
export type Given =
  | { readonly kind: "address"; readonly address: Address }
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "blob"; readonly name: string; readonly blob: Blob }
  | { readonly kind: "folder"; readonly name: string; readonly contents: ReadonlyMap<string, Content> };

/** Gets a file of a folder when it is needed. */
export type Content = () => Promise<Blob>;

/**
 * Describes what a page was given, as one file or as a folder with all its names. It reads no contents. Throws a `SourceError` for anything
 * else.
 */
export async function givenBy(input: Dropped): Promise<Given> {
  if (input instanceof Blob) return blobGiven(input);
  if (Symbol.iterator in input) return listGiven([...input]);
  if (!("kind" in input) && !("isFile" in input)) throw noInput(input);
  const contents = new Map<string, Content>();
  await collect(input, "", LEVELS, contents);
  const [single] = contents.values();
  const isFile = "kind" in input ? input.kind === "file" : input.isFile;
  return isFile && single ? blobGiven(await single()) : { kind: "folder", name: input.name, contents };
}

const blobGiven = (blob: Blob): Given => ({ kind: "blob", name: blob instanceof File ? blob.name : "recording", blob });

/** The error for a value that `openRecording` cannot take as its input. */
export const noInput = (input: unknown) =>
  new SourceError(`a recording is a path, a file, files or a handle of them, not ${shown(input)}`);

/** The files of a folder whose names are all known. */
export const openFolder = (name: string, entries: ReadonlyMap<string, Content>): Files =>
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
    const bytes = new Uint8Array(await blob.arrayBuffer());
    noteRead(bytes.length);
    return bytes;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    throw new SourceError(
      `${where}: the browser cannot read it any more (${error.message}): it was moved or changed; choose it again`,
    );
  }
}

/** A file that a page was given. */
export function byteFile(blob: Blob, name: string): ByteFile {
  const joined = joinedReads((part) => bytesOf(part, name));
  const read = readAhead((start, end) => joined(blob.slice(start, end)), blob.size);
  return {
    name,
    size: blob.size,
    // Damaged files name positions outside the file. Folders have no bytes, and some platforms fail when asked for
    // them.
    read: async (offset, length) =>
      offset >= 0 && offset < blob.size && length > 0
        ? read(offset, Math.min(offset + length, blob.size))
        : new Uint8Array(),
    ...("FileReaderSync" in globalThis && { readSync: readerOf(blob) }),
    close: async () => {},
  };
}

/** Reads without waiting, as a page's workers can. */
function readerOf(blob: Blob): (offset: number, length: number) => Bytes {
  const reader = new FileReaderSync();
  return (offset, length) => {
    const bytes = new Uint8Array(reader.readAsArrayBuffer(blob.slice(offset, offset + length)));
    noteRead(bytes.length);
    return bytes;
  };
}

/** A list is one file, or a folder whose files know their paths (`<input webkitdirectory>`). */
function listGiven(list: readonly File[]): Given {
  const stray = list.find((file) => !(file instanceof Blob));
  if (stray !== undefined) throw noInput(stray);
  if (list.length === 0) throw new SourceError("no file was chosen; choose the folder or archive of a recording");
  if (list.length === 1 && !list[0].webkitRelativePath) return blobGiven(list[0]);
  const [top] = (list[0].webkitRelativePath || "the chosen files").split("/");
  const contents = new Map<string, Content>();
  for (const file of list) {
    const path = (file.webkitRelativePath || file.name).split("/");
    if (path.length > 1) path.shift();
    if (!path.some(isHidden)) contents.set(path.join("/"), async () => file);
  }
  return { kind: "folder", name: top, contents };
}

/** Collects the files of a folder from either kind of handle that a drop gives, as many levels deep as recordings go. */
async function collect(
  handle: FileSystemHandle | FileSystemEntry,
  path: string,
  levels: number,
  into: Map<string, Content>,
) {
  if (into.size > MAX_NAMES) throw tooMany(path);
  if (isFile(handle)) {
    into.set(path || handle.name, contentOf(handle as FileSystemFileHandle | FileSystemFileEntry));
    return;
  }
  if (levels < 0) return;
  for await (const child of childrenOf(handle as FileSystemDirectoryHandle | FileSystemDirectoryEntry)) {
    if (!isHidden(child.name)) await collect(child, path ? `${path}/${child.name}` : child.name, levels - 1, into);
  }
}

/** Longer reads are made one by one: for them the bytes cost more than the request. */
const SHORT = 2 ** 14;
/** The most reads joined into one. Several joined reads can be on their way: while one is answered, the next is put together. */
const JOINED = 64;

interface PendingRead {
  readonly part: Blob;
  resolve(bytes: Bytes): void;
  reject(error: unknown): void;
}

/**
 * Joins short reads of a file. A browser takes most of a millisecond per read, however short, since it asks another process. Short reads
 * that are asked for together become one read of a blob made of all their parts.
 */
export function joinedReads(read: (part: Blob) => Promise<Bytes>): (part: Blob) => Promise<Bytes> {
  let asked: PendingRead[] = [];
  const readAll = async () => {
    const parts = asked;
    asked = [];
    // The reads may have become `JOINED` ones, and been made, before the microtask ran.
    if (parts.length === 0) return;
    try {
      const bytes = await read(parts.length === 1 ? parts[0].part : new Blob(parts.map(({ part }) => part)));
      let at = 0;
      for (const { part, resolve } of parts) {
        resolve(bytes.slice(at, at + part.size));
        at += part.size;
      }
    } catch (error) {
      for (const { reject } of parts) reject(error);
    }
  };
  return (part) => {
    if (part.size > SHORT) return read(part);
    // A loop that asks for many reads has asked for all of them before the microtask runs.
    if (asked.length === 0) queueMicrotask(readAll);
    return new Promise((resolve, reject) => {
      asked.push({ part, resolve, reject });
      if (asked.length === JOINED) void readAll();
    });
  };
}
