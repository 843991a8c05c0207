import type { Pipeline } from "../../../pipeline/index.ts";
import type { Stage } from "../../../stages/stage.ts";
import { toggle } from "../../dom/controls.ts";
import { element } from "../../dom/element.ts";
import { parameterControl, spell } from "./parameters.ts";

export interface StagesOptions {
  readonly pipeline: Pipeline;
  /** Parameters that have a place elsewhere, as "stage.parameter". */
  readonly elsewhere: ReadonlySet<string>;
  /** Stages whose switch is somewhere else, and where that is. */
  readonly switchedBy: Readonly<Record<string, string>>;
  /** Something changed; `rebuild` where it takes a new frame to show. */
  readonly onChange: (rebuild: boolean) => void;
}

/** A card for each stage, made from what the stage says of itself. */
export class StageCards {
  readonly element = element("section", "stages", {}, element("h2", "", {}, "Stages"));
  readonly #switches = new Map<string, HTMLInputElement>();

  constructor(readonly options: StagesOptions) {
    for (const stage of options.pipeline.stages) this.element.append(this.#card(stage));
  }

  /** Shows whether stages are on after somebody else has switched them. */
  refresh(): void {
    for (const [name, input] of this.#switches) {
      input.checked = this.options.pipeline.isEnabled(name);
      input.closest(".stage")?.classList.toggle("off", !input.checked);
    }
  }

  #card(stage: Stage): HTMLElement {
    const { pipeline, elsewhere, switchedBy, onChange } = this.options;
    const configure = (change: { enabled?: boolean; onCpu?: boolean }) => {
      pipeline.configure(stage.name, change);
      this.refresh();
      onChange(true);
    };
    const enabled = toggle(stage.name, pipeline.isEnabled(stage.name), (on) => configure({ enabled: on }));
    const fixed = switchedBy[stage.name];
    if (fixed) Object.assign(enabled.input, { disabled: true, title: fixed });
    this.#switches.set(stage.name, enabled.input);
    const head = element("summary", "", {}, element("span", "name", {}, spell(stage.name).label), enabled.input);
    const body = element("div", "body", {}, element("p", "summary", {}, `${capital(stage.summary)}.`));
    for (const name of Object.keys(stage.schema)) {
      if (elsewhere.has(`${stage.name}.${name}`)) continue;
      const control = parameterControl(stage, name, onChange);
      if (control) body.append(control.element);
    }
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
