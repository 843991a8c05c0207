import { open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Zip, ZipPassThrough } from "fflate";
import { SourceError } from "../../sources/index.ts";
import { naming } from "../../sources/write/disk.ts";

/** The size limit of a .zip without extensions, which every program reads. */
const MAX_BYTES = 2 ** 32 - 2 ** 24;

/** The earliest date in a .zip. */
const EARLIEST = new Date(1980, 0, 1);

/** Packs files of a folder into a .zip without compression, since images do not get smaller. */
export async function packFolder(folder: string, names: readonly string[], path: string): Promise<void> {
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  if (sizes.reduce((sum, size) => sum + size + 256, 0) > MAX_BYTES || names.length > 65_000) {
    throw new SourceError(`${path}: this is too much for a .zip; convert to a folder, or to .mcap`);
  }
  const file = await open(path, "w");
  try {
    for await (const piece of zipOf(folder, names)) await naming(path, file.writeFile(piece));
  } finally {
    await file.close();
  }
}

/** The bytes of a .zip with files of a folder, not compressed; one file is in memory at a time. */
export async function* zipOf(folder: string, names: readonly string[]): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const zip = new Zip((error, piece) => {
    if (error) throw error;
    pieces.push(piece);
  });
  for (const name of names) {
    const entry = new ZipPassThrough(name);
    // A fixed date, so that the same recording gives the same bytes.
    entry.mtime = EARLIEST;
    zip.add(entry);
    entry.push(new Uint8Array(await readFile(join(folder, name))), true);
    yield* pieces.splice(0);
  }
  zip.end();
  yield* pieces;
}
