import type { FrameShape, PairGeometry } from "../../../core/frame.ts";
import type { ParameterValue } from "../../../stages/core/parameters.ts";
import type { CameraPose } from "../../../stages/core/pose.ts";
import type { FrameContext } from "../../../stages/core/resources.ts";
import type { FrameTiming } from "../../frame.ts";

/** A description of a stage, from which the worker makes the same stage. */
export interface StageFacts {
  readonly name: string;
  readonly kind: string;
  /** The stage's schema as JSON. A stage of the same kind with another schema is another stage. */
  readonly schema: string;
}

/** The state of a stage for one frame. */
export interface StageState {
  readonly name: string;
  readonly revision: number;
  readonly changes: number;
  /** All parameters; absent if the worker has these values already. */
  readonly values?: Readonly<Record<string, ParameterValue>>;
}

/** The byte offset of an array in a block of memory that page and worker exchange. */
interface BlockOffset {
  readonly at: number;
}

export interface Placed extends BlockOffset {
  readonly width: number;
  readonly height: number;
}

/** Where a frame's images lie in a block, behind depth: byte offsets. */
export interface FramePlaces {
  readonly colorAt: number | undefined;
  readonly pair:
    | (PairGeometry & { readonly leftAt: number; readonly rightAt: number; readonly isWide: boolean })
    | undefined;
}

/** Where a frame's results lie in a block. `raw` and `color` are "source" if no stage changed them: the page has those already. */
export interface PackedFrame {
  readonly depth: Placed;
  readonly raw: Placed | "source";
  readonly shown: Placed | undefined;
  readonly color: Placed | "source" | undefined;
  readonly points: (BlockOffset & { readonly count: number }) | undefined;
  readonly picture: (Placed & { readonly distancesAt: number }) | undefined;
  readonly pose: CameraPose | undefined;
}

/**
 * The worker's input for a frame: the stages, the frame's shape and context. The worker writes the results into `spare` if it is
 * large enough.
 */
export interface Passing {
  readonly stages: readonly StageState[];
  readonly shape: FrameShape;
  readonly context: FrameContext;
  readonly spare: ArrayBuffer | undefined;
}

export type Question =
  | { readonly kind: "open"; readonly stages: readonly StageFacts[] }
  | (Passing & FramePlaces & { readonly kind: "run"; readonly block: ArrayBuffer })
  | (Passing & { readonly kind: "rerun" })
  | { readonly kind: "clear" };

/** A message from the page to its worker. */
export type Order = Question & { readonly id: number };

/** An error as plain data. Structured cloning keeps only the language's own error classes, so `name` carries the class. */
export interface Failure {
  readonly name: string;
  readonly message: string;
}

export interface Result {
  readonly made?: PackedFrame;
  readonly timing?: FrameTiming;
  readonly failure?: Failure;
  /** The block that `made` points into, or the unused `spare` after a failure. */
  readonly block?: ArrayBuffer | undefined;
  /** The blocks that earlier frames were sent in, for the page to fill again. */
  readonly spent?: readonly ArrayBuffer[];
}

export type RunnerAnswer = Result & { readonly id: number };
