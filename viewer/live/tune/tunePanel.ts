import type { Pipeline } from "../../../pipeline/index.ts";
import type { TuneResult } from "../../../pipeline/tune/tune.ts";
import { button } from "../../dom/controls.ts";
import { element, setText } from "../../dom/element.ts";
import { openSheet } from "../../dom/sheet.ts";
import { formatMs } from "../../overlay/format.ts";
import { titleOf } from "../../overlay/titles.ts";
import type { Progress } from "./tuner.ts";

export interface TunePanelOptions {
  readonly pipeline: Pipeline;
  /** Tunes the stages. Resolves at the end; with `undefined` if tuning could not begin. */
  readonly tune: (
    signal: AbortSignal,
    onProgress: (progress: Progress) => void,
  ) => Promise<readonly TuneResult[] | undefined>;
  /** Makes a page that shows the results. */
  readonly pageOf: (results: readonly TuneResult[]) => Promise<string>;
  /** Opens the dialog that measures the device. */
  readonly measure: () => Promise<void>;
}

/** Shows whether kernels were tuned on this device, with a button that tunes them. */
export class TunePanel {
  readonly element = element("section", "device", {}, element("h2", "", {}, "This device"));
  readonly #state = element("p", "note");
  readonly #bar = element("progress", "", { max: 1, value: 0, hidden: true });
  readonly #start: HTMLButtonElement;
  readonly #stop: HTMLButtonElement;
  readonly #figure: HTMLButtonElement;
  readonly #measure: HTMLButtonElement;
  #results: readonly TuneResult[] = [];
  #running: AbortController | undefined;

  constructor(readonly options: TunePanelOptions) {
    const hint = "Tries variants of the shaders and uses the fastest from then on. Takes a minute or two";
    this.#start = button("Tune for this device", () => void this.#run(), hint);
    this.#stop = button("Stop", () => this.#running?.abort(), "Ends, and keeps the fastest found so far");
    this.#figure = button("Heat map", () => void this.#showFigure(), "Each variant's choices and its time");
    const measures = "How fast this GPU is and what its operations cost, as a page to save";
    this.#measure = button("Measure this device", () => void options.measure(), measures);
    this.#bar.setAttribute("aria-label", "Tuning");
    const buttons = element("div", "buttons", {}, this.#start, this.#stop, this.#figure, this.#measure);
    this.element.append(this.#state, this.#bar, buttons);
    this.#show();
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = new AbortController();
    this.#show();
    try {
      const results = await this.options.tune(this.#running.signal, (progress) => this.#showProgress(progress));
      if (results) this.#results = results;
    } finally {
      this.#running = undefined;
      this.#show();
    }
  }

  #showProgress({ stage, variants, defaultUs, bestUs, share }: Progress): void {
    this.#bar.value = share;
    const [ms, defaultMs] = [bestUs, defaultUs].map((us) => `${formatMs(us / 1000)} ms`);
    const tried = `${variants} ${variants === 1 ? "variant" : "variants"} tried`;
    const text = variants === 0 ? "getting ready …" : `${tried}; the fastest takes ${ms}, untuned ${defaultMs}`;
    setText(this.#state, `${titleOf(this.options.pipeline.stages, stage)}: ${text}`);
  }

  #show(): void {
    const running = this.#running !== undefined;
    this.#bar.hidden = !running;
    this.#stop.hidden = !running;
    this.#start.hidden = running;
    this.#measure.hidden = running;
    this.#figure.hidden = running || this.#results.length === 0;
    if (!running) setText(this.#state, this.#summary());
  }

  #summary(): string {
    const { profiles, stages } = this.options.pipeline;
    const known = stages.flatMap(({ name }) => {
      const entry = profiles.get(name);
      return entry ? [{ name, ...entry }] : [];
    });
    const [first] = known;
    if (!first) return "Not tuned yet: the shaders are the usual ones for a device of this kind.";
    const gains = known.filter(({ medianUs, defaultUs }) => medianUs < defaultUs);
    const faster = gains.map((gain) => `${titleOf(stages, gain.name)} ${gainOf(gain.medianUs, gain.defaultUs)}`);
    const day = new Date(first.date).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
    return `Tuned on ${day}: ${faster.length > 0 ? faster.join(", ") : "the defaults are the fastest here"}.`;
  }

  async #showFigure(): Promise<void> {
    const page = await this.options.pageOf(this.#results);
    const frame = element("iframe", "", { srcdoc: page, title: "Heat map of the variants" });
    openSheet("Heat map", frame);
  }
}

/** Example: "12 % faster". */
const gainOf = (us: number, defaultUs: number): string => {
  const gain = (defaultUs / us - 1) * 100;
  return `${gain < 1 ? gain.toFixed(1) : gain.toFixed(0)} % faster`;
};
