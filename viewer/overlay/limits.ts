import { knownCeilings } from "../../bench/ceilings/known.ts";
import type { limitOf, StageLimit } from "../../bench/ceilings/model.ts";
import type { Ceilings } from "../../bench/ceilings/types.ts";
import type { Pipeline } from "../../pipeline/index.ts";

/** The limits are looked up again at this interval, ms: another part of the page may have measured the device meanwhile. */
const EVERY_MS = 3000;

/** A stage with a smaller share names the term of its limit: that is what its time should be spent on. */
const FAR = 0.6;

/** The limits of a pipeline's stages, where the device's ceilings were measured and kept. */
export class Limits {
  #ceilings: Ceilings | undefined;
  /** The model and its reader of shaders are loaded when there are ceilings, which most pages never have. */
  #limitOf: typeof limitOf | undefined;
  #nextMs = 0;

  constructor(readonly pipeline: Partial<Pick<Pipeline, "gpu" | "work">>) {}

  /** The limits of the stages as they are built now; empty where they are not known. */
  now(nowMs: number): ReadonlyMap<string, StageLimit> {
    if (nowMs >= this.#nextMs) {
      this.#nextMs = nowMs + EVERY_MS;
      void this.#look();
    }
    const [ceilings, limit] = [this.#ceilings, this.#limitOf];
    if (!ceilings || !limit || !this.pipeline.gpu) return new Map();
    return limitsOf(this.pipeline, ceilings, limit);
  }

  async #look(): Promise<void> {
    const { gpu } = this.pipeline;
    this.#ceilings = gpu ? await knownCeilings(gpu) : undefined;
    if (this.#ceilings) this.#limitOf ??= (await import("../../bench/ceilings/model.ts")).limitOf;
  }
}

/** The limit of each stage, without stages whose limit is not known. */
export function limitsOf(
  pipeline: Partial<Pick<Pipeline, "work">>,
  ceilings: Ceilings,
  limit: typeof limitOf,
): ReadonlyMap<string, StageLimit> {
  const found = new Map<string, StageLimit>();
  for (const [name, kernels] of pipeline.work?.() ?? []) {
    const bytes = kernels.reduce((sum, { traffic: { read = 0, written = 0 } }) => sum + read + written, 0);
    if (kernels.length > 0) found.set(name, limit(kernels, ceilings, bytes));
  }
  return found;
}

/** "83 %"; for a stage far from its limit with the limiting term: "12 %, memory". Empty if the limit is not known. */
export function limitWords(limit: Pick<StageLimit, "us" | "term"> | undefined, ms: number, stepMs: number): string {
  if (!limit || ms <= stepMs) return "";
  const share = limit.us / 1000 / ms;
  return `${Math.round(share * 100)} %${share < FAR ? `, ${limit.term}` : ""}`;
}
