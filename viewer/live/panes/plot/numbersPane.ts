import { countValid } from "../../../../core/frame.ts";
import { wallClockStepUs } from "../../../../core/wallClock.ts";
import type { Clock } from "../../../../pipeline/index.ts";
import { isRecording } from "../../../../sources/index.ts";
import { button, element, setText, toggle } from "../../../dom/controls.ts";
import { downloadCsv } from "../../../overlay/download.ts";
import { formatMs } from "../../../overlay/format.ts";
import { titleOf } from "../../../overlay/titles.ts";
import { amount, type Fields } from "../../state/field.ts";
import { ExtrasOf, type ReadExtras } from "../extras/extrasOf.ts";
import { listField, placesIn, textOf } from "../measure/places.ts";
import { definePane, type Pane, type PaneParts, type PixelTool } from "../pane.ts";
import type { Pixel } from "../probe/projection.ts";
import type { Snapshot } from "../probe/snapshot.ts";
import { type Kind, type Offer, offerOf } from "./numbers.ts";
import { NumbersPlot } from "./numbersPlot.ts";
import { PIXEL, pixelTool, putPixel } from "./pixelNumber.ts";

const NAMES = {
  expects: "names of numbers, as the pane’s list has them, name;name",
  read: (part: string) => (/^[^;]{1,80}$/.test(part) ? part : undefined),
  write: (name: string) => name,
};
const STAGES = "stages";
const PIXELS = { min: -1, max: 65535, step: 1 };

const fields = {
  numbers: listField("Numbers", NAMES, "What the plot shows over time", STAGES),
  plotU: amount("Plotted column", -1, PIXELS, "The column of the plotted pixel; −1: none"),
  plotV: amount("Plotted row", -1, PIXELS, "The row of the plotted pixel; −1: none"),
} satisfies Fields;

const [RAW_VALID, LATENCY, DROPPED] = [
  { name: "valid, raw", unit: "%" },
  { name: "whole latency", unit: "ms" },
  { name: "dropped", unit: "" },
] as const satisfies Kind[];
const axes = (name: string, unit: string): Kind[] => ["x", "y", "z"].map((axis) => ({ name: `${name} ${axis}`, unit }));
const MOTION = { accelerometer: axes("accelerometer", "m/s²"), gyroscope: axes("gyroscope", "rad/s") } as const;
const SENSORS = ["accelerometer", "gyroscope"] as const;
const SAMPLED = new Set<Kind>(SENSORS.flatMap((sensor) => MOTION[sensor]));

const OFFERS: readonly Offer[] = [
  PIXEL,
  offerOf(RAW_VALID, "The share of the sensor’s pixels that have a depth"),
  offerOf(DROPPED, "Frames that were left out since the frame before"),
  offerOf(LATENCY, "Prepare, upload, queue wait and all stages"),
  ...SENSORS.map((name) => ({
    name,
    kinds: MOTION[name],
    summary: "Each sample of the inertial sensor, by axis",
  })),
];

export const numbersPane = definePane({
  name: "numbers",
  label: "Numbers over time",
  summary:
    "How long each stage took, a pixel’s depth, valid share, noise, drops, readings of regions, acceleration: as plots and CSV",
  place: "below",
  order: 40,
  key: "t",
  fields,
  needs: ({ numbers }) => {
    const chosen = new Set(placesIn(NAMES, numbers));
    if (chosen.has(PIXEL.name)) return "depth";
    return chosen.has(RAW_VALID.name) || SENSORS.some((sensor) => chosen.has(sensor)) ? "source" : "nothing";
  },
  create: (parts) => new NumbersPane(parts),
});

class NumbersPane implements Pane {
  readonly content: readonly HTMLElement[];
  readonly tools: readonly HTMLElement[];
  readonly pixelTools: readonly PixelTool[];
  readonly #parts;
  readonly #plot: NumbersPlot;
  readonly #hint = element("p", "hint");
  readonly #list = element("div", "choices", { hidden: true, role: "group", ariaLabel: "Numbers to plot" });
  readonly #open = button("Numbers", () => this.#unfold(), "Shows or hides the list of numbers to plot");
  readonly #motion: ExtrasOf;
  #stages: readonly Kind[] = [];
  #clock: Clock | undefined;
  /** How many of the pipeline's timed frames the table has. */
  #timed = 0;
  #dropped: number | undefined;
  /** The frame whose samples were taken last. */
  #sampled: Snapshot["frame"] | undefined;
  /** The pixel that the table's depths are of. */
  #plotted = "";
  /** The versions of the tables that were drawn last. */
  #drawn = "";
  #offered = -1;

