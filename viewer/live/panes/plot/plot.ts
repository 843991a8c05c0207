import type uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { element } from "../../../dom/element.ts";
import { Theme } from "../theme.ts";
import { loadPlotter } from "./plotter.ts";

/** What a plot shows over the x axis. Colours are custom properties. */
export interface Line {
  readonly label: string;
  readonly color: string;
  readonly fill?: boolean;
  readonly dashed?: boolean;
  readonly width?: number;
}

export interface PlotOptions {
  /** What the x axis's numbers are followed by. */
  readonly xUnit: string;
  readonly yUnit: string;
  /** At least so much of x is shown, up to its end at 0. */
  readonly xLeast: number;
  /** The y axis's ends, from the least and the greatest value there is (null without any). */
  readonly range: (least: number | null, most: number | null) => [number, number];
  /** The place in the data that is pointed at; null where none is. */
  readonly onCursor: (at: number | null) => void;
}

/** null leaves a gap. */
export type Columns = (number | null)[][];

const FONT = "11px system-ui, sans-serif";

/** uPlot in the page's colours, as large as its place. */
export class Plot {
  readonly element = element("div", "plot");
  #made: uPlot | undefined;
  #lines: readonly Line[] = [];
  #data: Columns = [];
  /** Counts what is to be made: of two only the later one is. */
  #turn = 0;
  readonly #theme = new Theme(this.element, () => this.#made?.redraw());

  constructor(readonly options: PlotOptions) {
    new ResizeObserver(() => this.#fit()).observe(this.element);
  }

  /** Other lines: what is shown is gone. */
  setLines(lines: readonly Line[]): void {
    this.#lines = lines;
    this.#data = [];
    this.#made?.destroy();
    this.#made = undefined;
    this.#fit();
  }

  /** Shows what the columns have: x first, then each line's. They are used until the next call. */
  show(columns: Columns): void {
    this.#data = columns;
    this.#made?.setData(columns as uPlot.AlignedData);
  }

  async #make(): Promise<void> {
    const turn = ++this.#turn;
    const Plotter = await loadPlotter();
    if (turn !== this.#turn) return;
    const data = this.#data.length > 0 ? (this.#data as uPlot.AlignedData) : undefined;
    this.#made = new Plotter(this.#options(), data, this.element);
  }

  #options(): uPlot.Options {
    const { xUnit, yUnit, xLeast, range, onCursor } = this.options;
    const color = (name: string) => () => this.#theme.color(name);
    const axis = (unit: string): uPlot.Axis => ({
      stroke: color("--dim"),
      font: FONT,
      grid: { stroke: color("--line"), width: 1 },
      ticks: { show: false },
      gap: 4,
      values: (_, splits) => splits.map((value) => `${`${value}`.replace("-", "−")} ${unit}`),
    });
    return {
      ...this.#size(),
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      scales: {
        x: { time: false, range: (_, least) => [Math.min(least ?? 0, -xLeast), 0] },
        y: { range: (_, least, most) => range(least, most) },
      },
      axes: [
        { ...axis(xUnit), size: 22, space: 60 },
        { ...axis(yUnit), size: 62, space: 26 },
      ],
      series: [{}, ...this.#lines.map((line) => seriesOf(line, color(line.color)))],
      hooks: { setCursor: [({ cursor: { idx } }) => onCursor(idx ?? null)] },
      padding: [8, 12, 0, 0],
    };
  }

  #size() {
    const { clientWidth: width, clientHeight: height } = this.element;
    return { width: Math.max(80, width), height: Math.max(60, height) };
  }

  #fit(): void {
    // What is hidden has no size, and needs none.
    if (this.element.clientWidth === 0 || this.#lines.length === 0) return;
    if (this.#made) this.#made.setSize(this.#size());
    else void this.#make();
  }
}

function seriesOf({ label, fill, dashed, width = 1.25 }: Line, stroke: () => string): uPlot.Series {
  return {
    label,
    stroke,
    width,
    points: { show: false },
    ...(fill && { fill: stroke }),
    ...(dashed && { dash: [5, 4] }),
  };
}
