import { open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Zip, ZipPassThrough } from "fflate";
import { SourceError } from "../../sources/index.ts";
import { naming } from "../../write/disk.ts";

/** The limits of a .zip without extensions, which every program reads: bytes, and files. */
const MAX_BYTES = 2 ** 32 - 2 ** 24;
export const MAX_FILES = 65_000;
/** More bytes than the archive itself adds for each file. */
const ENTRY_BYTES = 256;

/** The earliest date in a .zip. */
const EARLIEST = new Date(1980, 0, 1);

/** Packs files of a folder into a .zip without compression, since images do not get smaller. */
export async function packFolder(folder: string, names: readonly string[], path: string): Promise<void> {
  const pieces = await zipOf(folder, names);
  const file = await open(path, "w");
  try {
    for await (const piece of pieces) await naming(path, file.writeFile(piece));
  } finally {
    await file.close();
  }
}

/**
 * The bytes of a .zip with files of a folder, not compressed; one file is in memory at a time. Rejects with a `SourceError`, before the
 * first byte, where the files are too much for a .zip.
 */
export async function zipOf(folder: string, names: readonly string[]): Promise<AsyncGenerator<Uint8Array>> {
  let bytes = 0;
  const fits = names.length <= MAX_FILES;
  for (const name of fits ? names : []) bytes += (await stat(join(folder, name))).size + ENTRY_BYTES;
  if (!fits || bytes > MAX_BYTES) {
    throw new SourceError(
      `${folder}: its files are too much for a .zip, which holds 4 GiB and ${MAX_FILES} files; a folder or an .mcap has room`,
    );
  }
  return piecesOf(folder, names);
}

async function* piecesOf(folder: string, names: readonly string[]): AsyncGenerator<Uint8Array> {
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
