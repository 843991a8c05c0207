import type { Alignment, RigFacts, Step } from "./align.ts";
import type { TakenRig } from "./rig.ts";

/** A rig to align, as plain data. */
export interface RigQuestion {
  readonly rig: readonly TakenRig[];
  readonly facts: RigFacts;
}

/** What the thread says: first how far it is, at last its answer or the error that it ended with. */
export type RigMessage = { readonly step: Step } | { readonly found: Alignment } | { readonly failure: unknown };
