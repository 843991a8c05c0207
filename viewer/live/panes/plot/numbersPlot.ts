import { spellSpread } from "../../../../measure/reading.ts";
import { element, setText } from "../../../dom/controls.ts";
import type { Kind, NumberTable, Offer } from "./numbers.ts";
import { around, type Columns, type Line, Plot } from "./plot.ts";

/** A plot of stacked times is at least this many times as high as the budget. */
const ABOVE = 1.25;
/** This share of the frames fits below the plot's top, with room above. */
const FITTING = 0.9;
/** The number of colours. */
const COLORS = 8;

/** How the numbers are told. */
export interface Telling {
  readonly budgetMs: number;
  /** A value in words, without the unit. */
  readonly spell: (kind: Kind, value: number) => string;
  /** What the key says behind the frame's index. */
  readonly heading: () => string;
}

/** Numbers of one unit. Stacked numbers are areas, drawn under the lines. */
class Chart {
  readonly plot: Plot;
  /** x first, then the areas with the highest first, the budget's line, and the lines. */
  #columns: Columns = [];
  /** The rows of the table that the plot shows, as `plottedRows` gives them. */
  #rows: readonly number[] = [];

  constructor(
    readonly table: NumberTable,
    readonly areas: readonly Kind[],
    readonly lines: readonly Kind[],
    color: (kind: Kind) => string,
    readonly telling: Telling,
    onCursor: (row: number | null) => void,
  ) {
    const { unit } = areas[0] ?? lines[0];
    const usual = around(0.1, unit === "%" || unit === "" ? 1 : 1e-3);
    const range = (least: number | null, most: number | null) =>
      areas.length > 0 ? ([0, this.#top()] as [number, number]) : usual(least, most);
    const cursor = (at: number | null) =>
      onCursor(at === null ? null : (this.#rows.slice(0, at + 1).findLast((row) => row >= 0) ?? null));
    this.plot = new Plot({ xUnit: "s", xLeast: 2, yUnit: unit, range, onCursor: cursor });
    const budget: Line[] = areas.length > 0 ? [{ label: "budget", color: "--error", dashed: true }] : [];
    this.plot.setLines([
      ...areas.map((kind) => ({ label: kind.name, color: color(kind), fill: true, width: 0 })).reverse(),
      ...budget,
      ...lines.map((kind) => ({ label: kind.name, color: color(kind), width: 2 })),
    ]);
  }

  draw(): void {
    const { table, areas, lines } = this;
    const rows = table.plottedRows;
    this.#rows = rows;
    // Stacked upwards: the first is the lowest.
    let below: Columns[number] | undefined;
    const stack = areas.map(({ name }) => {
      const values = table.valuesOf(name, rows);
      const under = below;
      below = values.map((value, k) => (under && typeof under[k] === "number" ? under[k] + (value ?? 0) : value));
      return below;
    });
    const budget = areas.length > 0 ? [rows.map(() => this.telling.budgetMs)] : [];
    const over = lines.map(({ name }) => table.valuesOf(name, rows));
    this.#columns = [table.secondsOf(rows), ...stack.reverse(), ...budget, ...over];
    this.plot.show(this.#columns);
  }

  /** The first row of the table that the plot shows. */
  get from(): number {
    return this.#rows[0] ?? 0;
  }

  #top(): number {
    // One slow frame does not make all others flat: what is higher than the plot is cut off.
    const sums = (this.#columns[1] ?? []).flatMap((sum) => sum ?? []).sort((a, b) => a - b);
    return ABOVE * Math.max(this.telling.budgetMs, sums[Math.floor(FITTING * (sums.length - 1))] ?? 0);
  }
}

/** Chosen numbers over time: a chart for each unit, and a line below with the values at the place that is pointed at. */
export class NumbersPlot {
  readonly element = element("section", "numbers-plot", { tabIndex: 0, ariaLabel: "Plots" });
  readonly #key = element("p", "key");
  readonly #charts = element("div", "plots");
  readonly #frame = element("span");
  #made: readonly Chart[] = [];
  #values = new Map<Kind, { readonly chart: Chart; readonly value: HTMLElement }>();
  #pointed: { readonly chart: Chart; readonly row: number } | undefined;

  constructor(readonly telling: Telling) {
    this.element.append(this.#charts, this.#key);
  }

  /** Shows other numbers, each in the table that `tableOf` says. */
  choose(offers: readonly Offer[], tableOf: (kind: Kind) => NumberTable): void {
    const kinds = [...new Set(offers.flatMap((offer) => offer.kinds))];
    const stacked = new Set(offers.filter((offer) => offer.stacked).flatMap((offer) => offer.kinds));
    const color = (kind: Kind) => `--stage-${kinds.indexOf(kind) % COLORS}`;
    this.#pointed = undefined;
    this.#values = new Map();
    this.#made = [...new Set(kinds.map(({ unit }) => unit))].map((unit) => {
      const alike = kinds.filter((kind) => kind.unit === unit);
      const areas = alike.filter((kind) => stacked.has(kind));
      const lines = alike.filter((kind) => !stacked.has(kind));
      const chart: Chart = new Chart(tableOf(alike[0]), areas, lines, color, this.telling, (row) => {
        this.#pointed = row === null ? undefined : { chart, row };
        this.#tell();
      });
      for (const kind of alike) this.#values.set(kind, { chart, value: element("b") });
      return chart;
    });
    this.#charts.replaceChildren(...this.#made.map(({ plot }) => plot.element));
    const keys = kinds.map((kind) => {
      const part = element("span", "stage", {}, `${kind.name} `, this.#values.get(kind)?.value ?? "");
      part.style.setProperty("--key", `var(${color(kind)})`);
      return part;
    });
    this.#key.replaceChildren(this.#frame, ...keys);
    this.draw();
  }

  draw(): void {
    for (const chart of this.#made) chart.draw();
    this.#tell();
  }

  /**
   * Tells the values of the row that is pointed at, and in charts of another table those of the newest row; where a row has no value, the
   * last value before.
   */
  #tell(): void {
    const { spell, heading, budgetMs } = this.telling;
    const { table, row = -1 } = { table: this.#pointed?.chart.table, row: this.#pointed?.row };
    let sum: number | undefined;
    for (const [kind, { chart, value }] of this.#values) {
      const newest = chart.table.length - 1;
      let at = chart.table === table ? Math.min(row, newest) : newest;
      while (at > chart.from && Number.isNaN(chart.table.at(kind.name, at))) at--;
      const number = at < 0 ? Number.NaN : chart.table.at(kind.name, at);
      // The unit of stacked times stands behind their sum.
      const isArea = chart.areas.includes(kind);
      if (isArea && !Number.isNaN(number)) sum = (sum ?? 0) + number;
      const unit = isArea ? "" : ` ${kind.unit}`;
      const sigma = kind.spread ? chart.table.deviation(kind.name) : Number.NaN;
      // A single value has no deviation.
      const spread = sigma > 0 ? ` σ ${spellSpread(sigma)}` : "";
      setText(value, Number.isNaN(number) ? "–" : `${spell(kind, number)}${spread}${unit}`.trimEnd());
    }
    const chart = this.#pointed?.chart ?? this.#made[0];
    const at = Math.min(this.#pointed?.row ?? chart?.table.length - 1, (chart?.table.length ?? 0) - 1);
    const index = at >= 0 ? chart?.table.indexAt(at) : undefined;
    const all = sum === undefined ? "" : spell({ name: "", unit: "ms" }, sum);
    const total = all && `; all stages ${all} ms of ${budgetMs.toFixed(1)} (dashed), each in ms:`;
    setText(this.#frame, index === undefined ? "" : `frame ${index}${heading()}${total}`);
  }
}
