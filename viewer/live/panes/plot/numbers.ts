import { csvText } from "../../../report/csv.ts";
import { History } from "./history.ts";

/** A number that every frame, or every sample of an inertial sensor, may have. */
export interface Kind {
  readonly name: string;
  /** The unit, which CSV names, too: "" for a bare count. */
  readonly unit: string;
}

/** An entry of the list of numbers: one number, or a few that belong together. */
export interface Offer {
  readonly name: string;
  readonly summary: string;
  readonly kinds: readonly Kind[];
  /** Whether the plot shows the numbers as areas, one upon the other. */
  readonly stacked?: boolean;
}

/** An offer of one number. */
export const offerOf = (kind: Kind, summary = ""): Offer => ({ name: kind.name, summary, kinds: [kind] });

/** Rows farther apart than this do not follow each other, s; after a jump of the recording the plot goes on by this step, s. */
const [LONG_S, STEP_S] = [2, 1 / 30];
/** The plots show the newest rows of so many seconds. */
const PLOTTED_S = 10;
/** A late result belongs to one of so many newest frames. */
const LATE = 600;
/** The first columns: seconds on the plot's own clock, the source's time stamp in ms, the frame's index. */
const [TIME, STAMP, INDEX] = [0, 1, 2];

/** Numbers over time: a row for each frame or sample, a column for each kind of number that somebody has measured. */
export class NumberTable {
  readonly #rows: History;
  readonly #columns = new Map<string, { readonly kind: Kind; readonly column: number }>();
  /** Grows with each change. */
  version = 0;

  constructor(capacity: number) {
    this.#rows = new History(3, capacity);
  }

  get length(): number {
    return this.#rows.length;
  }

  clear(): void {
    this.#rows.clear();
    this.version++;
  }

  /** Begins the row of a new frame or sample. */
  begin(index: number, timestamp: number): void {
    const rows = this.#rows;
    const last = rows.length - 1;
    const passed = last < 0 ? 0 : (timestamp - rows.at(STAMP, last)) / 1000;
    const time = last < 0 ? 0 : rows.at(TIME, last) + (passed > 0 && passed < LONG_S ? passed : STEP_S);
    rows.begin();
    rows.set(TIME, time);
    rows.set(STAMP, timestamp);
    rows.set(INDEX, index);
    this.version++;
  }

  /** Sets a number of the newest row that has a frame's index; a frame that has no row any more is left out. */
  put(index: number, kind: Kind, value: number | null | undefined): void {
    const rows = this.#rows;
    let row = rows.length - 1;
    for (const least = Math.max(0, rows.length - LATE); row >= least && rows.at(INDEX, row) !== index; ) row--;
    if (row < Math.max(0, rows.length - LATE)) return;
    let known = this.#columns.get(kind.name);
    if (!known) {
      known = { kind, column: rows.add() };
      this.#columns.set(kind.name, known);
    }
    rows.set(known.column, value ?? Number.NaN, row);
    this.version++;
  }

  /** A number of a row, from the oldest (0) to the newest; NaN where it has not been measured. */
  at(name: string, row: number): number {
    const known = this.#columns.get(name);
    return known ? this.#rows.at(known.column, row) : Number.NaN;
  }

  indexAt(row: number): number {
    return this.#rows.at(INDEX, row);
  }

  /** The first row that the plots show. */
  get plottedFrom(): number {
    const { length } = this;
    let row = Math.max(0, length - 1);
    while (row > 0 && this.secondsAt(row - 1) >= -PLOTTED_S) row--;
    return row;
  }

  /** Seconds and values of the rows that the plots show; a gap where there is no value. */
  plotted(name: string): (number | null)[][] {
    const first = this.plottedFrom;
    const rows = Array.from({ length: this.length - first }, (_, k) => first + k);
    const value = (row: number) => (Number.isNaN(this.at(name, row)) ? null : this.at(name, row));
    return [rows.map((row) => this.secondsAt(row)), rows.map(value)];
  }

  /** The seconds from a row to the newest one, below 0. */
  secondsAt(row: number): number {
    return this.#rows.at(TIME, row) - this.#rows.at(TIME, this.length - 1);
  }

  /** Removes the values of some numbers, because later values cannot be compared with them. */
  forget(kinds: readonly Kind[]): void {
    for (const { name } of kinds) {
      const { column } = this.#columns.get(name) ?? {};
      if (column !== undefined) for (let row = 0; row < this.length; row++) this.#rows.set(column, Number.NaN, row);
    }
  }

  /** CSV with a row for each frame, or sample, that has any of these numbers. */
  csv(kinds: readonly Kind[]): string {
    const head = ["frame", "timestamp (s)", ...kinds.map(({ name, unit }) => (unit ? `${name} (${unit})` : name))];
    const lines: unknown[][] = [];
    for (let row = 0; row < this.length; row++) {
      const values = kinds.map(({ name }) => Number(this.at(name, row).toFixed(6)));
      if (values.every(Number.isNaN)) continue;
      lines.push([this.indexAt(row), Number((this.#rows.at(STAMP, row) / 1000).toFixed(6)), ...values]);
    }
    return csvText([head, ...lines]);
  }
}

/** Rows are kept of so many frames, five minutes of a camera of 30 Hz, and of so many samples of an inertial sensor. */
const [FRAMES, SAMPLES] = [9000, 60_000];

/**
 * Numbers that the parts of the page measure, by frames, for plots and CSV. A part offers its numbers, measures those that `wants` names,
 * and puts them here. The page begins a row with each frame that it shows, and empties the tables when another source plays.
 */
export class Numbers {
  readonly frames = new NumberTable(FRAMES);
  readonly #offers = new Map<string, readonly Offer[]>();
  #samples: NumberTable | undefined;
  /** Grows when other numbers are offered. */
  version = 0;
  /** Whether a plot shows the numbers that are offered under a name. */
  wants: (name: string) => boolean = () => false;

  /** The samples of inertial sensors, each in a row of its own. */
  get samples(): NumberTable {
    this.#samples ??= new NumberTable(SAMPLES);
    return this.#samples;
  }

  get offers(): readonly Offer[] {
    return [...this.#offers.values()].flat();
  }

  /** Offers numbers, in place of those that the same part of the page offered before. */
  offer(part: string, offers: readonly Offer[]): void {
    this.#offers.set(part, offers);
    this.version++;
  }

  clear(): void {
    this.frames.clear();
    this.#samples?.clear();
  }
}
