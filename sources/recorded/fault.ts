import { DepthloomError } from "../../core/errors.ts";
import { SourceError } from "../../core/source.ts";

/** A fault of Depthloom's own that a recording brought to light. The message names the recording. */
export class ReaderFault extends SourceError {
  override readonly code = "DEPTHLOOM_READER_FAULT";
}

/**
 * Returns what `work` returns. An error that nobody foresaw (not of this library, not of the system, not the reason of `signal`) becomes a
 * `ReaderFault` that names the recording, so that a strange file never ends a program that handles a `SourceError`.
 */
export async function namingFaults<T>(
  name: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const isSystems = code !== "" && !code.startsWith("ERR_");
    const isAbort = signal?.aborted === true && error === signal.reason;
    if (error instanceof DepthloomError || isSystems || isAbort || !(error instanceof Error)) throw error;
    const fault = new ReaderFault(
      `${name}: reading it failed for a reason that nobody foresaw (${error.message}); please report it, with the file if you can`,
    );
    fault.cause = error;
    throw fault;
  }
}
