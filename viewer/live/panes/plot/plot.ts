import type uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { element } from "../../../dom/controls.ts";
import { Theme } from "../theme.ts";
import { loadPlotter } from "./plotter.ts";

/** A line over the x axis. Its colour is a custom property. */
export interface Line {
  readonly label: string;
  readonly color: string;
  readonly fill?: boolean;
  readonly dashed?: boolean;
  readonly width?: number;
}

export interface PlotOptions {
  /** The unit behind the numbers of the x axis. */
  readonly xUnit: string;
  readonly yUnit: string;
  /** The x axis covers at least this, and ends at 0, unless `xRange` says otherwise. */
  readonly xLeast: number;
  /** The ends of the x axis, where it does not end at 0. */
  readonly xRange?: () => [number, number];
  /** The ends of the y axis, from the least and the greatest value (null without values). */
  readonly range: (least: number | null, most: number | null) => [number, number];
  /** Called with the place in the data that is pointed at; null without one. */
  readonly onCursor: (at: number | null) => void;
}

/** Columns of data; null leaves a gap, and a line runs over `undefined`. */
export type Columns = (number | null | undefined)[][];

const AGAIN_MS = 5000;
const FONT = "11px system-ui, sans-serif";

/** The ends of the y axis around the values, at least `least` apart. */
export const around =
  (room: number, least: number): PlotOptions["range"] =>
  (low, high) => {
    if (low === null || high === null) return [0, 100];
    const more = Math.max(room * (high - low), (least - (high - low)) / 2);
    return [low - more, high + more];
  };

/** A uPlot in the page's colours, as large as its place. */
export class Plot {
  readonly element = element("div", "plot");
  #made: uPlot | undefined;
  #lines: readonly Line[] = [];
  #data: Columns = [];
  /** Counts the calls of `#make`: only the latest one makes the plot. */
  #turn = 0;
  readonly #theme = new Theme(this.element, () => this.#made?.redraw());

  constructor(readonly options: PlotOptions) {
    new ResizeObserver(() => this.#fit()).observe(this.element);
  }

  /** Sets other lines and removes the data. */
  setLines(lines: readonly Line[]): void {
    this.#lines = lines;
    this.#data = [];
    this.#made?.destroy();
    this.#made = undefined;
    this.#fit();
  }

  /** Shows columns: x first, then each line's. The plot uses them until the next call. */
  show(columns: Columns): void {
    this.#data = columns;
    this.#made?.setData(columns as uPlot.AlignedData);
  }

  async #make(): Promise<void> {
    const turn = ++this.#turn;
    const Plotter = await loadPlotter().catch(() => undefined);
    // A load that failed is tried again.
    if (!Plotter) setTimeout(() => this.#fit(), AGAIN_MS);
    if (!Plotter || turn !== this.#turn) return;
    const data = this.#data.length > 0 ? (this.#data as uPlot.AlignedData) : undefined;
    this.#made = new Plotter(this.#options(), data, this.element);
  }

  #options(): uPlot.Options {
    const { xUnit, yUnit, xLeast, xRange, range, onCursor } = this.options;
    const color = (name: string) => () => this.#theme.color(name);
    const axis = (unit: string): uPlot.Axis => ({
      stroke: color("--dim"),
      font: FONT,
      grid: { stroke: color("--line"), width: 1 },
      ticks: { show: false },
      gap: 4,
      // All values have as many decimals as the value that needs most.
      values: (_, splits) => {
        const decimals = Math.max(...splits.map((value) => `${value}`.split(".")[1]?.length ?? 0));
        return splits.map((value) => `${value.toFixed(decimals)} ${unit}`.replace("-", "−"));
      },
    });
    return {
      ...this.#size(),
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      scales: {
        x: { time: false, range: (_, least) => xRange?.() ?? [Math.min(least ?? 0, -xLeast), 0] },
        y: { range: (_, least, most) => range(least, most) },
      },
      axes: [
        { ...axis(xUnit), size: 22, space: 60 },
        { ...axis(yUnit), size: widthOf, space: 26 },
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
    // A hidden element has no size.
    if (this.element.clientWidth === 0 || this.#lines.length === 0) return;
    if (this.#made) this.#made.setSize(this.#size());
    else void this.#make();
  }
}

/** The width of a vertical axis, as wide as its widest label, so that no digit is cut off. uPlot first asks before there are labels. */
function widthOf({ ctx }: uPlot, labels: string[] | null): number {
  ctx.font = FONT;
  return 8 + Math.max(54, ...(labels ?? []).map((label) => ctx.measureText(label).width));
}

/** The places of values with a gap on both sides. */
function alone(values: uPlot.AlignedData[number]): number[] {
  const next = (at: number, step: 1 | -1): unknown => {
    let k = at + step;
    while (k >= 0 && k < values.length && values[k] === undefined) k += step;
    return values[k] ?? null;
  };
  const places: number[] = [];
  for (let k = 0; k < values.length; k++)
    if (typeof values[k] === "number" && next(k, 1) === null && next(k, -1) === null) places.push(k);
  return places;
}

function seriesOf({ label, fill, dashed, width = 1.25 }: Line, stroke: () => string): uPlot.Series {
  return {
    label,
    stroke,
    width,
    // A value between two gaps is a point, since no line goes through it.
    points: { show: true, size: 2 * width + 1, fill: stroke, filter: (plot, series) => alone(plot.data[series]) },
    ...(fill && { fill: stroke }),
    ...(dashed && { dash: [5, 4] }),
  };
}
