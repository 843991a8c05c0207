import type { Pipeline } from "../../../pipeline/index.ts";
import type { Preset } from "../../../stages/core/presets.ts";
import type { Role, Stage } from "../../../stages/core/stage.ts";
import { button, element, setText, toggle } from "../../dom/controls.ts";
import { isChanged } from "../state/changedValues.ts";
import { type ParameterControl, parameterControl } from "./parameters.ts";

export interface StageCardOptions {
  readonly pipeline: Pipeline;
  readonly preset: () => Preset;
  /** Whether the stage's own switch is on. */
  readonly isOn: (stage: Stage) => boolean;
  /** Switches the stage. The card does not check whether this changes other stages. */
  readonly onSwitch: (stage: Stage, on: boolean) => void;
  /** Moves the stage before the previous one, or after the next one. */
  readonly onMove: (stage: Stage, by: -1 | 1) => void;
  /** A parameter of the stage was changed. */
  readonly onChange: () => void;
}

/** When a stage without a switch of its own runs. */
const RUNS: Readonly<Partial<Record<Role, string>>> = {
  colour: "It runs unless “Colour by” is “Camera” or “Blur” and the recording has colour images.",
  points: "It always runs: without points there is nothing to draw.",
  picture: "It runs while “View” is “Picture”.",
};

/** A stage's card, made from its schema: switch, place in the order, parameters and reset buttons. */
export class StageCard {
  readonly element: HTMLElement;
  readonly #switch: HTMLInputElement | undefined;
  readonly #onCpu: HTMLInputElement | undefined;
  readonly #rows: { readonly name: string; readonly control: ParameterControl; readonly reset: HTMLButtonElement }[] =
    [];
  readonly #reset: HTMLButtonElement;
  readonly #place = element("span", "place");
  readonly #moves: readonly HTMLButtonElement[];

  constructor(
    readonly stage: Stage,
    readonly options: StageCardOptions,
  ) {
    const { pipeline, onSwitch, onMove, onChange } = options;
    const { title, name, summary, schema, role } = stage;
    const runs = RUNS[role];
    const enabled = runs ? undefined : toggle(title, options.isOn(stage), (on) => onSwitch(stage, on));
    this.#switch = enabled?.input;
    const head = element("summary", "", {}, element("span", "name", {}, title));
    const says = [`${capital(summary)}.`, ...(runs ? [runs] : [])].join(" ");
    const body = element("div", "body", {}, element("p", "summary", {}, says));
    const more = element("details", "more", {}, element("summary", "", {}, "More"));
    const inside = element("div", "body");
    for (const [parameter, { fromView, expert }] of Object.entries(schema)) {
      const row = fromView ? undefined : this.#row(parameter);
      if (row) (expert ? inside : body).append(row);
    }
    if (pipeline.backend === "webgpu") {
      const hint = "Runs this stage on the CPU instead of the GPU: the same result, slower";
      const onCpu = toggle(
        "Run on the CPU",
        pipeline.isOnCpu(name),
        (on) => {
          pipeline.configure(name, { onCpu: on });
          onChange();
        },
        hint,
      );
      this.#onCpu = onCpu.input;
      inside.append(onCpu.element);
    }
    more.append(inside);
    const move = (by: -1 | 1, sign: string, where: string) => {
      const made = button(sign, () => onMove(stage, by), `Runs this filter ${where}`);
      made.ariaLabel = `Move ${title} ${by < 0 ? "up" : "down"}`;
      return made;
    };
    this.#moves = role === "filter" ? [move(-1, "↑", "earlier"), move(1, "↓", "later")] : [];
    const back = () => {
      stage.reset(this.#preset);
      onChange();
    };
    this.#reset = button("Reset", back, "Sets all values of this stage back to their defaults");
    this.#reset.ariaLabel = `Reset ${title}`;
    this.#place.title = "Its name on the command line and in settings.json";
    body.append(...(inside.childElementCount > 0 ? [more] : []));
    body.append(element("div", "foot", {}, this.#place, ...this.#moves, this.#reset));
    // The switch is not inside of the `summary`, where screen readers would not find it, but lies over its end.
    const card = element("details", "card", {}, head, body);
    this.element = element("div", "stage", {}, card, ...(this.#switch ? [this.#switch] : []));
    this.element.dataset.stage = name;
    this.refresh(0, 1);
  }

  /** Shows the stage's present state, and its place among the `of` filters that can be moved. */
  refresh(place: number, of: number): void {
    const { stage, options } = this;
    const on = options.isOn(stage);
    if (this.#switch) this.#switch.checked = on;
    if (this.#onCpu) this.#onCpu.checked = options.pipeline.isOnCpu(stage.name);
    this.element.classList.toggle("off", !on);
    for (const { name, control, reset } of this.#rows) {
      control.refresh();
      // The hidden button keeps its room, so that no slider changes its length while it is dragged.
      const changed = isChanged(stage, name, this.#preset);
      reset.style.visibility = changed ? "" : "hidden";
      if (changed) reset.title = `Back to ${String(stage.defaultOf(name, this.#preset))}`;
    }
    this.#reset.disabled = this.#rows.every(({ reset }) => reset.style.visibility === "hidden");
    const [up, down] = this.#moves;
    setText(this.#place, up ? `${stage.name}, ${place + 1} of ${of}` : stage.name);
    if (!up || !down) return;
    const focused = [up, down].find((one) => one === document.activeElement);
    up.disabled = place === 0;
    down.disabled = place === of - 1;
    // If the button that has the focus becomes disabled, the other one takes the focus.
    if (focused?.disabled) (focused === up ? down : up).focus();
  }

  /** Gives the focus back to the move button after the card has moved. */
  focusMove(by: -1 | 1): void {
    const [up, down] = this.#moves;
    const wanted = by < 0 ? up : down;
    (wanted?.disabled ? (by < 0 ? down : up) : wanted)?.focus();
  }

  get #preset(): Preset {
    return this.stage.role === "filter" ? this.options.preset() : "default";
  }

  #row(name: string): HTMLElement | undefined {
    const { stage, options } = this;
    const control = parameterControl(stage, name, options.onChange);
    if (!control) return undefined;
    const back = () => {
      stage.reset(this.#preset, name);
      options.onChange();
    };
    const reset = button("↺", back);
    reset.ariaLabel = `Reset ${control.element.querySelector(".name, legend")?.textContent ?? name}`;
    reset.classList.add("reset");
    this.#rows.push({ name, control, reset });
    return element("div", "parameter", {}, control.element, reset);
  }
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
