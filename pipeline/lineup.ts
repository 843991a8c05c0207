import { checkOptions, OptionError, shown } from "../sources/check.ts";
import type { Stage } from "../stages/stage.ts";
import type { Overrides } from "../stages/tuning.ts";
import { switchRules } from "./options.ts";
import type { ActiveStage } from "./run/runner.ts";

/** A pipeline's stages: their order, which of them take part, and which of them run on the CPU in any case. */
export class Lineup {
  #stages: readonly Stage[];
  readonly #off = new Set<string>();
  readonly #onCpu = new Set<string>();

  constructor(stages: readonly Stage[]) {
    this.#stages = [...stages];
  }

  /** All of them, in order. */
  get stages(): readonly Stage[] {
    return this.#stages;
  }

  /** Those that take part. */
  active(overridesOf: (stage: Stage) => Overrides): ActiveStage[] {
    const enabled = this.#stages.filter(({ name }) => !this.#off.has(name));
    return enabled.map((stage) => ({ stage, onCpu: this.#onCpu.has(stage.name), overrides: overridesOf(stage) }));
  }

  configure(name: string, change: { readonly enabled?: boolean; readonly onCpu?: boolean }): void {
    this.#placeOf(name);
    checkOptions("configure", change, switchRules);
    if (change.enabled !== undefined) this.#off[change.enabled ? "delete" : "add"](name);
    if (change.onCpu !== undefined) this.#onCpu[change.onCpu ? "add" : "delete"](name);
  }

  isEnabled(name: string): boolean {
    return !this.#off.has(name);
  }

  isOnCpu(name: string): boolean {
    return this.#onCpu.has(name);
  }

  /**
   * Puts some of them into another order, in the places that those have together:
   *
   *     threshold   median   bilateralGrid   temporal   compact        order(["temporal", "median"])
   *     threshold   temporal bilateralGrid   median     compact
   */
  order(names: readonly string[]): void {
    if (!Array.isArray(names)) throw new OptionError(`order: a list of stages' names is needed, not ${shown(names)}`);
    const from = Array.from(names, (name) => this.#placeOf(name));
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice !== undefined) throw new OptionError(`order: ${twice} is named twice`);
    const next = [...this.#stages];
    for (const [i, place] of from.toSorted((a, b) => a - b).entries()) next[place] = this.#stages[from[i]];
    this.#stages = next;
  }

  #placeOf(name: string): number {
    const place = this.#stages.findIndex((stage) => stage.name === name);
    if (place >= 0) return place;
    throw new OptionError(`no stage ${shown(name)} here; there are ${this.#stages.map((s) => s.name).join(", ")}`);
  }
}
