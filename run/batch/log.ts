import { withoutAccess } from "../../core/address.ts";
import type { Done, Job } from "./job/types.ts";
import type { RunListener } from "./run.ts";

/** How a try at a recording ended: a line of `--log json`. */
export interface RecordingLine {
  readonly name: string;
  /** "retry": it failed, and is tried once more. */
  readonly outcome: "done" | "retry" | "failed";
  /** Counted from 1; 0 for a recording that failed before any work began. */
  readonly attempt: number;
  readonly seconds: number;
  /** How many frames were read; `null` where there is no result. */
  readonly frames: number | null;
  readonly error: string | null;
}

/** Tells how each try at a recording ended, in one line each. */
export class RecordingLog implements RunListener {
  /** `beganMs`: of a try that goes on. */
  readonly #tries = new Map<string, { readonly attempt: number; readonly beganMs?: number }>();

  constructor(
    readonly write: (line: RecordingLine) => void,
    readonly now: () => number = () => performance.now(),
  ) {}

  begun({ key }: Pick<Job, "key">, attempt = (this.#tries.get(key)?.attempt ?? 0) + 1): void {
    this.#tries.set(key, { attempt, beganMs: this.now() });
  }

  done({ key }: Pick<Job, "key">, { result, run }: Done): void {
    this.#tell(key, "done", { seconds: run.seconds, frames: result.figures.frames, error: null });
    this.#tries.delete(key);
  }

  failed({ key }: Pick<Job, "key">, reason: string, again: boolean): void {
    const { attempt = 0, beganMs = this.now() } = this.#tries.get(key) ?? {};
    const seconds = Math.round(this.now() - beganMs) / 1000;
    this.#tell(key, again ? "retry" : "failed", { seconds, frames: null, error: withoutAccess(reason) });
    this.#tries.set(key, { attempt });
  }

  #tell(name: string, outcome: RecordingLine["outcome"], rest: Pick<RecordingLine, "seconds" | "frames" | "error">) {
    this.write({ name, outcome, attempt: this.#tries.get(name)?.attempt ?? 0, ...rest });
  }
}
