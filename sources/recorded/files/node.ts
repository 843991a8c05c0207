import { type FileHandle, mkdtemp, open, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Bytes } from "../../decode/codec.ts";
import { SourceError } from "../../source.ts";
import { type ByteFile, type Files, indexedFiles, isHidden, MAX_FILE, MAX_NAMES, tooLarge, tooMany } from "./files.ts";
import type { Spool } from "./spool.ts";

/** What lies at a path: a folder, or a file still to be looked into. Throws a `SourceError` if there is nothing. */
export async function openPath(path: string): Promise<Files | ByteFile> {
  const name = path.replace(/(?<=.)[\\/]+$/, "");
  const found = await explain(name, () => stat(path));
  return found.isDirectory() ? openFolder(path, name) : explain(name, () => openByteFile(path, name, found.size));
}

/** A folder: names now, contents when asked for. Looks three folders deep, as far as recordings go with one around them. */
async function openFolder(path: string, name: string): Promise<Files> {
  const entries = new Map<string, string>();
  const walk = async (folder: string, prefix: string, levels: number): Promise<void> => {
    for (const entry of await explain(folder, () => readdir(folder, { withFileTypes: true }))) {
      if (isHidden(entry.name)) continue;
      const place = join(folder, entry.name);
      // A link stands for what it leads to: it is the user's own disk. One that leads nowhere is no file.
      const kind = entry.isSymbolicLink() ? await stat(place).catch(() => entry) : entry;
      if (kind.isFile()) entries.set(prefix + entry.name, place);
      else if (kind.isDirectory() && levels > 0) await walk(place, `${prefix}${entry.name}/`, levels - 1);
      if (entries.size > MAX_NAMES) throw tooMany(name);
    }
  };
  await walk(resolve(path), "", 3);
  return indexedFiles(name, entries, (place, where) => explain(where, () => readWhole(place, where)));
}

async function readWhole(place: string, where: string): Promise<Bytes> {
  const handle = await open(place);
  try {
    const { size } = await handle.stat();
    if (size > MAX_FILE) throw tooLarge(where, size);
    return await readAt(handle, 0, size);
  } finally {
    await handle.close();
  }
}

async function openByteFile(path: string, name: string, size: number): Promise<ByteFile> {
  const handle = await open(path);
  return {
    name,
    size,
    read: (offset, length) => explain(name, () => readAt(handle, offset, Math.max(0, Math.min(length, size - offset)))),
    close: () => handle.close(),
  };
}

async function readAt(handle: FileHandle, offset: number, length: number): Promise<Bytes> {
  const bytes = new Uint8Array(length);
  let at = 0;
  while (at < length) {
    const { bytesRead } = await handle.read(bytes, at, length - at, offset + at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}

/** A file in the system's temporary folder (TMPDIR), unlinked at once: it is gone when the process is, however it ends. */
export async function openNodeSpool(archive: string): Promise<Spool> {
  const folder = await explain(tmpdir(), () => mkdtemp(join(tmpdir(), "depthloom-")));
  const handle = await open(join(folder, "unpacked"), "wx+", 0o600);
  const remove = () => rm(folder, { recursive: true, force: true });
  // Where an open file cannot be removed (some Windows file systems) it is when it is closed.
  await remove().catch(() => {});
  let end = 0;
  return {
    async keep(fill) {
      const start = end;
      await fill((piece) =>
        explain(`${archive} (unpacking into ${tmpdir()})`, async () => {
          for (let at = 0; at < piece.length; ) {
            const { bytesWritten } = await handle.write(piece, at, piece.length - at, end);
            at += bytesWritten;
            end += bytesWritten;
          }
        }),
      );
      const length = end - start;
      return () => readAt(handle, start, length);
    },
    async close() {
      await handle.close();
      await remove();
    },
  };
}

const reasons: Record<string, string> = {
  ENOENT: "there is no such file or folder; check the path",
  EACCES: "it may not be read; check its permissions",
  EPERM: "it may not be read; check its permissions",
  EMFILE: "too many files are open; close some recordings",
  ENOSPC: "the disk is full; free some space or set TMPDIR to a folder on a larger disk",
  EIO: "the disk reports an error when it is read; copy the recording elsewhere",
  ENOTDIR: "a part of the path is a file, not a folder; check the path",
  ELOOP: "its links lead in a circle; check them",
};

/** Turns the system's errors into a sentence for the user. */
async function explain<T>(where: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code in reasons) throw new SourceError(`${where}: ${reasons[code]}`);
    throw error;
  }
}
