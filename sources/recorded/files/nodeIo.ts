import type { FileHandle } from "node:fs/promises";
import type { Bytes } from "../../decode/codec.ts";
import { SourceError } from "../../source.ts";

/** `length` bytes of a file from `offset`; fewer where it ends. */
export async function readAt(handle: FileHandle, offset: number, length: number): Promise<Bytes> {
  const bytes = new Uint8Array(length);
  let at = 0;
  while (at < length) {
    const { bytesRead } = await handle.read(bytes, at, length - at, offset + at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
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
export async function explain<T>(where: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code in reasons) throw new SourceError(`${where}: ${reasons[code]}`);
    throw error;
  }
}
