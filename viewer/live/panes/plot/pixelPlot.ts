import { element, setText } from "../../../dom/element.ts";
import { spellMm, spellSpread } from "../format.ts";
import type { Pixel } from "../probe/projection.ts";
import { type Snapshot, sampleAt } from "../probe/snapshot.ts";
import { History } from "./history.ts";
import { Plot } from "./plot.ts";

/** Frames that are shown. */
const FRAMES = 300;
/** The columns of what is kept: seconds since the first, the frame's number, metres, how the filters were set. */
const [TIME, INDEX, RAW, FILTERED, SETTINGS] = [0, 1, 2, 3, 4];
/** Frames farther apart do not follow each other, s. */
const LONG_S = 2;
/** At least so much is shown from bottom to top, mm: rounding is not to look like noise. */
const LEAST_MM = 4;

/** One pixel's depth over time, raw against filtered, with how much each of them moves. */
export class PixelPlot {
  readonly element = element("section", "pixel-plot");
  pixel: Pixel | undefined;
  readonly #history = new History(5, FRAMES);
  readonly #plot = new Plot({
    xUnit: "s",
    xLeast: 2,
    yUnit: "mm",
    range: (least, most) => rangeAround(least, most),
    onCursor: (at) => this.#point(at),
  });
  readonly #columns: (number | null)[][] = [[], [], []];
  readonly #spreads = [element("b"), element("b")] as const;
  readonly #title = element("span", "which");
  readonly #values = element("span", "values");
  readonly #hint = element("p", "hint", {}, "Press “Plot pixel”, then click a pixel in any picture");
  #last: Snapshot["frame"] | undefined;
  #metresPerUnit = 0.001;
  #pointed: number | null = null;
  /** Something has come that is not drawn. */
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

  /** Plots another pixel, from now on. */
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

  /** Takes a frame's depths; the same frame again, through other filters, in place of what it was. */
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
    this.#metresPerUnit = frame.metresPerUnit;
    history.set(SETTINGS, snapshot.origin.settings);
    history.set(RAW, rawM || Number.NaN);
    history.set(FILTERED, filteredM || Number.NaN);
  }

  /** The first row since the filters were set as they are: how much a pixel moves is told of these rows alone. */
  get #sinceSet(): number {
    const { length } = this.#history;
    let row = Math.max(0, length - 1);
    const settings = length > 0 ? this.#history.at(SETTINGS, row) : 0;
    while (row > 0 && this.#history.at(SETTINGS, row - 1) === settings) row--;
    return row;
  }

  /** Time goes on where the recording begins anew or is somewhere else: as if the frame had come with the last one's pace. */
  #timeOf(frame: Snapshot["frame"]): number {
    const history = this.#history;
    const { length } = history;
    if (length === 0 || !this.#last) return 0;
    const before = history.at(TIME, length - 1);
    const passed = (frame.timestamp - this.#last.timestamp) / 1000;
    if (passed > 0 && passed < LONG_S && !frame.jump) return before + passed;
    return before + (length > 1 ? before / (length - 1) : 1 / 30);
  }

  /** Draws what has come. */
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

  /** What was at a time that is pointed at, or else what is now. */
  #point(at: number | null): void {
    this.#pointed = at;
    const { length } = this.#history;
    const row = Math.min(at ?? length - 1, length - 1);
    const mm = (column: number) => {
      const metres = this.#history.at(column, row);
      return Number.isNaN(metres) ? "–" : spellMm(metres, this.#metresPerUnit);
    };
    const text = () => `frame ${this.#history.at(INDEX, row) + 1}: raw ${mm(RAW)}, filtered ${mm(FILTERED)} mm`;
    setText(this.#values, row < 0 ? "" : text());
  }
}

const mmOrGap = (metres: number) => (Number.isNaN(metres) ? null : metres * 1000);

function rangeAround(least: number | null, most: number | null): [number, number] {
  if (least === null || most === null) return [0, 1000];
  const room = Math.max(0.08 * (most - least), (LEAST_MM - (most - least)) / 2);
  return [least - room, most + room];
}
