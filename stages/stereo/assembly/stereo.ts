/**
 * The twin stages/stereo/cpu.ts with vectors: a frame takes the steps of `work` one after the other. Within a step threads share rows, or
 * the sweeps down and up. layout.ts says what lies where.
 */
import { at, endPart, scratchOf, takePart } from "../../core/assembly/parts.ts";
import { JOB_HEIGHT, JOB_ROWS, JOB_STEP } from "../layout.ts";
import { compare, prepare } from "./census.ts";
import { gather, refine, spread } from "./refine.ts";
import { sweep } from "./sweep.ts";
import { middle } from "./winner.ts";

/** Takes parts of the job until none is left; every thread on this memory runs this function. */
export function work(job: usize, thread: usize): void {
  const scratch = scratchOf(job, thread);
  for (let part = takePart(job); part >= 0; part = takePart(job)) {
    const step = at(job, JOB_STEP);
    const rows = <i32>at(job, JOB_ROWS);
    const first = part * rows;
    const end = min(first + rows, <i32>at(job, JOB_HEIGHT));
    const isSweep = step === 2 || step === 3;
    if (isSweep) sweep(job, scratch, part, step === 3);
    for (let y = first; !isSweep && y < end; y++) {
      if (step === 0) prepare(job, scratch, y, y === first);
      else if (step === 1) compare(job, scratch, y, y === first);
      else if (step === 4) middle(job, scratch, y);
      else if (step === 5) gather(job, scratch, y);
      else if (step === 6) spread(job, scratch, y);
      else refine(job, scratch, y);
    }
    endPart(job);
  }
}
