import { readSync } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Bytes } from "../../decode/codec.ts";
import { SourceError } from "../../source.ts";
import { type ByteFile, type Files, indexedFiles, isHidden, MAX_FILE, MAX_NAMES, tooLarge, tooMany } from "./files.ts";
import { explain, readAt } from "./nodeIo.ts";

/** What lies at a path: a folder, or a file still to be looked into. Throws a `SourceError` if there is nothing. */
export async function openPath(path: string): Promise<Files | ByteFile> {
  const name = path.replace(/(?<=.)[\\/]+$/, "");
  const found = await explain(name, () => stat(path));
  if (!found.isDirectory() && !found.isFile()) {
    // Opening a pipe that nobody writes to would wait for ever.
    throw new SourceError(`${name}: this is neither a file nor a folder; copy what it gives into a file first`);
  }
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
  return indexedFiles(
    name,
    entries,
    (place, where) => explain(where, () => readWhole(place, where)),
    undefined,
    (place, where) => explain(where, async () => openByteFile(place, where, (await stat(place)).size)),
  );
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
  const within = (offset: number, length: number) => Math.max(0, Math.min(length, size - offset));
  return {
    name,
    size,
    read: (offset, length) => explain(name, () => readAt(handle, offset, within(offset, length))),
    readSync(offset, length) {
      const bytes = new Uint8Array(within(offset, length));
      return bytes.subarray(0, readSync(handle.fd, bytes, 0, bytes.length, offset));
    },
    close: () => handle.close(),
  };
}
