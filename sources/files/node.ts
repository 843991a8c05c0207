import { open, readdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { SourceError } from "../../core/source.ts";
import type { Bytes } from "../decode/codec.ts";
import {
  type ByteFile,
  type Files,
  indexedFiles,
  isHidden,
  LEVELS,
  MAX_FILE,
  MAX_NAMES,
  tooLarge,
  tooMany,
} from "./files.ts";
import { explain, readAt, readerOf } from "./nodeIo.ts";
import { noteRead } from "./progress.ts";
import { type Around, Visits } from "./visits.ts";

/**
 * Opens a path in Node: a folder with the files in so many levels of folders below it, or a file whose contents are still unknown. Throws a
 * `SourceError` where nothing is there.
 */
export async function openPath(path: string, levels = LEVELS): Promise<Files | ByteFile> {
  const name = path.replace(/(?<=.)[\\/]+$/, "");
  const found = await explain(name, () => stat(path));
  if (!found.isDirectory() && !found.isFile()) {
    // Opening a pipe that nobody writes to would wait for ever.
    throw new SourceError(`${name}: this is neither a file nor a folder; copy its contents into a file first`);
  }
  return found.isDirectory()
    ? openFolder(path, name, levels)
    : explain(name, () => openByteFile(path, name, found.size));
}

/** Opens a folder: it lists names now and reads contents later. */
async function openFolder(path: string, name: string, most: number): Promise<Files> {
  const entries = new Map<string, string>();
  const visits = new Visits();
  const walk = async (folder: string, prefix: string, levels: number, outer?: Around): Promise<void> => {
    const { entries: found = [], around } = (await explain(folder, () => visits.enter(folder, outer))) ?? {};
    for (const entry of found) {
      if (isHidden(entry.name)) continue;
      noteRead(entry.name.length);
      const place = join(folder, entry.name);
      const kind = await visits.kindOf(folder, entry);
      if (kind.isFile()) entries.set(prefix + entry.name, place);
      else if (kind.isDirectory() && levels > 0) await walk(place, `${prefix}${entry.name}/`, levels - 1, around);
      if (entries.size > MAX_NAMES) throw tooMany(name);
    }
  };
  await walk(resolve(path), "", most);
  const files = indexedFiles(
    name,
    entries,
    (place, where) => explain(where, () => readWhole(place, where)),
    undefined,
    (place, where) => explain(where, async () => openByteFile(place, where, (await stat(place)).size)),
  );
  const { told } = visits;
  return {
    ...files,
    ...(told !== undefined && { warnings: [`${name}: ${told}`] }),
    path: (file) => entries.get(file),
    around: () => textsIn(dirname(resolve(path)), name),
  };
}

/** Names of texts about cameras, and the most of them that are looked at. */
const CAMERA = /(cam|intrin|calib)[^/]*\.(json|txt|ya?ml|npy)$/i;
const CAMERAS = /^(camera_?)?(intrinsics?|calib(ration)?|params?)$/i;
const MOST_TEXTS = 16;

async function textsIn(folder: string, opened: string): Promise<Files> {
  const namesIn = async (place: string) =>
    (await readdir(place, { withFileTypes: true }).catch(() => [])).filter(({ name }) => !isHidden(name));
  const all = await namesIn(folder);
  // TransCG has the lenses of its cameras in a folder beside the scenes.
  const inner = all.find((entry) => entry.isDirectory() && CAMERAS.test(entry.name));
  const below = inner ? (await namesIn(join(folder, inner.name))).map((entry) => [entry, inner.name] as const) : [];
  const names = [...all.map((entry) => [entry, ""] as const), ...below].flatMap(([entry, within]) =>
    entry.isFile() && CAMERA.test(entry.name) ? [join(within, entry.name)] : [],
  );
  const entries = new Map(names.slice(0, MOST_TEXTS).map((name) => [name.replaceAll("\\", "/"), join(folder, name)]));
  return indexedFiles(join(opened, ".."), entries, (place, where) => explain(where, () => readWhole(place, where)));
}

async function readWhole(place: string, where: string): Promise<Bytes> {
  const handle = await open(place);
  try {
    const { size } = await handle.stat();
    if (size > MAX_FILE) throw tooLarge(where, size);
    return await readAt(handle, 0, size);
  } finally {
    await handle.close();
  }
}

async function openByteFile(path: string, name: string, size: number): Promise<ByteFile> {
  const handle = await open(path);
  const beside = async (other: string) => {
    const [place, where] = [join(dirname(path), other), join(dirname(name), other)];
    const found = await stat(place).catch(() => undefined);
    return found?.isFile() ? openByteFile(place, where, found.size) : undefined;
  };
  return { ...readerOf(handle, name, size), beside, close: () => handle.close() };
}
