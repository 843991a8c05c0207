import type { PlainFrame } from "../../../core/plainFrame.ts";
import type { FrameWay } from "../../../core/way.ts";
import type { Failure } from "../../recorded/remote/messages.ts";
import type { LiveOptions } from "../protocol.ts";
import type { LiveSource } from "../source.ts";

/** The page's requests to the worker that receives a stream. */
export type LiveRequest =
  | { readonly kind: "open"; readonly address: string; readonly options: Omit<LiveOptions, "signal"> }
  /** Somebody subscribes, or nobody does any more. `turn` numbers the subscriptions. */
  | { readonly kind: "watch"; readonly on: boolean; readonly turn: number }
  | { readonly kind: "set"; readonly control: string; readonly value: number }
  | { readonly kind: "infrared"; readonly on: boolean }
  /** The page has taken the frame that was sent last. */
  | { readonly kind: "taken" }
  | { readonly kind: "close" };

/** The settings that may change while a stream is open. */
export type LiveState = Pick<LiveSource, "controls" | "facts" | "infrared" | "report" | "title" | "topic" | "topics">;

/** Told with each frame: why the frame cannot be read, if it cannot, and the report up to then. */
interface Noted {
  readonly failure?: Failure | undefined;
  readonly report: LiveState["report"];
}

/** The worker's messages to the page. */
export type LiveMessage =
  | { readonly kind: "started" }
  | { readonly kind: "opened"; readonly format: string; readonly fps: number; readonly state: LiveState }
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "state"; readonly state: LiveState }
  | ({
      readonly kind: "frame";
      readonly frame: PlainFrame;
      readonly way: FrameWay | undefined;
      readonly turn: number;
    } & Noted)
  /** The stream has ended, with the error that ended it. */
  | { readonly kind: "ended"; readonly failure?: Failure };