  constructor(parts: PaneParts<typeof fields>) {
    const { settings, pipeline, shown, numbers, isOpen } = parts;
    this.#parts = parts;
    const wallStepUs = wallClockStepUs();
    this.#plot = new NumbersPlot({
      budgetMs: pipeline.statistics.budgetMs,
      heading: () => (this.#pixel ? `, pixel ${this.#pixel.u}, ${this.#pixel.v}` : ""),
      spell: ({ unit, spread }, value) =>
        unit === "ms"
          ? formatMs(value, this.#clock === "gpu" ? (pipeline.gpu?.clockResolutionUs ?? 0) : wallStepUs)
          : value.toFixed(spread ? 1 : ({ "": 0, "%": 1, "cm²": 1 }[unit] ?? 2)).replace("-", "−"),
    });
    this.content = [this.#hint, element("div", "numbers-beside", {}, this.#list, this.#plot.element)];
    this.#open.ariaExpanded = "false";
    this.#motion = new ExtrasOf(shown, ["motion"], (extras) => this.#sample(extras));
    numbers.wants = (name) => isOpen() && this.#chosen.includes(name);
    const csv = button("CSV", () => this.#save(), "Saves the chosen numbers, a row for each frame until now");
    this.tools = [this.#open, csv];
    const choose = ({ u, v }: Pixel) => {
      const others = this.#chosen.filter((name) => name !== PIXEL.name);
      settings.update({ plotU: u, plotV: v, numbers: textOf(NAMES, [...others, PIXEL.name]) });
    };
    const isAsking = () => this.#chosen.includes(PIXEL.name) && !this.#pixel;
    this.pixelTools = [pixelTool(() => this.#pixel, isAsking, choose)];
    settings.changes$.subscribe(() => {
      const { plotU, plotV } = settings.now;
      if (`${plotU},${plotV}` !== this.#plotted) numbers.frames.forget(PIXEL.kinds);
      this.#plotted = `${plotU},${plotV}`;
      this.#choose();
      const now = parts.snapshot();
      if (isOpen() && now) this.show(now);
    });
  }

  /** The pixel that is plotted. */
  get #pixel(): Pixel | undefined {
    const { plotU: u, plotV: v } = this.#parts.settings.now;
    return u >= 0 && v >= 0 && this.#chosen.includes(PIXEL.name) ? { u, v } : undefined;
  }

  get #chosen(): readonly string[] {
    return placesIn(NAMES, this.#parts.settings.now.numbers);
  }

  /** The offers, in the order of the list. */
  get #offers(): readonly Offer[] {
    const all = { name: STAGES, summary: "The time of each stage, stacked", kinds: this.#stages, stacked: true };
    const each = this.#stages.map((kind) => offerOf(kind, "The time of this stage"));
    return [all, ...OFFERS, ...this.#parts.numbers.offers, ...each];
  }

  get #offersChosen(): readonly Offer[] {
    const chosen = new Set(this.#chosen);
    return this.#offers.filter(({ name }) => chosen.has(name));
  }

  #choose(): void {
    const { numbers } = this.#parts;
    this.#offered = numbers.version;
    this.#drawn = "";
    this.#plot.choose(this.#offersChosen, (kind) => (SAMPLED.has(kind) ? numbers.samples : numbers.frames));
    const noPixel = this.#chosen.includes(PIXEL.name) && !this.#pixel;
    const none = this.#chosen.length > 0 ? "" : "Choose what to plot in the list “Numbers”";
    setText(this.#hint, noPixel ? "Press “Plot pixel”, then click a pixel in any picture" : none);
  }

  /** Shows the list of offers, or hides the list. */
  #unfold(): void {
    this.#list.hidden = !this.#list.hidden;
    this.#open.ariaExpanded = `${!this.#list.hidden}`;
    this.#fill();
  }

  #fill(): void {
    if (this.#list.hidden) return;
    const { settings } = this.#parts;
    const switches = this.#offers.map(({ name, summary }) => {
      const set = (on: boolean) => {
        const others = this.#chosen.filter((one) => one !== name);
        settings.update({ numbers: textOf(NAMES, on ? [...others, name] : others) });
      };
      return toggle(name, this.#chosen.includes(name), set, summary).element;
    });
    this.#list.replaceChildren(...switches);
  }

  opened(): void {
    // The plot begins with the frames whose times the pipeline still knows.
    this.#timed = 0;
    // What was dropped while the pane was closed is no frame's.
    this.#dropped = undefined;
    this.#choose();
  }

  newSource(isMeant: boolean): void {
    if (!isMeant) this.#parts.settings.update({ plotU: -1, plotV: -1 });
    this.#dropped = undefined;
    setText(this.#hint, "");
  }

  observe({ index, dropped }: Parameters<NonNullable<Pane["observe"]>>[0]): void {
    const { frames } = this.#parts.numbers;
    const before = this.#dropped;
    this.#dropped = dropped;
    if (before !== undefined && before !== dropped) frames.put(index, DROPPED, Math.max(0, dropped - before));
    else if (Number.isNaN(frames.at(DROPPED.name, frames.length - 1))) frames.put(index, DROPPED, 0);
  }

  show(snapshot: Snapshot): void {
    const { numbers } = this.#parts;
    const { frame } = snapshot;
    const { index, depth } = frame;
    if (numbers.wants(RAW_VALID.name))
      numbers.frames.put(index, RAW_VALID, (100 * countValid(depth)) / Math.max(1, depth.data.length));
    const pixel = this.#pixel;
    if (pixel && snapshot.filtered) putPixel(numbers.frames, snapshot, pixel);
    if (SENSORS.some(numbers.wants) && frame !== this.#sampled) {
      this.#sampled = frame;
      this.#motion.take(snapshot);
    }
  }

  /** Takes the samples of inertial sensors since the frame before. */
  #sample(extras: ReadExtras | undefined): void {
    if (!extras) return;
    const { snapshot, fault, missed = [] } = extras;
    const { source, frame } = snapshot.origin;
    const { samples } = this.#parts.numbers;
    for (const [i, { motion }] of [...missed, extras].entries()) {
      const index = frame.index - missed.length + i;
      const found = SENSORS.flatMap((sensor) => (motion?.[sensor] ?? []).map((sample) => ({ ...sample, sensor })));
      for (const { timestamp, xyz, sensor } of found.toSorted((a, b) => a.timestamp - b.timestamp)) {
        samples.begin(index, timestamp);
        for (const [axis, kind] of MOTION[sensor].entries()) samples.put(index, kind, xyz[axis]);
      }
    }
    const holds = isRecording(source) && source.extras?.holds.includes("motion");
    const none = `${isRecording(source) ? "The recording" : "A stream"} has no samples of an inertial sensor`;
    setText(this.#hint, fault ?? (holds ? "" : none));
  }

  /** Takes the times of frames that the pipeline has timed since the last call. */
  #time(): void {
    const { pipeline, numbers } = this.#parts;
    const { trace, stages } = pipeline;
    const fresh = trace.count < this.#timed ? trace.count : trace.count - this.#timed;
    this.#timed = trace.count;
    for (const { index, prepareMs, uploadMs, waitMs, timing } of trace.newest(fresh)) {
      // Times of two clocks cannot be compared.
      if (timing.clock !== this.#clock) numbers.frames.forget([...this.#stages, LATENCY]);
      this.#clock = timing.clock;
      const names = timing.stages.map(({ name }) => titleOf(stages, name));
      if (names.join(";") !== this.#stages.map(({ name }) => name).join(";")) {
        this.#stages = names.map((name) => ({ name, unit: "ms" }));
        this.#choose();
      }
      for (const [i, { ms }] of timing.stages.entries()) numbers.frames.put(index, this.#stages[i], ms);
      numbers.frames.put(index, LATENCY, prepareMs + uploadMs + waitMs + timing.totalMs);
    }
  }

  draw(): void {
    this.#time();
    const { numbers } = this.#parts;
    if (numbers.version !== this.#offered) {
      this.#choose();
      this.#fill();
    }
    const now = `${numbers.frames.version} ${numbers.samples.version}`;
    if (now === this.#drawn) return;
    this.#drawn = now;
    this.#plot.draw();
  }

  #save(): void {
    const { frames, samples } = this.#parts.numbers;
    const kinds = [...new Set(this.#offersChosen.flatMap((offer) => offer.kinds))];
    const ofFrames = kinds.filter((kind) => !SAMPLED.has(kind));
    const ofSamples = kinds.filter((kind) => SAMPLED.has(kind));
    const which = this.#pixel ? `-pixel-${this.#pixel.u}-${this.#pixel.v}` : "";
    if (ofFrames.length > 0) downloadCsv(`numbers${which}.csv`, frames.csv(ofFrames));
    if (ofSamples.length > 0) downloadCsv("motion.csv", samples.csv(ofSamples));
  }
}
