import type { Done, Job } from "../job/types.ts";

/** The message to a process for one recording. */
export interface Order {
  readonly job: Job;
}

/** Its answers: progress, and finally the result or a line that says why there is none. */
export type JobAnswer =
  | { readonly kind: "progress"; readonly done: number; readonly of: number }
  | ({ readonly kind: "done" } & Done)
  | { readonly kind: "failed"; readonly reason: string };
