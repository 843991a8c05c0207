import { test } from "vitest";

/** Whether this is `npm test`, in which samples stand for sweeps; `npm run test:rest` takes the sweeps whole. */
export const QUICK = import.meta.env.MODE === "quick";
/** Whether this is a long run, which takes as long as its options say. */
export const LONG = import.meta.env.MODE === "long";

/** The items of a sweep: in the quick run the first one, or as many as `sample` says. */
export const sampled = <T>(all: readonly T[], sample = 1): readonly T[] => (QUICK ? all.slice(0, sample) : all);

/** Ends the names of tests that the quick run leaves to `npm run test:rest`; tests/reporter.ts counts them. */
export const LEFT = " (left to test:rest)";
/** Ends the names of tests that are skipped because they need recordings which this machine lacks; tests/reporter.ts says so. */
export const MISSING = " (its recordings are missing)";

/** A test that the quick run leaves to `npm run test:rest`. `timeoutMs` replaces the usual limit. */
export function slowTest(name: string, body: () => unknown, timeoutMs?: number): void {
  if (QUICK) test.skip(`${name}${LEFT}`);
  else test(name, body, timeoutMs);
}
