import type { Pipeline } from "../../../pipeline/index.ts";
import { PRESETS, type Preset } from "../../../stages/presets.ts";
import type { Role, Stage } from "../../../stages/stage.ts";
import { select, toggle } from "../../dom/controls.ts";
import { element } from "../../dom/element.ts";
import { type ParameterControl, parameterControl, spell } from "./parameters.ts";

/** Stages whose switch is somewhere else, and where that is. */
const SWITCHED_BY: Readonly<Partial<Record<Role, string>>> = {
  view: "Switched by “Raw beside filtered”",
  colour: "Switched by “Colour by”",
  points: "Always on: both views draw its points",
  picture: "Switched by “View”",
};

/** A card for each stage, made from what the stage says of itself. */
export class StageCards {
  readonly element = element("section", "stages", {}, element("h2", "", {}, "Stages"));
  readonly #switches = new Map<string, HTMLInputElement>();
  readonly #controls: ParameterControl[] = [];

  constructor(
    readonly pipeline: Pipeline,
    onPreset: (preset: Preset) => void,
    /** A stage was switched or set. */
    readonly onChange: () => void,
  ) {
    const preset = select("Set for", PRESETS, "default", (name) => {
      onPreset(name);
      this.refresh();
      for (const control of this.#controls) control.refresh();
      onChange();
    });
    this.element.append(preset.element);
    for (const stage of pipeline.stages) this.element.append(this.#card(stage));
  }

  /** Shows whether stages are on after somebody else has switched them. */
  refresh(): void {
    for (const [name, input] of this.#switches) {
      input.checked = this.pipeline.isEnabled(name);
      input.closest(".stage")?.classList.toggle("off", !input.checked);
    }
  }

  #card(stage: Stage): HTMLElement {
    const { pipeline, onChange } = this;
    const configure = (change: { enabled?: boolean; onCpu?: boolean }) => {
      pipeline.configure(stage.name, change);
      this.refresh();
      onChange();
    };
    const enabled = toggle(stage.name, pipeline.isEnabled(stage.name), (on) => configure({ enabled: on }));
    const fixed = SWITCHED_BY[stage.role];
    if (fixed) Object.assign(enabled.input, { disabled: true, title: fixed });
    this.#switches.set(stage.name, enabled.input);
    const head = element("summary", "", {}, element("span", "name", {}, spell(stage.name).label), enabled.input);
    const body = element("div", "body", {}, element("p", "summary", {}, `${capital(stage.summary)}.`));
    const controls: ParameterControl[] = [];
    const changed = () => {
      for (const control of controls) control.refresh();
      onChange();
    };
    for (const [name, { fromView }] of Object.entries(stage.schema)) {
      const control = fromView ? undefined : parameterControl(stage, name, changed);
      if (control) controls.push(control);
    }
    this.#controls.push(...controls);
    body.append(...controls.map((control) => control.element));
    if (pipeline.backend === "webgpu") {
      const hint = "Runs this one stage's CPU twin in place of its kernels: the same result, slower";
      body.append(
        toggle("Run on the CPU", pipeline.isOnCpu(stage.name), (onCpu) => configure({ onCpu }), hint).element,
      );
    }
    const card = element("details", "stage", {}, head, body);
    card.dataset.stage = stage.name;
    card.classList.toggle("off", !enabled.input.checked);
    return card;
  }
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
