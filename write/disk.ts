import { mkdir, open, readdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

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

/** How many files are written to the disk at once. */
const SYNCED_AT_ONCE = 16;
/** The answers of file systems that do not flush folders (or, some in networks, flush nothing). */
const CANNOT = ["EINVAL", "ENOTSUP", "EPERM", "EACCES", "EISDIR", "EBADF"];

/** Has the system write a folder to the disk, by default with all that is in it, so that a power cut leaves it as it is. */
export async function synced(folder: string, deep = true): Promise<void> {
  const entries = deep ? await readdir(folder, { recursive: true, withFileTypes: true }) : [];
  const queue = [...entries.map(({ parentPath, name }) => join(parentPath, name)), folder].values();
  const work = async () => {
    for (const path of queue) await sync(path);
  };
  await Promise.all(Array.from({ length: SYNCED_AT_ONCE }, work));
}

async function sync(path: string): Promise<void> {
  const cannot = (error: NodeJS.ErrnoException) => {
    if (!CANNOT.includes(error.code ?? "")) throw error;
    return undefined;
  };
  const handle = await open(path, "r").catch(cannot);
  try {
    await naming(path, (handle?.sync() ?? Promise.resolve()).catch(cannot));
  } finally {
    await handle?.close();
  }
}
