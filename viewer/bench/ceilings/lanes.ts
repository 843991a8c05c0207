import type { Gpu } from "../../../pipeline/device/gpu.ts";
import { factsOf, workingSetOf } from "../measure/facts.ts";
import type { Lane } from "../measure/lanes.ts";
import { limitOf, limitOfAll, type StageLimit } from "./model.ts";
import type { Ceilings } from "./types.ts";

/**
 * The limit of a frame of a case that was built and has run; `undefined` if one of its stages does not declare its work. In a chain, a
 * stage finds the output of the one before in the cache, as far as the cache holds that stage's bytes.
 */
export async function limitOfLanes(
  { device }: Gpu,
  lanes: readonly Lane[],
  ceilings: Ceilings,
): Promise<StageLimit | undefined> {
  const [lane] = lanes;
  if (!lane) return undefined;
  const limits: StageLimit[] = [];
  for (const step of lane.steps) {
    const facts = await factsOf(device, step);
    const work = step.built.work?.(facts);
    if (!work) return undefined;
    const alone = lane.steps.length === 1 ? lanes : [{ ...lane, steps: [step] }];
    limits.push(limitOf(work, ceilings, workingSetOf(alone, facts)));
  }
  return limitOfAll(limits);
}

/**
 * A measurement below the limit by more than this share shows that the model is wrong. A smaller difference may be an error of the clock or
 * of the rates: the kernels that measure these spend some 4 % on their own loops (on an H200 they reach 16.1 of the 16.7 · 10¹² that its
 * data sheet gives for logic).
 */
const DOUBT = 0.05;

/** Whether a time is below the model's limit by more than the tolerance. */
export const beatsLimit = (us: number, limitUs: number): boolean => us < limitUs * (1 - DOUBT);

/** A share as people read it: "83 %". */
export const percent = (share: number): string => `${Math.round(share * 100)} %`;
