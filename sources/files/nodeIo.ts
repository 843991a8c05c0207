import { readSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { SourceError } from "../../core/source.ts";
import type { Bytes } from "../decode/codec.ts";
import type { ByteFile } from "./files.ts";
import { noteRead } from "./progress.ts";

/** Reads `length` bytes of a file from `offset`; fewer where the file ends. */
export async function readAt(handle: FileHandle, offset: number, length: number): Promise<Bytes> {
  const bytes = new Uint8Array(length);
  let at = 0;
  while (at < length) {
    const { bytesRead } = await handle.read(bytes, at, length - at, offset + at);
    if (bytesRead === 0) break;
    noteRead(bytesRead);
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}

/** Reads a file, or `size` bytes of it from `start`, as a `ByteFile`. The caller that opened `handle` closes it. */
export function readerOf(handle: FileHandle, name: string, size: number, start = 0): Omit<ByteFile, "close"> {
  const within = (offset: number, length: number) => Math.max(0, Math.min(length, size - offset));
  return {
    name,
    size,
    async read(offset, length) {
      const bytes = await explain(name, () => readAt(handle, start + offset, within(offset, length)));
      if (bytes.length === within(offset, length)) return bytes;
      throw new SourceError(`${name}: it became shorter while it was read; open it again`);
    },
    readSync(offset, length) {
      const bytes = new Uint8Array(within(offset, length));
      const count = readSync(handle.fd, bytes, 0, bytes.length, start + offset);
      noteRead(count);
      return bytes.subarray(0, count);
    },
  };
}

const reasons: Record<string, string> = {
  ENOENT: "there is no such file or folder; check the path",
  EACCES: "reading it is not permitted; check its permissions",
  EPERM: "reading it is not permitted; check its permissions",
  EMFILE: "too many files are open; close some recordings",
  ENOSPC: "the disk is full; free some space or set TMPDIR to a folder on a larger disk",
  EIO: "the disk reports an error while reading it; copy the recording elsewhere",
  ENOTDIR: "a part of the path is a file, not a folder; check the path",
  ENAMETOOLONG: "its name is too long; check the path",
  ERR_INVALID_ARG_VALUE: "it has a character that no path has; check the path",
  ELOOP: "its links lead in a circle; check them",
};

/** Runs `work` and turns the system's errors into sentences for the user. */
export async function explain<T>(where: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    // Node reads names as UTF-8 and puts this sign for each byte that is not UTF-8: such a name leads nowhere.
    if (code === "ENOENT" && where.includes("\ufffd"))
      throw new SourceError(`${where}: a part of its name is not UTF-8, which Node cannot open; rename it`);
    if (code === "ENOENT" && /^[a-z][a-z\d+.-]+:\/\//i.test(where))
      throw new SourceError(
        `${where}: of addresses, only https:, http: and s3: can be read; download it, and give its path`,
      );
    if (code in reasons) throw new SourceError(`${where}: ${reasons[code]}`);
    throw error;
  }
}
