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

/**
 * Makes a folder and its missing parents, one by one: Node's own way says "no such file" where the disk is read-only or full, and never
 * returns below /proc.
 */
export async function makeFolder(path: string): Promise<void> {
  const parent = dirname(resolve(path));
  if (!(await stat(parent).catch(() => undefined))) await makeFolder(parent);
  try {
    await mkdir(path);
  } catch (error) {
    if (!(await stat(path).catch(() => undefined))?.isDirectory()) throw error;
  }
}
