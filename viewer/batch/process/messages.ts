import type { Done, Job } from "../job/types.ts";

/** What a process for one recording is sent. */
export interface Order {
  readonly job: Job;
}

/** What it sends back: how far it is, and at last the result, or in a line why there is none. */
export type Answer =
  | { readonly kind: "progress"; readonly done: number; readonly of: number }
  | ({ readonly kind: "done" } & Done)
  | { readonly kind: "failed"; readonly reason: string };
