// Both kinds of handles that a drop or a choice gives a page: those of the File System API, and the older entries.

export const isFile = (handle: FileSystemHandle | FileSystemEntry): boolean =>
  "kind" in handle ? handle.kind === "file" : handle.isFile;

/** A function that reads a file's present contents. */
export function contentOf(handle: FileSystemFileHandle | FileSystemFileEntry): () => Promise<File> {
  if ("kind" in handle) return () => handle.getFile();
  return () => new Promise((resolve, reject) => handle.file(resolve, reject));
}

export async function* childrenOf(handle: FileSystemDirectoryHandle | FileSystemDirectoryEntry) {
  if ("kind" in handle) {
    yield* handle.values();
    return;
  }
  const reader = handle.createReader();
  for (;;) {
    // A directory reader gives a hundred entries at a time, and an empty list at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    yield* some;
  }
}

/** The files of a handle, one after the other: the file itself, or those in a folder and its folders. Leaves out what cannot be had. */
async function* filesIn(handle: FileSystemHandle | FileSystemEntry): AsyncGenerator<File> {
  if (isFile(handle)) {
    const content = contentOf(handle as FileSystemFileHandle | FileSystemFileEntry);
    const file = await content().catch(() => undefined);
    if (file) yield file;
  } else
    for await (const child of childrenOf(handle as FileSystemDirectoryHandle | FileSystemDirectoryEntry))
      yield* filesIn(child);
}

/** The first `most` files of a handle. */
export async function firstFiles(handle: FileSystemHandle | FileSystemEntry, most: number): Promise<readonly File[]> {
  const files: File[] = [];
  for await (const file of filesIn(handle)) if (files.push(file) === most) break;
  return files;
}
