import { stat } from "node:fs/promises";

/** The most times that one folder is entered, by its own name and by links: data sets give a folder a second name. */
const MOST_VISITS = 4;
/** The most names in all folders of a walk: two for each of the files that a recording may have. */
const MOST_ENTRIES = 1_000_000;

/** The places of the folders around a folder, outermost first. */
export type Around = readonly string[];

/**
 * Keeps a walk through folders finite, where links lead in circles or one folder has links to many: no folder is entered within itself, and
 * none more than four times; after a million names no further folder is entered. Folders are told apart by device and inode.
 */
export class Visits {
  readonly #counts = new Map<string, number>();
  #entries = 0;
  /** The folders that were not entered. */
  readonly leftOut: string[] = [];

  /** Enters a folder, and returns what lies around the folders in it; `undefined` where the folder is to be left out. */
  async enter(path: string, around: Around = []): Promise<Around | undefined> {
    const { dev, ino } = await stat(path, { bigint: true });
    const place = `${dev} ${ino}`;
    const count = this.#counts.get(place) ?? 0;
    if (around.includes(place) || count >= MOST_VISITS || this.#entries > MOST_ENTRIES) {
      this.leftOut.push(path);
      return undefined;
    }
    this.#counts.set(place, count + 1);
    return [...around, place];
  }

  /** Counts the names that were found in a folder. */
  saw(entries: number): void {
    this.#entries += entries;
  }

  /** One line about the folders that were left out; `undefined` where all were entered. */
  get told(): string | undefined {
    if (this.leftOut.length === 0) return undefined;
    const some = this.leftOut.slice(0, 3).join(", ") + (this.leftOut.length > 3 ? " …" : "");
    const why =
      this.#entries > MOST_ENTRIES
        ? `there are more than ${MOST_ENTRIES} names`
        : "a link leads to a folder that was looked through already";
    return `${this.leftOut.length} folders were left out, since ${why}: ${some}`;
  }
}
