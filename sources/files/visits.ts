import type { Dirent, Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { counted } from "../../core/check.ts";

/** The most times that one folder is entered, by its own name and by links: data sets give a folder a second name. */
const MOST_VISITS = 4;
/** The most names in all folders of a walk: two for each of the files that a recording may have. */
const MOST_ENTRIES = 1_000_000;
const FULL = `there are more than ${MOST_ENTRIES} names`;

/** The places of the folders around a folder, outermost first. */
export type Around = readonly string[];

/** A folder that was entered: what lies around the folders in it, and the names in it. */
interface Entered {
  readonly around: Around;
  readonly entries: readonly Dirent[];
}

/**
 * Keeps a walk through folders finite, where links lead in circles or one folder has links to many: no folder is entered within itself, and
 * none more than four times; after a million names no further folder is entered. Folders are told apart by device and inode. A folder in
 * another one that cannot be read is left out, too.
 */
export class Visits {
  readonly #counts = new Map<string, number>();
  #entries = 0;
  /** The folders that were not entered, and why the last one was not. */
  readonly leftOut: string[] = [];
  #why = "";
  readonly #nowhere: string[] = [];

  /** Enters a folder; `undefined` where the folder is to be left out. Rejects only where the first folder cannot be read. */
  async enter(path: string, around: Around = []): Promise<Entered | undefined> {
    try {
      const { dev, ino } = await stat(path, { bigint: true });
      const place = `${dev} ${ino}`;
      const count = this.#counts.get(place) ?? 0;
      const isFull = this.#entries > MOST_ENTRIES;
      if (isFull || around.includes(place) || count >= MOST_VISITS)
        return this.#leave(path, isFull ? FULL : "a link leads to a folder that was looked through already");
      const entries = await readdir(path, { withFileTypes: true });
      this.#counts.set(place, count + 1);
      this.#entries += entries.length;
      return { around: [...around, place], entries };
    } catch (error) {
      if (around.length === 0) throw error;
      return this.#leave(path, "the system does not let it be read");
    }
  }

  /** What an entry of a folder is. A link stands for its target; a link whose target is not there is noted, and is no file. */
  async kindOf(folder: string, entry: Dirent): Promise<Stats | Dirent> {
    if (!entry.isSymbolicLink()) return entry;
    const place = join(folder, entry.name);
    try {
      return await stat(place);
    } catch {
      this.#nowhere.push(place);
      return entry;
    }
  }

  #leave(path: string, why: string): undefined {
    this.leftOut.push(path);
    this.#why = why;
  }

  /** One line about what was left out: folders, and links whose target is not there. `undefined` where that is nothing. */
  get told(): string | undefined {
    const nowhere = "what they lead to is not there (a disk that is not mounted, files that are still to be fetched)";
    return (
      [leftOutOf(this.leftOut, "folder", this.#why), leftOutOf(this.#nowhere, "link", nowhere)]
        .filter((line) => line !== undefined)
        .join("; ") || undefined
    );
  }
}

function leftOutOf(paths: readonly string[], what: string, why: string): string | undefined {
  if (paths.length === 0) return undefined;
  const some = paths.toSorted().slice(0, 3).join(", ") + (paths.length > 3 ? " …" : "");
  const were = paths.length === 1 ? "was" : "were";
  return `${counted(paths.length, what)} ${were} left out, since ${why}: ${some}`;
}
