import type { Done, Job } from "../job/types.ts";

/** The message to a process: a recording to work on. */
export interface Order {
  readonly job: Job;
}

/** Its answer: the result, after which it waits for the next recording, or a line that says why there is none, after which it ends. */
export type JobAnswer = ({ readonly kind: "done" } & Done) | { readonly kind: "failed"; readonly reason: string };
