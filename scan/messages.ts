import type { PlainFrame } from "../core/plainFrame.ts";
import type { Recording, Source } from "../core/source.ts";
import type { Fact } from "../sources/index.ts";
import type { Failure } from "../sources/recorded/remote/messages.ts";
import type { ScanNumbers } from "./here.ts";
import type { Scan } from "./keep.ts";

/** A scan for another thread, which asks for the frames. A stream has no `length`. */
export interface ScanQuestion
  extends Pick<Source, "name" | "format" | "fps">,
    Partial<Pick<Recording, "length" | "ahead">> {
  readonly facts?: readonly Fact[] | undefined;
  readonly numbers: ScanNumbers;
}

/** An error on its way: one that the source threw is sent as its number, so that the caller gets the very same error. */
export type SentError = Failure | number;

/**
 * What the calling thread sends: by number `id` a frame, an error, or, with neither, the end of a stream. With `waits` the
 * source waits until the scanning thread says "took".
 */
export interface ScanSupply {
  readonly id: number;
  readonly frame?: PlainFrame;
  readonly waits?: boolean;
  readonly failure?: Failure;
  /** All warnings of the source until now. */
  readonly warnings: readonly string[];
}

/** What the scanning thread says. `read`: of a recording the frame of this index; `follow`: the frames of a stream. */
export type ScanMessage =
  | { readonly says: "read"; readonly id: number; readonly index: number }
  | { readonly says: "follow" }
  | { readonly says: "took"; readonly id: number }
  | { readonly says: "warn"; readonly line: string }
  | { readonly says: "progress"; readonly done: number; readonly of: number }
  | { readonly says: "made"; readonly scan: Omit<Scan, "error">; readonly error: SentError | undefined }
  | { readonly says: "failed"; readonly error: SentError };
