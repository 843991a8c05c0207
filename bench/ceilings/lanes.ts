import type { Gpu } from "../../pipeline/device/gpu.ts";
import { factsOf, workingSetOf } from "../measure/facts.ts";
import type { Lane } from "../measure/lanes.ts";
import type { Spread } from "../types.ts";
import { limitOf, limitOfAll, type StageLimit } from "./model.ts";
import type { Ceilings } from "./types.ts";

/** A limit as it follows from a device's ceilings. */
export type LimitBy = (ceilings: Ceilings) => StageLimit;

/**
 * The limit of a frame of a case that was built and has run; `undefined` if one of its stages does not declare its work. In a chain, a
 * stage finds the output of the one before in the cache, as far as the cache holds that stage's bytes.
 */
export async function limitOfLanes({ device }: Gpu, lanes: readonly Lane[]): Promise<LimitBy | undefined> {
  const [lane] = lanes;
  if (!lane) return undefined;
  const limits: LimitBy[] = [];
  for (const step of lane.steps) {
    const facts = await factsOf(device, step);
    const work = step.built.work?.(facts);
    if (!work) return undefined;
    const alone = lane.steps.length === 1 ? lanes : [{ ...lane, steps: [step] }];
    const workingSet = workingSetOf(alone, facts);
    limits.push((ceilings) => limitOf(work, ceilings, workingSet));
  }
  return (ceilings) => limitOfAll(limits.map((limit) => limit(ceilings)));
}

/**
 * A smaller share may be an error of the clock or of the rates: the kernels that measure these spend some 4 % on their own loops (on an
 * H200 they reach 16.1 of the 16.7 · 10¹² that its data sheet gives for logic).
 */
const DOUBT = 0.05;

/** Whether times are below the model's limit by more than the tolerance and by more than their own spread: their slow ones, too. */
export const beatsLimit = ({ p90Us }: Pick<Spread, "p90Us">, limitUs: number): boolean => p90Us < limitUs * (1 - DOUBT);

/** A share as people read it: "83 %". */
export const percent = (share: number): string => `${Math.round(share * 100)} %`;
