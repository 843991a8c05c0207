import { mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** Adds the path to errors without one, such as that of a full disk. */
export async function naming<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Error ? Object.assign(error, { path }) : error;
  }
}

/** Makes a folder and its missing parents. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    // Node says "no such file" where the disk is read-only or full. Making only the first missing folder gives the real reason.
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    let first = resolve(path);
    while (!(await stat(dirname(first)).catch(() => undefined))) first = dirname(first);
    await mkdir(first);
    await mkdir(path, { recursive: true });
  }
}
