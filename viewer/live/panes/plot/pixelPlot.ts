import { element, setText } from "../../../dom/controls.ts";
import { spellMm, spellSpread } from "../format.ts";
import type { Pixel } from "../probe/projection.ts";
import { type Snapshot, sampleAt } from "../probe/snapshot.ts";
import { History } from "./history.ts";
import { around, Plot } from "./plot.ts";

/** The plot shows this many frames. */
const FRAMES = 300;
/**
 * The columns of the history: seconds since the first frame, the frame's index, two depths in metres, the version of the filters' settings.
 */
const [TIME, INDEX, RAW, FILTERED, SETTINGS] = [0, 1, 2, 3, 4];
/** Frames farther apart than this do not follow each other, s. */
const LONG_S = 2;
/** The plot's height is at least this many mm, so that rounding does not look like noise. */
const LEAST_MM = 4;

/** One pixel's raw and filtered depth over time, with the standard deviation of both. */
export class PixelPlot {
  readonly element = element("section", "pixel-plot");
  pixel: Pixel | undefined;
  readonly #history = new History(5, FRAMES);
  readonly #plot = new Plot({
    xUnit: "s",
    xLeast: 2,
    yUnit: "mm",
    range: around(0.08, LEAST_MM),
    onCursor: (at) => this.#point(at),
  });
  readonly #columns: (number | null)[][] = [[], [], []];
  readonly #spreads = [element("b"), element("b")] as const;
  readonly #title = element("span", "which");
  readonly #values = element("span", "values");
  readonly #hint = element("p", "hint", {}, "Press “Plot pixel”, then click a pixel in any picture");
  #last: Snapshot["frame"] | undefined;
  /** Of raw and of filtered depth. */
  #units: readonly [number, number] = [0.001, 0.001];
  #pointed: number | null = null;
  /** Whether there are new values to draw. */
  #stale = true;

  constructor() {
    const [raw, filtered] = this.#spreads;
    const key = element(
      "p",
      "key",
      {},
      this.#title,
      element("span", "raw", {}, "raw ", raw),
      element("span", "filtered", {}, "filtered ", filtered),
      this.#values,
    );
    this.element.append(key, this.#plot.element, this.#hint);
    this.#plot.setLines([
      { label: "raw", color: "--plot-raw" },
      { label: "filtered", color: "--plot-filtered", width: 2 },
    ]);
  }

  /** Empties the plot and begins with another pixel. */
  choose(pixel: Pixel | undefined): void {
    this.pixel = pixel;
    this.clear();
  }

  clear(): void {
    this.#history.clear();
    this.#last = undefined;
    this.#stale = true;
    this.draw();
  }

  /** Takes a frame's depths. The same frame again, through other filters, replaces its values. */
  observe(snapshot: Snapshot): void {
    const { frame } = snapshot;
    if (!this.pixel) return;
    this.#stale = true;
    const { rawM, filteredM } = sampleAt(snapshot, this.pixel);
    const history = this.#history;
    if (frame !== this.#last) {
      const time = this.#timeOf(frame);
      history.begin();
      history.set(TIME, time);
      history.set(INDEX, frame.index);
    }
    this.#last = frame;
    this.#units = [frame.metresPerUnit, snapshot.shape.metresPerUnit];
    history.set(SETTINGS, snapshot.origin.settings);
    history.set(RAW, rawM || Number.NaN);
    history.set(FILTERED, filteredM || Number.NaN);
  }

  /** The first row with the present settings of the filters; the standard deviations are those of the rows from there on. */
  get #sinceSet(): number {
    const { length } = this.#history;
    let row = Math.max(0, length - 1);
    const settings = length > 0 ? this.#history.at(SETTINGS, row) : 0;
    while (row > 0 && this.#history.at(SETTINGS, row - 1) === settings) row--;
    return row;
  }

  /** The time of a frame. After a jump of the recording, time continues at the average pace. */
  #timeOf(frame: Snapshot["frame"]): number {
    const history = this.#history;
    const { length } = history;
    if (length === 0 || !this.#last) return 0;
    const before = history.at(TIME, length - 1);
    const passed = (frame.timestamp - this.#last.timestamp) / 1000;
    if (passed > 0 && passed < LONG_S && !frame.jump) return before + passed;
    return before + (length > 1 ? before / (length - 1) : 1 / 30);
  }

  /** Draws the values that have come. */
  draw(): void {
    if (!this.#stale) return;
    this.#stale = false;
    const history = this.#history;
    const [times, raw, filtered] = this.#columns;
    const { length } = history;
    const now = length > 0 ? history.at(TIME, length - 1) : 0;
    for (const column of this.#columns) column.length = length;
    for (let row = 0; row < length; row++) {
      times[row] = history.at(TIME, row) - now;
      raw[row] = mmOrGap(history.at(RAW, row));
      filtered[row] = mmOrGap(history.at(FILTERED, row));
    }
    this.#plot.show(this.#columns);
    this.#hint.hidden = this.pixel !== undefined;
    setText(this.#title, this.pixel ? `Pixel ${this.pixel.u}, ${this.pixel.v}` : "");
    for (const [i, column] of [RAW, FILTERED].entries()) {
      const { deviation, count } = history.spread(column, this.#sinceSet);
      setText(this.#spreads[i], count > 0 ? `σ ${spellSpread(deviation)} mm` : "–");
    }
    this.#point(this.#pointed);
  }

  /** Shows the values at the time that is pointed at, or else the newest. */
  #point(at: number | null): void {
    this.#pointed = at;
    const { length } = this.#history;
    const row = Math.min(at ?? length - 1, length - 1);
    const mm = (column: number, metresPerUnit: number) => {
      const metres = this.#history.at(column, row);
      return Number.isNaN(metres) ? "–" : spellMm(metres, metresPerUnit);
    };
    const [raw, filtered] = this.#units;
    const both = () => `raw ${mm(RAW, raw)}, filtered ${mm(FILTERED, filtered)} mm`;
    const text = () => `frame ${this.#history.at(INDEX, row) + 1}: ${both()}`;
    setText(this.#values, row < 0 ? "" : text());
  }
}

const mmOrGap = (metres: number) => (Number.isNaN(metres) ? null : metres * 1000);
