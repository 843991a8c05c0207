import { mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** A full disk is told without the name of what did not fit: it gets it here. */
export async function naming<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Error ? Object.assign(error, { path }) : error;
  }
}

/** Makes a folder and those around it. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    // Node says "no such file" where a disk is read-only or full: what is in its way is told where the first one alone is made.
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    let first = resolve(path);
    while (!(await stat(dirname(first)).catch(() => undefined))) first = dirname(first);
    await mkdir(first);
    await mkdir(path, { recursive: true });
  }
}
