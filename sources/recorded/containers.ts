import { SourceError } from "../source.ts";
import type { ByteFile, Files } from "./files/files.ts";
import { isTar } from "./files/tar.ts";
import { openTar, openTgz } from "./files/tarFiles.ts";
import { openZip } from "./files/zip.ts";
import type { Input } from "./format.ts";

/**
 * Looks at a file's first bytes, not its name, and opens the archives among them; any other file is a format's business.
 * Throws a `SourceError` for an empty file.
 */
export async function lookInto(file: ByteFile): Promise<Input> {
  if (file.size === 0) throw new SourceError(`${file.name}: this file is empty; copy or download it again`);
  const head = await file.read(0, 512);
  const startsWith = (...bytes: number[]) => bytes.every((byte, i) => head[i] === byte);
  if (startsWith(0x50, 0x4b)) return { kind: "files", files: await openZip(file) };
  if (startsWith(0x1f, 0x8b)) return { kind: "files", files: openTgz(file) };
  if (isTar(head)) return { kind: "files", files: openTar(file) };
  return { kind: "file", file, head };
}

/** The file of a folder that is a ROS 2 bag: `metadata.yaml` with one database or MCAP beside it. */
export async function bagIn(files: Files): Promise<ByteFile | undefined> {
  const names = await files.list();
  const [name, ...more] = names.filter((one) => /\.(db3|mcap)$/i.test(one));
  const isBag = name !== undefined && more.length === 0 && names.includes("metadata.yaml");
  return isBag ? files.file?.(name) : undefined;
}
