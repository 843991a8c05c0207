import { rmSync } from "node:fs";
import { access, constants, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { naming } from "../../write/disk.ts";
import { OutputError, RequestError } from "./failure.ts";

const partial = new Set<string>();
process.on("exit", () => {
  for (const path of partial) rmSync(path, { force: true });
});

/** The name of a file while it is being written. */
export const partialOf = (path: string): string => `${path}.partial`;

/** Writes a file under another name and renames it, so that `path` is never an incomplete file, even if the process is stopped. */
export async function writeWhole(path: string, data: string | Uint8Array | Iterable<Uint8Array>): Promise<void> {
  const fresh = partialOf(path);
  partial.add(fresh);
  try {
    await naming(path, writeFile(fresh, data));
    await naming(path, rename(fresh, path));
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  } finally {
    partial.delete(fresh);
  }
}

/** The most bytes of a text that an earlier run left. */
const MOST_LEFT = 2 ** 28;

/** The text that an earlier run left; `undefined` where there is none. What no run leaves, such as a pipe, could be read without end. */
export async function textLeft(path: string): Promise<string | undefined> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (found && !(found.isFile() && found.size <= MOST_LEFT))
    throw new OutputError(`${path}: no run of depthloom left this; move it away, or choose another place`);
  return found && readFile(path, "utf8");
}

/** Throws a `RequestError` for an address where results are to go to a path. */
export function checkLocal(path: string): void {
  const [scheme] = /^[a-z][a-z\d+.-]+:\/\//i.exec(path) ?? [];
  if (scheme !== undefined)
    throw new RequestError(
      `${scheme}…: results go to a folder or file of this machine; give its path, and copy it from there`,
    );
}

/** Throws where a file cannot be written, before work begins whose result it is to hold. Changes nothing. */
export async function checkWritable(path: string): Promise<void> {
  checkLocal(path);
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) throw new RequestError(`${path}: this is a folder, not a file: choose another name`);
  await naming(path, access(found ? path : dirname(resolve(path)), constants.W_OK));
}
