import { checkOptions, type Rule } from "./check.ts";

/** The option of every call that may take long. */
export interface Abortable {
  /** Aborting it ends the call, which rejects with the signal's reason. Ignored once the call has ended. */
  readonly signal?: AbortSignal | undefined;
}

/** The accepted values of `signal`. */
export const signalRule: Rule = { expects: "an AbortSignal", holds: (value) => value instanceof AbortSignal };

/**
 * Returns the signal of a call that takes no other option. Throws an `OptionError`, headed by the function's name `who`, for any other
 * option.
 */
export function signalOf(who: string, options: Abortable = {}): AbortSignal | undefined {
  checkOptions(who, options, { signal: signalRule });
  return options.signal;
}

/**
 * Begins `work`, and rejects with the reason of `signal` as soon as that is aborted; a result that `work` gives afterwards is passed to
 * `free`. If `signal` is aborted already, `work` does not begin.
 */
export async function untilAborted<T>(
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
  free: (late: T) => unknown = () => {},
): Promise<T> {
  signal?.throwIfAborted();
  const made = work();
  if (!signal) return made;
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason);
      made.then(free).catch(() => {});
    };
    signal.addEventListener("abort", abort, { once: true });
    made.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
