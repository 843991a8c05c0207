import { checkOptions, OptionError, shown } from "../sources/check.ts";
import type { FrameShape } from "../sources/frame.ts";
import type { Stage } from "../stages/stage.ts";
import type { Overrides } from "../stages/tuning.ts";
import type { Gpu } from "./device/gpu.ts";
import { switchRules } from "./options.ts";
import type { ActiveStage } from "./run/runner.ts";
import { overridesFor, type ProfileEntry } from "./tune/profile.ts";

/** A pipeline's stages: their order, which of them take part, which run on the CPU in any case, and with what kernels the others do. */
export class Lineup {
  #stages: readonly Stage[];
  readonly #off = new Set<string>();
  readonly #onCpu = new Set<string>();

  readonly #overrides = new Map<Stage, Overrides>();
  #profiles: ReadonlyMap<string, ProfileEntry>;

  constructor(stages: readonly Stage[], profiles: ReadonlyMap<string, ProfileEntry> = new Map()) {
    this.#stages = [...stages];
    this.#profiles = profiles;
  }

  /** All of them, in order. */
  get stages(): readonly Stage[] {
    return this.#stages;
  }

  /** Those that take part, on this device, with frames of this shape. */
  active(gpu: Gpu | null, shape: FrameShape): ActiveStage[] {
    const enabled = this.#stages.filter((stage) => !this.#off.has(stage.name) && stage.needed(shape));
    return enabled.map((stage) => {
      const overrides = this.#overrides.get(stage) ?? (gpu ? overridesFor(stage, gpu, this.#profiles) : {});
      this.#overrides.set(stage, overrides);
      return { stage, onCpu: this.#onCpu.has(stage.name), overrides };
    });
  }

  /** What tuning found best, by stage. */
  get profiles(): ReadonlyMap<string, ProfileEntry> {
    return this.#profiles;
  }

  /** Kernels are chosen once more: on another device, or since something has been tuned. */
  tuneAnew(profiles = this.#profiles): void {
    this.#profiles = profiles;
    this.#overrides.clear();
  }

  configure(name: string, change: { readonly enabled?: boolean; readonly onCpu?: boolean }): void {
    this.#placeOf(name);
    checkOptions("configure", change, switchRules);
    if (change.enabled !== undefined) this.#off[change.enabled ? "delete" : "add"](name);
    if (change.onCpu !== undefined) this.#onCpu[change.onCpu ? "add" : "delete"](name);
  }

  isEnabled(name: string): boolean {
    this.#placeOf(name);
    return !this.#off.has(name);
  }

  isOnCpu(name: string): boolean {
    this.#placeOf(name);
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
