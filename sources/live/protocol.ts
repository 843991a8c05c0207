import type { Fact } from "../recorded/facts.ts";
import type { OpenOptions } from "../recorded/format.ts";
import type { Intake } from "./intake.ts";

/** What the user says of a stream; each wins over what it says itself. */
export type LiveOptions = Pick<OpenOptions, "topic" | "metresPerUnit" | "intrinsics" | "fps" | "color">;

/** One connection, in whatever it speaks. */
export interface Protocol {
  readonly format: string;
  readonly facts: readonly Fact[];
  /** Somebody looks at the frames, or nobody does any more. */
  watch(on: boolean): void;
}

/** What a protocol works for. */
export interface Host {
  readonly address: string;
  readonly options: LiveOptions;
  readonly intake: Intake;
  /** There is a stream. */
  ready(): void;
  /** There is none that can be shown. Tells who opens the source; later it says nothing. */
  fail(error: Error): void;
}

/** Begins to speak over a socket that is open; it may take `onmessage` and `onclose`. */
export type Start = (socket: WebSocket, host: Host) => Protocol;
