/** The last `capacity` rows of a table of numbers; new rows allocate nothing. NaN means no value. */
export class History {
  readonly #columns: Float64Array[];
  #count = 0;

  constructor(
    columns: number,
    readonly capacity = 300,
  ) {
    this.#columns = Array.from({ length: columns }, () => new Float64Array(capacity));
  }

  /** The number of rows. */
  get length(): number {
    return Math.min(this.#count, this.capacity);
  }

  clear(): void {
    this.#count = 0;
  }

  /** Adds a column without values. Returns its number. */
  add(): number {
    return this.#columns.push(new Float64Array(this.capacity).fill(Number.NaN)) - 1;
  }

  /** Begins a new row; `set` fills it. */
  begin(): void {
    this.#count++;
    for (let column = 0; column < this.#columns.length; column++) this.set(column, Number.NaN);
  }

  /** Sets a value of the newest row, or of `row`, which counts from the oldest row (0) as in `at`. */
  set(column: number, value: number, row = this.length - 1): void {
    this.#columns[column][(this.#count - this.length + row) % this.capacity] = value;
  }

  /** The value of a column in a row, which counts from the oldest (0) to the newest. */
  at(column: number, row: number): number {
    return this.#columns[column][(this.#count - this.length + row) % this.capacity];
  }

  /** Mean, standard deviation and number of a column's finite values, from a row on. Mean and deviation are NaN without values. */
  spread(column: number, from = 0): { readonly mean: number; readonly deviation: number; readonly count: number } {
    let [count, mean, squares] = [0, 0, 0];
    for (let row = from; row < this.length; row++) {
      const value = this.at(column, row);
      if (!Number.isFinite(value)) continue;
      // Welford's algorithm avoids the subtraction of large squares, which would lose digits.
      count++;
      const off = value - mean;
      mean += off / count;
      squares += off * (value - mean);
    }
    if (count === 0) return { mean: Number.NaN, deviation: Number.NaN, count };
    return { mean, deviation: Math.sqrt(squares / count), count };
  }
}
