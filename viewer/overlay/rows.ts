import type { Summary } from "../../pipeline/index.ts";
import { element, setText } from "../dom/element.ts";
import { formatMs, formatShare } from "./format.ts";

/** One line of the table: a name, a bar against the budget, p50, p95 and the share. */
export class Row {
  readonly element: HTMLTableRowElement;
  readonly #half = element("i", "p50");
  readonly #most = element("i", "p95");
  readonly #p50 = element("td", "figure");
  readonly #p95 = element("td", "figure");
  readonly #share = element("td", "figure share");

  constructor(
    readonly name: string,
    readonly budgetMs: number,
    /** The name for people. */
    title = name,
  ) {
    const bar = element("td", "bar", {}, element("div", "track", {}, this.#most, this.#half));
    const head = element("th", "", { scope: "row", title: title === name ? "" : name }, title);
    this.element = element("tr", "", {}, head, bar, this.#p50, this.#p95, this.#share);
    this.element.dataset.stage = name;
  }

  /** Shows a stage's times. Bars are scaled by a transform, so that new numbers cause no layout. */
  show({ p50Ms, p95Ms, samples }: Summary, stepUs: number): void {
    setText(this.#p50, samples ? formatMs(p50Ms, stepUs) : "–");
    setText(this.#p95, samples ? formatMs(p95Ms, stepUs) : "–");
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
