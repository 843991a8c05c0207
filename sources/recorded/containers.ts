import { SourceError } from "../../core/source.ts";
import { isZstd } from "../decode/zstd.ts";
import { type ByteFile, baseOf, type Files, readText } from "../files/files.ts";
import { isTar } from "../files/tar.ts";
import { openTar, openTgz } from "../files/tarFiles.ts";
import { openZip } from "../files/zip.ts";
import { named, ros2Extensions } from "../format/extensions.ts";
import type { Input } from "../format/format.ts";

/** A file's format is recognised by this many bytes at its beginning. */
export const HEAD_BYTES = 512;

/**
 * Looks at a file's first bytes, not at its name, and opens archives; any other file is left to a format's reader. A file compressed by
 * zstd as a whole is unpacked first, and may contain an archive. Throws a `SourceError` for an empty file.
 */
export async function lookInto(file: ByteFile): Promise<Input> {
  if (file.size === 0) throw new SourceError(`${file.name}: this file is empty; copy or download it again`);
  const head = await file.read(0, HEAD_BYTES);
  const startsWith = (...bytes: number[]) => bytes.every((byte, i) => head[i] === byte);
  if (startsWith(0x50, 0x4b)) return { kind: "files", files: await openZip(file) };
  if (startsWith(0x1f, 0x8b)) return { kind: "files", files: openTgz(file) };
  if (isTar(head)) return { kind: "files", files: openTar(file) };
  if (isZstd(head)) return lookIntoUnpacked(await (await import("../files/zstdFile.ts")).openZstd(file));
  return { kind: "file", file, head };
}

async function lookIntoUnpacked(file: ByteFile): Promise<Input> {
  try {
    if (!isZstd(await file.read(0, 4))) return await lookInto(file);
    throw new SourceError(`${file.name}: it is packed by zstd more than once; unpack it (zstd -d) until it is not`);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Names of files that rosbag2 writes; it may compress each as a whole by zstd. */
const BAG = named(ros2Extensions, { packed: true });

/** The recording in a folder that is a ROS 2 bag: the only database or MCAP file beside `metadata.yaml`, perhaps compressed as a whole. */
export async function bagIn(files: Files): Promise<ByteFile | undefined> {
  const names = await files.list();
  const bags = names.filter((one) => BAG.test(one));
  // A compressed file and the file unpacked from it are the same recording.
  const [name, ...more] = bags.filter((one) => !bags.includes(one.replace(/\.zstd?$/i, "")) || !/\.zstd?$/i.test(one));
  const isBag = name !== undefined && more.length === 0 && names.includes("metadata.yaml");
  return isBag && (await partsNamed(files)).length < 2 ? files.file?.(name) : undefined;
}

/** A line of metadata.yaml that names a file. */
const PART = new RegExp(
  `^ *- (?:path: )?["']?([^\\s"']{1,255}\\.(?:${ros2Extensions.join("|")}))(?:\\.zstd?)?["']?\\r?$`,
  "gm",
);
/** The most bytes of metadata.yaml. */
const LONGEST = 2 ** 22;

/** The names of the files that rosbag2's metadata.yaml says a recording consists of, as they are once they are unpacked. */
export async function partsNamed(files: Files): Promise<readonly string[]> {
  const text = await readText(files, "metadata.yaml", LONGEST);
  const parts = text.matchAll(PART);
  return [...new Set(Array.from(parts, ([, path]) => baseOf(path)))];
}
