import { readdir, rename, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { isRemote } from "../../core/address.ts";
import { makeFolder, naming } from "../../write/disk.ts";
import { OutputError, RequestError } from "../report/failure.ts";
import { at, writeAt } from "./job/files.ts";
import { type Marker, readMarker } from "./job/marker.ts";
import { MARKER, sweep, UNFINISHED } from "./job/place.ts";
import { type BatchSettings, VERSION } from "./settings.ts";

/**
 * Prepares the results' folder. Throws a `RequestError` for a folder with contents that batch did not write, and for one with results of
 * other settings or another version, unless `force`: then these results are replaced recording by recording. Throws an `OutputError` if the
 * file with the settings is damaged, unless `force`.
 */
export async function openOut(out: string, settings: BatchSettings, identity: string, force: boolean): Promise<void> {
  const there = await markerIn(out, force);
  if (there?.identity === identity) return sweep(out);
  if (there && !force) {
    const why =
      there.version === VERSION
        ? "it holds results of other settings"
        : `it holds results of depthloom ${there.version}, and this is ${VERSION}`;
    throw new RequestError(`${out}: ${why}; choose another folder`, "force");
  }
  const marker: Marker = { version: VERSION, identity, settings };
  const text = `${JSON.stringify(marker, null, 2)}\n`;
  // Several machines may begin at once; they write the same bytes.
  if (isRemote(out)) await writeAt(at(out, MARKER), text);
  else {
    await makeFolder(join(out, UNFINISHED));
    const fresh = join(out, UNFINISHED, `marker.${hostname()}.${process.pid}`);
    await naming(fresh, writeFile(fresh, text, { flush: true }));
    await naming(join(out, MARKER), rename(fresh, join(out, MARKER)));
  }
  await sweep(out);
}

/** The marker of the folder; `undefined` for a new or empty one. */
async function markerIn(out: string, force: boolean): Promise<Marker | undefined> {
  const inside = isRemote(out) ? await firstBelow(out) : await namesIn(out);
  const strange = inside.find((name) => name !== UNFINISHED);
  if (strange === undefined) return undefined;
  const marker = await readMarker(out).catch((error: unknown) => {
    if (force && error instanceof OutputError) return "damaged" as const;
    throw error;
  });
  if (marker === "damaged") return undefined;
  if (marker) return marker;
  throw new RequestError(`${out}: it is not empty (${strange}), and batch did not write it; choose a new folder`);
}

const firstBelow = async (address: string) =>
  (await (await import("./job/s3.ts")).listBelow(address, 1)).map(({ name }) => name);

const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    if (error.code === "ENOTDIR") throw new RequestError(`${folder}: it is a file: choose a folder`);
    throw error;
  });
