import type { FrameTiming } from "../../../../pipeline/index.ts";
import { element, setText } from "../../../dom/controls.ts";
import { formatMs } from "../../../overlay/format.ts";
import { History } from "./history.ts";
import { type Columns, Plot } from "./plot.ts";

/** The plot shows this many timed frames. */
export const LATENCIES = 300;
/** Column 0 has the frame's index; the stages' columns begin here. */
const STAGES = 1;
/** The plot is this many times as high as the budget. */
const ABOVE = 1.25;
/** The number of colours for stages. */
const COLORS = 8;

export type LatencyScale = "budget" | "fit";

/** The time of each stage for each timed frame, stacked, and a line for the budget. */
export class LatencyPlot {
  readonly element = element("section", "latency-plot");
  readonly #key = element("p", "key");
  readonly #values = new Map<string, HTMLElement>();
  readonly #plot = new Plot({
    xUnit: "",
    xLeast: 30,
    yUnit: "ms",
    range: () => [0, this.#top()],
    onCursor: (at) => this.#point(at),
  });
  #stages: readonly string[] = [];
  #history = new History(STAGES, LATENCIES);
  #columns: Columns = [];
  #pointed: number | null = null;
  /** Whether there are new times, or another scale, to draw. */
  #stale = true;
  #clock: FrameTiming["clock"] | undefined;

  constructor(
    readonly budgetMs: number,
    /** The resolution of the clock, µs. */
    readonly stepUs: (clock: FrameTiming["clock"]) => number,
    readonly scale: () => LatencyScale,
    /** The title of a stage, by its name. */
    readonly titleOf: (name: string) => string,
  ) {
    this.element.append(this.#key, this.#plot.element);
  }

  /** Draws again after the scale has changed. */
  refresh(): void {
    this.#stale = true;
  }

  /** Removes all frames, since another source plays. */
  clear(): void {
    this.#history.clear();
    this.#stale = true;
    for (const value of this.#values.values()) setText(value, "");
  }

  /** Takes the times of a frame. Other stages, or another clock, empty the plot, since their times cannot be compared. */
  observe(index: number, { clock, stages }: FrameTiming): void {
    const same = clock === this.#clock && stages.length === this.#stages.length;
    if (!same || stages.some(({ name }, i) => name !== this.#stages[i])) this.#begin(clock, stages);
    this.#stale = true;
    this.#history.begin();
    this.#history.set(0, index);
    for (const [i, { ms }] of stages.entries()) this.#history.set(STAGES + i, ms);
  }

  #begin(clock: FrameTiming["clock"], stages: FrameTiming["stages"]): void {
    this.#clock = clock;
    this.#stages = stages.map(({ name }) => name);
    this.#history = new History(STAGES + stages.length, LATENCIES);
    this.#columns = Array.from({ length: stages.length + 2 }, () => []);
    this.#values.clear();
    const keys = this.#stages.map((name, i) => {
      const value = element("b");
      this.#values.set(name, value);
      const part = element("span", "stage", {}, `${this.titleOf(name)} `, value);
      part.style.setProperty("--key", `var(--stage-${i % COLORS})`);
      return part;
    });
    const total = element("b");
    this.#values.set("", total);
    this.#key.replaceChildren(element("span", "", {}, "frame ", total), ...keys);
    // The sum of all stages is drawn first, and the smaller sums are drawn over it.
    const areas = this.#stages.map((name, i) => ({
      label: this.titleOf(name),
      color: `--stage-${i % COLORS}`,
      fill: true,
      width: 0,
    }));
    this.#plot.setLines([...areas.reverse(), { label: "budget", color: "--error", dashed: true }]);
  }

  draw(): void {
    const count = this.#stages.length;
    const { length } = this.#history;
    if (count === 0 || !this.#stale) return;
    this.#stale = false;
    for (const column of this.#columns) column.length = length;
    for (let row = 0; row < length; row++) {
      this.#columns[0][row] = row - length + 1;
      let sum = 0;
      for (let i = 0; i < count; i++) {
        sum += this.#history.at(STAGES + i, row);
        this.#columns[count - i][row] = sum;
      }
      this.#columns[count + 1][row] = this.budgetMs;
    }
    this.#plot.show(this.#columns);
    this.#point(this.#pointed);
  }

  #top(): number {
    // One slow frame does not make all others flat: what is higher than the plot is cut off.
    if (this.scale() === "budget") return this.budgetMs * ABOVE;
    // Column 1 has the sums; the budget's line must not count.
    let highest = 0;
    for (const value of this.#columns[1] ?? []) highest = Math.max(highest, value ?? 0);
    return Math.max(highest * 1.15, 1e-3);
  }

  /** Shows the times of the frame that is pointed at, or else of the newest. */
  #point(at: number | null): void {
    this.#pointed = at;
    const { length } = this.#history;
    const row = Math.min(at ?? length - 1, length - 1);
    if (row < 0) return;
    const stepUs = this.stepUs(this.#clock ?? "wall");
    let sum = 0;
    for (const [i, name] of this.#stages.entries()) {
      const ms = this.#history.at(STAGES + i, row);
      sum += ms;
      const value = this.#values.get(name);
      if (value) setText(value, formatMs(ms, stepUs));
    }
    const total = this.#values.get("");
    if (total) setText(total, `${this.#history.at(0, row)}: ${formatMs(sum, stepUs)} ms`);
  }
}
