import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isRemote } from "../../../core/address.ts";
import { textLeft, writeWhole } from "../../report/files.ts";

// Results lie in a folder of this machine, or below an address of S3: these functions take paths of both kinds.

const s3 = () => import("./s3.ts");

/** The path of something in a folder. */
export const at = (folder: string, ...names: readonly string[]): string =>
  isRemote(folder) ? [folder, ...names].join("/") : join(folder, ...names);

/** The text of a file; `undefined` where there is none. */
export async function textAt(path: string): Promise<string | undefined> {
  if (isRemote(path)) return (await s3()).getText(path);
  return textLeft(path);
}

/** Writes a file, so that `path` is never an incomplete one. */
export async function writeAt(path: string, text: string): Promise<void> {
  if (isRemote(path)) return (await s3()).put(path, Buffer.from(text));
  return writeWhole(path, text);
}

/** The paths of all files below a folder, relative to it, with "/" between names; none where there is no folder. */
export async function namesBelow(folder: string): Promise<string[]> {
  if (isRemote(folder)) return (await (await s3()).listBelow(folder)).map(({ name }) => name);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) =>
      join(parentPath, name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    );
}
