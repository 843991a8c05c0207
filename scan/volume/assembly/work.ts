/** The work that several threads share: a frame's bricks, or the cubes whose mesh is made anew. */
import { at, endPart, takePart } from "../../../stages/core/assembly/parts.ts";
import { JOB_HEAD } from "../../../stages/core/job.ts";
import { makeCube } from "../../mesh/assembly/cube.ts";
import { SLOT_BYTES } from "../../mesh/layout.ts";
import { ENTRY, PART } from "../layout.ts";
import { integrate } from "./integrate.ts";

/**
 * Takes parts of the job until none is left. `job` is the address of its words. Behind its head (`JOB_HEAD` words) stand either the
 * arguments of `integrate`, where each part has `PART` entries of the list, or 0 and the address of slots (mesh/layout.ts), where each part
 * has one slot.
 */
export function work(job: usize, _thread: usize): void {
  for (let part = takePart(job); part >= 0; part = takePart(job)) {
    const values = at(job, JOB_HEAD);
    const second = at(job, JOB_HEAD + 1);
    if (values === 0) makeCube(second + <usize>(part * SLOT_BYTES));
    else {
      const list = at(job, JOB_HEAD + 5) + <usize>(part * PART * ENTRY);
      const count = min(PART, <i32>at(job, JOB_HEAD + 6) - part * PART);
      const width = <i32>at(job, JOB_HEAD + 3);
      const height = <i32>at(job, JOB_HEAD + 4);
      integrate(values, second, at(job, JOB_HEAD + 2), width, height, list, count);
    }
    endPart(job);
  }
}
