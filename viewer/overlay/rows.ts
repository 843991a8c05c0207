import type { Summary } from "../../pipeline/index.ts";
import { element, setText } from "../dom/controls.ts";
import { formatMs, formatShare } from "./format.ts";

/** A median below this many ms for each µs of the clock's steps is shown as a mean. */
const COARSE = 4 / 1000;
/** A mean takes at least this many frames. */
const ENOUGH = 100;
/** A mean is shown in steps of this many µs. */
const MEAN_STEP_US = 10;

/** One line of the table: a name, a bar against the budget, percentiles and shares. */
export class Row {
  readonly element: HTMLTableRowElement;
  readonly #half = element("i", "p50");
  readonly #most = element("i", "p95");
  readonly #p50 = element("td", "figure");
  readonly #p95 = element("td", "figure");
  readonly #p99 = element("td", "figure tail");
  readonly #max = element("td", "figure tail");
  readonly #share = element("td", "figure share");
  readonly #over = element("td", "figure share");

  constructor(
    readonly name: string,
    readonly budgetMs: number,
    /** The name for people. */
    title = name,
    /** The tooltip, which explains the line. */
    says = title === name ? "" : name,
  ) {
    const bar = element("td", "bar", {}, element("div", "track", {}, this.#most, this.#half));
    const head = element("th", "", { scope: "row", title: says }, title);
    const figures = [this.#p50, this.#p95, this.#p99, this.#max, this.#share, this.#over];
    this.element = element("tr", "", {}, head, bar, ...figures);
    this.element.dataset.stage = name;
  }

  /** Shows a stage's times. Bars are scaled by a transform, so that new numbers cause no layout. */
  show(
    { meanMs, p50Ms, p95Ms, p99Ms, maxMs, samples, overBudget }: Summary & { readonly overBudget?: number },
    stepUs: number,
  ): void {
    const figures = [
      [this.#p50, p50Ms],
      [this.#p95, p95Ms],
      [this.#p99, p99Ms],
      [this.#max, maxMs],
    ] as const;
    for (const [cell, ms] of figures) setText(cell, samples ? formatMs(ms, stepUs) : "–");
    // A clock's steps part the times of frames by chance, so the mean of many frames is finer than a step.
    const isMean = samples >= ENOUGH && p50Ms < COARSE * stepUs && stepUs > MEAN_STEP_US;
    if (isMean) setText(this.#p50, formatMs(meanMs, MEAN_STEP_US));
    this.#p50.title = isMean ? `The mean of ${samples} frames: the median is near one step of the clock` : "";
    const over = overBudget === 0 ? "0 %" : formatShare((overBudget ?? 0) / samples);
    setText(this.#over, samples && overBudget !== undefined ? over : "");
    setText(this.#share, samples ? formatShare(p50Ms / this.budgetMs) : "–");
    this.#scale(this.#half, p50Ms);
    this.#scale(this.#most, p95Ms);
    this.element.classList.toggle("over", p50Ms > this.budgetMs);
  }

  #scale(bar: HTMLElement, ms: number): void {
    const share = Math.min(1, ms / this.budgetMs);
    // A stage that takes any time at all gets a visible bar.
    bar.style.transform = `scaleX(${ms > 0 ? Math.max(0.006, share).toFixed(4) : 0})`;
  }
}
