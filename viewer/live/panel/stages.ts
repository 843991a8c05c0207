import type { Pipeline } from "../../../pipeline/index.ts";
import { PRESETS, type Preset } from "../../../stages/presets.ts";
import type { Stage } from "../../../stages/stage.ts";
import { button, type Control, select } from "../../dom/controls.ts";
import { element, setText } from "../../dom/element.ts";
import type { Measured } from "../source/noiseWorker.ts";
import { StageCard } from "./stageCard.ts";

export interface StageCardsOptions {
  readonly pipeline: Pipeline;
  readonly preset: () => Preset;
  readonly onPreset: (preset: Preset) => void;
  readonly onSwitch: (stage: Stage, on: boolean) => void;
  readonly onResetAll: () => void;
  /** A settings file was chosen. */
  readonly onImport: (file: File) => void;
  /** Stages were switched, moved or set: refreshes this, too. */
  readonly onChange: () => void;
}

/** What the filters are set for, what was measured of the sensor, and a card for each stage, in the order in which they run. */
export class StageCards {
  readonly element = element("section", "stages", {}, element("h2", "", {}, "Stages"));
  readonly #cards: readonly StageCard[];
  readonly #list = element("div", "cards");
  readonly #preset: Control<Preset>;
  readonly #measured = element("p", "note");

  constructor(readonly options: StageCardsOptions) {
    const { pipeline, onPreset, onSwitch, onResetAll, onChange } = options;
    const changed = <A extends unknown[]>(work: (...given: A) => void) => {
      return (...given: A) => {
        work(...given);
        onChange();
      };
    };
    this.#preset = select("Set for", PRESETS, options.preset(), changed(onPreset));
    const card = { ...options, onSwitch: changed(onSwitch), onMove: changed(this.#move) };
    this.#cards = pipeline.stages.map((stage) => new StageCard(stage, card));
    const file = element("input", "", { type: "file", accept: ".json,application/json", hidden: true });
    file.ariaLabel = "Choose a settings file";
    file.addEventListener("change", () => {
      const [chosen] = file.files ?? [];
      file.value = "";
      if (chosen) options.onImport(chosen);
    });
    const all = element(
      "div",
      "buttons",
      {},
      button("Reset all", changed(onResetAll), "Everything on this panel goes back to its default"),
      button("Settings file…", () => file.click(), "Takes a settings.json, of this viewer or of a replay"),
    );
    this.element.append(this.#preset.element, this.#measured, this.#list, all, file);
    this.measured(undefined);
    this.refresh();
  }

  /** Shows how the stages are after somebody else has switched, moved or set them. */
  refresh(): void {
    const { pipeline, preset } = this.options;
    this.#preset.set(preset());
    const { stages } = pipeline;
    const filters = stages.filter(({ role }) => role === "filter");
    for (const card of this.#cards) card.refresh(filters.indexOf(card.stage), filters.length);
    const sorted = this.#cards.toSorted((a, b) => stages.indexOf(a.stage) - stages.indexOf(b.stage));
    const moved = sorted.some(({ element }, i) => element !== this.#list.children[i]);
    if (moved) this.#list.replaceChildren(...sorted.map(({ element }) => element));
  }

  /** Shows how noisy the sensor is: `null` where that cannot be said, nothing while it is not known. */
  measured(noise: Measured | undefined): void {
    const text = noise
      ? `Measured here: ${noise.text}. Filters go by it, but for what is set.`
      : noise === null
        ? "Too little is valid to measure the noise."
        : "";
    setText(this.#measured, text);
  }

  readonly #move = (stage: Stage, by: -1 | 1): void => {
    const { pipeline } = this.options;
    const filters = pipeline.stages.filter(({ role }) => role === "filter");
    const other = filters[filters.indexOf(stage) + by];
    if (!other) return;
    pipeline.order(by < 0 ? [stage.name, other.name] : [other.name, stage.name]);
    this.refresh();
    this.#cards.find((card) => card.stage === stage)?.focusMove(by);
  };
}
