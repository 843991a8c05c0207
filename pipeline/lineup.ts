import { checkOptions, OptionError, shown } from "../core/check.ts";
import type { FrameShape } from "../core/frame.ts";
import { applyOrder } from "../stages/core/order.ts";
import type { Stage } from "../stages/core/stage.ts";
import type { Overrides } from "../stages/core/tuning.ts";
import type { Gpu } from "./device/gpu.ts";
import { switchRules } from "./options.ts";
import type { ActiveStage } from "./run/runner.ts";
import { overridesFor, type ProfileEntry } from "./tune/profile.ts";

/** A pipeline's stages: their order, which of them are enabled, which run on the CPU, and which kernel overrides the others use. */
export class Lineup {
  #stages: readonly Stage[];
  readonly #off = new Set<string>();
  readonly #onCpu = new Set<string>();

  readonly #overrides = new Map<Stage, Overrides>();
  #profiles: ReadonlyMap<string, ProfileEntry>;
  #active: readonly ActiveStage[] = [];

  constructor(stages: readonly Stage[], profiles: ReadonlyMap<string, ProfileEntry> = new Map()) {
    this.#stages = [...stages];
    this.#profiles = profiles;
    this.#applyOrder();
  }

  /** All stages, in order, enabled or not. */
  get stages(): readonly Stage[] {
    return this.#stages;
  }

  /**
   * The enabled stages that frames of this shape need, with the kernel overrides for this device: the list that was given for the frame
   * before, unless it has changed.
   */
  active(gpu: Gpu | null, shape: FrameShape): readonly ActiveStage[] {
    let count = 0;
    for (const stage of this.#stages) {
      if (this.#off.has(stage.name) || !stage.needed(shape)) continue;
      const overrides = this.#overrides.get(stage) ?? (gpu ? overridesFor(stage, gpu, this.#profiles) : {});
      this.#overrides.set(stage, overrides);
      const onCpu = this.#onCpu.has(stage.name);
      const before = this.#active[count];
      if (before?.stage !== stage || before.onCpu !== onCpu || before.overrides !== overrides)
        this.#active = [...this.#active.slice(0, count), { stage, onCpu, overrides }];
      count++;
    }
    if (count < this.#active.length) this.#active = this.#active.slice(0, count);
    return this.#active;
  }

  /** The overrides that tuning found fastest on this device, by stage. */
  get profiles(): ReadonlyMap<string, ProfileEntry> {
    return this.#profiles;
  }

  /** Chooses the kernel overrides again at the next frame: the device is another one, or new tuning results were saved. */
  tuneAnew(profiles = this.#profiles): void {
    this.#profiles = profiles;
    this.#overrides.clear();
  }

  configure(name: string, change: { readonly enabled?: boolean; readonly onCpu?: boolean }): void {
    this.#placeOf(name);
    checkOptions("configure", change, switchRules);
    if (change.enabled !== undefined) {
      this.#off[change.enabled ? "delete" : "add"](name);
      this.#applyOrder();
    }
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
   * Puts the named stages into the order of `names`, in the places that these stages occupy together. Throws an `OptionError` for an
   * unknown name or one named twice.
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
    this.#applyOrder();
  }

  #applyOrder(): void {
    applyOrder(this.#stages, ({ name }) => !this.#off.has(name));
  }

  #placeOf(name: string): number {
    const place = this.#stages.findIndex((stage) => stage.name === name);
    if (place >= 0) return place;
    throw new OptionError(
      `this pipeline has no stage ${shown(name)}; its stages are ${this.#stages.map((s) => s.name).join(", ")}`,
    );
  }
}
