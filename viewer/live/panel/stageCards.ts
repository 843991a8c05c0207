import type { Pipeline } from "../../../pipeline/index.ts";
import { type DepthFrame, isBlank } from "../../../sources/index.ts";
import { PRESETS, type Preset } from "../../../stages/core/presets.ts";
import type { Role, Stage } from "../../../stages/core/stage.ts";
import { button, type Control, element, select, setText } from "../../dom/controls.ts";
import type { MeasuredNoise } from "../source/noiseWorker.ts";
import { unbroken } from "../state/messageText.ts";
import type { ViewSettings } from "../state/settings.ts";
import type { Settings } from "../state/store.ts";
import { StageCard } from "./stageCard.ts";

const FOLLOWED = "The filters use it, except where you set a value yourself.";
const UNCERTAIN =
  "One frame, or a camera that moves, shows this uncertainly: the filters keep closer to their usual values.";
/** Where depth comes from, where a source has a pair of images as well. */
const DEPTH_FROM = { camera: "the camera", pair: "the pair" } as const;

export interface StageCardsOptions {
  readonly pipeline: Pipeline;
  readonly settings: Settings<Pick<ViewSettings, "preset" | "split">>;
  readonly onPreset: (preset: Preset) => void;
  readonly onSwitch: (stage: Stage, on: boolean) => void;
  readonly onResetFilters: () => void;
  /** The user has chosen a settings file. */
  readonly onImport: (file: File) => void;
  /** Stages were switched, moved or set. */
  readonly onChange: () => void;
}

/**
 * The preset, the noise that was measured of the sensor, and a card for each stage: the filters in the order in which they run, and the
 * other stages apart from them.
 */
export class StageCards {
  readonly element = element("section", "stages", {}, element("h2", "", {}, "Filters"));
  /** The cards of stages that show depth in another way; they stand among the view's switches. */
  readonly views = element("div", "cards");
  /** The cards of the stages that draw, folded, since few users need them. */
  readonly drawing = element("section", "stages");
  readonly #cards: readonly StageCard[];
  readonly #list = element("div", "cards");
  readonly #each = element("details", "fold", {}, element("summary", "", {}, "Each filter"), this.#list);
  /** The cards of filters that are off at first, folded with what else few users need. */
  readonly #others = element("div", "cards");
  readonly #fold = element("details", "fold", {}, element("summary", "", {}, "More filters"), this.#others);
  readonly #usual: ReadonlySet<Stage>;
  readonly #preset: Control<Preset>;
  readonly #measured = element("p", "note");
  readonly #matcher: Stage | undefined;
  readonly #depthFrom: Control<keyof typeof DEPTH_FROM>;

  constructor(readonly options: StageCardsOptions) {
    const { pipeline, onPreset, onSwitch, onResetFilters, onChange } = options;
    const changed = <A extends unknown[]>(work: (...given: A) => void) => {
      return (...given: A) => {
        work(...given);
        onChange();
      };
    };
    const { now, changes$ } = options.settings;
    this.#preset = select("Preset", PRESETS, now.preset, changed(onPreset));
    changes$.subscribe(() => this.refresh());
    const preset = () => options.settings.now.preset;
    const isOn = ({ name, role }: Stage) => (role === "view" ? options.settings.now.split : pipeline.isEnabled(name));
    const card = { ...options, preset, isOn, onSwitch: changed(onSwitch), onMove: changed(this.#move) };
    this.#cards = pipeline.stages.map((stage) => new StageCard(stage, card));
    this.#matcher = pipeline.stages.find(({ gives }) => gives === "depth");
    this.#depthFrom = select<keyof typeof DEPTH_FROM>("Depth from", DEPTH_FROM, "camera", (from) =>
      this.match(from === "pair"),
    );
    this.#depthFrom.element.hidden = true;
    const file = element("input", "", { type: "file", accept: ".json,application/json", hidden: true });
    file.ariaLabel = "Choose a settings file";
    file.addEventListener("change", () => {
      const [chosen] = file.files ?? [];
      file.value = "";
      if (chosen) options.onImport(chosen);
    });
    const loads = "Loads a settings.json that this viewer or “depthloom replay” has saved";
    const all = element("div", "buttons");
    all.append(
      button("Reset filters", changed(onResetFilters), "Back to the default preset, filters, order and values"),
      button("Load settings…", () => file.click(), loads),
    );
    this.#usual = new Set(pipeline.stages.filter(({ name }) => pipeline.isEnabled(name)));
    this.#fold.append(all);
    this.element.append(this.#preset.element, this.#depthFrom.element, this.#measured, this.#each, this.#fold, file);
    const cardsOf = (...roles: readonly Role[]) =>
      this.#cards.filter(({ stage }) => roles.includes(stage.role)).map(({ element }) => element);
    this.views.append(...cardsOf("view"));
    const drawing = element("details", "fold", {}, element("summary", "", {}, "Drawing stages"));
    drawing.append(...cardsOf("colour", "points", "picture"));
    this.drawing.append(drawing);
    this.measured(undefined);
    this.refresh();
  }

  /** Shows the stages' present state, after another part of the page has changed them. */
  refresh(): void {
    const { pipeline, settings } = this.options;
    this.#preset.set(settings.now.preset);
    const { stages } = pipeline;
    this.#depthFrom.set(this.#matcher && pipeline.isEnabled(this.#matcher.name) ? "pair" : "camera");
    const filters = stages.filter(({ role }) => role === "filter");
    for (const card of this.#cards) card.refresh(filters.indexOf(card.stage), filters.length);
    const sorted = this.#cards
      .filter(({ stage }) => stage.role === "filter")
      .toSorted((a, b) => stages.indexOf(a.stage) - stages.indexOf(b.stage));
    for (const [list, isUsual] of [[this.#list, true] as const, [this.#others, false] as const]) {
      const cards = sorted.filter(({ stage }) => this.#usual.has(stage) === isUsual).map(({ element }) => element);
      if (cards.some((card, i) => card !== list.children[i])) list.replaceChildren(...cards);
    }
    // A link may switch filters whose cards are folded. While raw depth is shown, all are off.
    const runs = [...this.#usual].filter(({ role }) => role === "filter").map(({ name }) => pipeline.isEnabled(name));
    if (runs.includes(true) && runs.includes(false)) this.#each.open = true;
    if (filters.some((stage) => !this.#usual.has(stage) && pipeline.isEnabled(stage.name))) this.#fold.open = true;
  }

  /** Offers to match depth where a source has a pair of images. A source with nothing but a pair is matched from its first frame on. */
  sees({ pair, depth }: DepthFrame, first: boolean): void {
    this.#depthFrom.element.hidden = pair === undefined;
    if (first && pair && isBlank(depth)) this.match(true);
  }

  /** Takes depth from the pair, or from the camera. */
  match(on: boolean): void {
    const { pipeline, onSwitch, onChange } = this.options;
    if (!this.#matcher || pipeline.isEnabled(this.#matcher.name) === on) return;
    onSwitch(this.#matcher, on);
    onChange();
  }

  /** Shows the sensor's noise: `null` if it cannot be measured, `undefined` while it is not known. */
  measured(noise: MeasuredNoise | undefined): void {
    const text = noise
      ? `This sensor, measured: ${noise.text}. ${noise.certain ? FOLLOWED : UNCERTAIN}`
      : noise === null
        ? "Too few pixels are valid to measure the sensor’s noise."
        : "";
    setText(this.#measured, unbroken(text));
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
