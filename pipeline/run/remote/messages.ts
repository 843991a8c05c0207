import type { FrameShape } from "../../../sources/frame.ts";
import type { Moment } from "../../../stages/moment.ts";
import type { ParameterValue } from "../../../stages/parameters.ts";
import type { FrameTiming } from "../../frame.ts";

/** What the stages' worker has to know of a stage to make the same one. */
export interface StageFacts {
  readonly name: string;
  readonly kind: string;
  /** Its schema as JSON: another one of the same kind is another stage. */
  readonly schema: string;
}

/** A stage as it is now. */
export interface StageState {
  readonly name: string;
  readonly revision: number;
  readonly changes: number;
  /** All its parameters; left out where the worker has them. */
  readonly values?: Readonly<Record<string, ParameterValue>>;
}

/** Where something lies in a block of memory that goes to and fro, in bytes. */
export interface Place {
  readonly at: number;
}

export interface Placed extends Place {
  readonly width: number;
  readonly height: number;
}

/** What a frame came to. `raw` and `color` are "source" where they are still the camera's own: that is not sent back. */
export interface Made {
  readonly depth: Placed;
  readonly raw: Placed | "source";
  readonly shown: Placed | undefined;
  readonly color: Placed | "source" | undefined;
  readonly points: (Place & { readonly count: number }) | undefined;
  readonly picture: (Placed & { readonly distancesAt: number }) | undefined;
}

/** A frame's way through the stages that are given, of frames of this shape. `spare` is memory for what it comes to. */
export interface Passing {
  readonly stages: readonly StageState[];
  readonly shape: FrameShape;
  readonly moment: Moment;
  readonly spare: ArrayBuffer | undefined;
}

export type Question =
  | { readonly kind: "open"; readonly stages: readonly StageFacts[] }
  | (Passing & { readonly kind: "run"; readonly block: ArrayBuffer; readonly colorAt: number | undefined })
  | (Passing & { readonly kind: "rerun" })
  | { readonly kind: "clear" };

/** What the page asks its worker. */
export type Order = Question & { readonly id: number };

/** What is wrong. Only the language's own classes survive the journey: `name` tells others. */
export interface Failure {
  readonly name: string;
  readonly message: string;
}

export interface Result {
  readonly made?: Made;
  readonly timing?: FrameTiming;
  readonly failure?: Failure;
  /** With `made` in it, or the `spare` that was not used. */
  readonly block?: ArrayBuffer | undefined;
  /** Blocks that frames came in, to be filled again. */
  readonly spent?: readonly ArrayBuffer[];
}

export type Answer = Result & { readonly id: number };
