import type { Done, Job } from "../job/types.ts";

/** The message to a process: a recording to work on. */
export interface Order {
  readonly job: Job;
}

/** The job's answer: the result, after which the process waits for its next recording, or a line of why it failed, after which it ends. */
export type JobAnswer = ({ readonly kind: "done" } & Done) | { readonly kind: "failed"; readonly reason: string };
