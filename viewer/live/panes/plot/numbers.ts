import { csvText } from "../../../../core/csv.ts";
import { History } from "./history.ts";

/** A number that every frame, or every sample of an inertial sensor, may have. */
export interface Kind {
  readonly name: string;
  /** The unit, which CSV names, too: "" for a bare count. */
  readonly unit: string;
  /** Whether the plot's key tells the standard deviation, too. */
  readonly spread?: boolean;
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

/** The line is broken between rows that are farther apart than this, s. */
const LONG_S = 2;
/** The first row after a jump of the recording stands this far behind the last row before the jump, s. */
const STEP_S = 1 / 30;
/**
 * A line has a gap where a row comes more than GAP_TIMES times the usual time, or the usual number of frames, behind the row before. The
 * usual time follows a new pace by the share FOLLOW a row.
 */
const GAP_TIMES = 2;
const FOLLOW = 0.2;
/** In the table: the number was measured and has no value. */
const NO_VALUE = Number.POSITIVE_INFINITY;
/** The time, in s, of the newest rows that the plots show. */
const PLOTTED_S = 10;
/** How many of the newest frames a late result may belong to. */
const LATE = 600;
/** The first columns: seconds on the plot's own clock, the source's time stamp in ms, the frame's index, 1 after a gap in time. */
const TIME = 0;
const STAMP = 1;
const INDEX = 2;
const GAP = 3;

/** Numbers over time: a row for each frame or sample, a column for each kind of number that somebody has measured. */
export class NumberTable {
  readonly #rows: History;
  readonly #columns = new Map<string, number>();
  /** The usual time between two rows, s. */
  #usual = 0;
  /** Grows with each change. */
  version = 0;

  constructor(capacity: number) {
    this.#rows = new History(4, capacity);
  }

  get length(): number {
    return this.#rows.length;
  }

  clear(): void {
    this.#rows.clear();
    this.version++;
  }

  /** Begins the row of a new frame or sample. `jump`: it does not follow the one before. */
  begin(index: number, timestamp: number, jump = false): void {
    const rows = this.#rows;
    const last = rows.length - 1;
    const passed = last < 0 ? 0 : (timestamp - rows.at(STAMP, last)) / 1000;
    const follows = passed > 0 && passed < LONG_S && !jump;
    const time = last < 0 ? 0 : rows.at(TIME, last) + (follows ? passed : STEP_S);
    const isGap = !follows || (this.#usual > 0 && passed > GAP_TIMES * this.#usual);
    if (last < 0) this.#usual = 0;
    else if (follows) this.#usual += (passed - this.#usual) * (this.#usual > 0 ? FOLLOW : 1);
    rows.begin();
    rows.set(TIME, time);
    rows.set(STAMP, timestamp);
    rows.set(INDEX, index);
    rows.set(GAP, Number(isGap));
    this.version++;
  }

  /**
   * Sets a number of the newest row that has a frame's index. Without a value the number was measured, but there is none. A frame that has
   * no row any more is left out.
   */
  put(index: number, kind: Kind, value: number | null | undefined): void {
    const rows = this.#rows;
    let row = rows.length - 1;
    for (const least = Math.max(0, rows.length - LATE); row >= least && rows.at(INDEX, row) !== index; ) row--;
    if (row < Math.max(0, rows.length - LATE)) return;
    const column = this.#columns.get(kind.name) ?? rows.add();
    this.#columns.set(kind.name, column);
    rows.set(column, value ?? NO_VALUE, row);
    this.version++;
  }

  /** A number of a row, from the oldest (0) to the newest; NaN where it has not been measured or has no value. */
  at(name: string, row: number): number {
    const value = this.#told(name, row);
    return value === NO_VALUE ? Number.NaN : value;
  }

  #told(name: string, row: number): number {
    const column = this.#columns.get(name);
    return column === undefined ? Number.NaN : this.#rows.at(column, row);
  }

  /** The standard deviation of one column's numbers over the rows that the plots show; NaN if none of these rows has the number. */
  deviation(name: string): number {
    const column = this.#columns.get(name);
    return column === undefined ? Number.NaN : this.#rows.spread(column, this.plottedFrom).deviation;
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

  /** The rows that the plots show, and −1 in place of what was left out between two. */
  get plottedRows(): number[] {
    const rows: number[] = [];
    for (let row = this.plottedFrom; row < this.length; row++) {
      if (rows.length > 0 && this.#rows.at(GAP, row) === 1) rows.push(-1);
      rows.push(row);
    }
    return rows;
  }

  /** The seconds of rows that `plottedRows` gave. */
  secondsOf(rows: readonly number[]): number[] {
    const at = (k: number) => this.secondsAt(rows[k]);
    return rows.map((row, k) => (row < 0 ? (at(k - 1) + at(k + 1)) / 2 : at(k)));
  }

  /**
   * A number in rows that `plottedRows` gave, for a plot. Many numbers are measured of some frames only: the rest is `undefined`, and lines
   * run over it. Where more frames than usual lie between two measurements, and where a frame has no value, a gap is `null`.
   */
  valuesOf(name: string, rows: readonly number[]): (number | null | undefined)[] {
    const told = rows.map((row) => (row < 0 ? NO_VALUE : this.#told(name, row)));
    const between: number[] = [];
    const measured = told.flatMap((value, k) => (Number.isNaN(value) ? [] : [k]));
    for (let k = 1; k < measured.length; k++) between.push(measured[k] - measured[k - 1] - 1);
    const usual = between.toSorted((a, b) => a - b)[between.length >> 1] ?? 0;
    const values = told.map((value) => (Number.isNaN(value) ? undefined : value === NO_VALUE ? null : value));
    for (const [k, count] of between.entries())
      if (count > GAP_TIMES * usual) values.fill(null, measured[k] + 1, measured[k + 1]);
    return values;
  }

  /** The seconds from a row to the newest one, below 0. */
  secondsAt(row: number): number {
    return this.#rows.at(TIME, row) - this.#rows.at(TIME, this.length - 1);
  }

  /** Removes the values of some numbers, because later values cannot be compared with them. */
  forget(kinds: readonly Kind[]): void {
    for (const { name } of kinds) {
      const column = this.#columns.get(name);
      if (column !== undefined) for (let row = 0; row < this.length; row++) this.#rows.set(column, Number.NaN, row);
    }
  }

  /** Gives the values of some kinds to as many others, and removes those that the others had. */
  rename(kinds: readonly Kind[], others: readonly Kind[]): void {
    this.forget(others);
    for (const [k, { name }] of kinds.entries()) {
      const [from, to] = [name, others[k].name].map((each) => this.#columns.get(each) ?? this.#rows.add());
      this.#columns.set(name, to).set(others[k].name, from);
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

/** The most rows that are kept: of frames (five minutes of a camera at 30 Hz), and of samples of an inertial sensor. */
const FRAMES = 9000;
const SAMPLES = 60_000;

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
