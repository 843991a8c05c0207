import type { Gpu } from "../../pipeline/device/gpu.ts";
import { registry } from "../../stages/registry.ts";
import { baselines } from "../baselines.ts";
import { type Case, parseCase } from "../cases.ts";
import { makeInput } from "../frames.ts";
import type { Effort } from "../measure/effort.ts";
import { imagesFor } from "../plan.ts";
import type { Size } from "../types.ts";
import { BestCeilings } from "./best.ts";
import { measureCeilings } from "./measure.ts";
import { beatenNotes, type MeasuredRow, measureRow, placeOf, type SpreadsheetRow } from "./row.ts";
import type { Ceilings, MeasureOptions } from "./types.ts";

/** What a device can do at most, and how close every stage comes to it. */
export interface Spreadsheet {
  readonly ceilings: Ceilings;
  readonly rows: readonly SpreadsheetRow[];
  /** What was left out and why, what was wrong, and which limit was beaten. */
  readonly notes: readonly string[];
}

export interface SpreadsheetOptions extends MeasureOptions {
  readonly sizes: readonly Size[];
  /** The cases; by default every stage alone. */
  readonly cases?: readonly Case[] | undefined;
  readonly trials?: number | undefined;
  /** Takes the ceilings as soon as they are measured, and better ones at the end. */
  readonly keep?: ((ceilings: Ceilings) => Promise<void>) | undefined;
}

/** Stages that are measured in other forms than the default as well. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  median: ["median:size=3", "median:size=5"],
  bilateralGrid: ["bilateralGrid", "bilateralGrid:fit=constant:sigmaSpacePx=16:sigmaDepthMm=50"],
};
/** The share of the time that the device's own ceilings take. */
const CEILINGS_SHARE = 0.3;

/** Every stage alone, and the two rows that are not stages. */
export const shippedCases = (): Case[] =>
  [...baselines.keys(), ...registry.keys()].flatMap((name) => FORMS[name] ?? [name]).map(parseCase);

/**
 * Measures a device's ceilings, then stages against them. Runs in Node and in a page; `signal` stops between two measurements. A stage that
 * the device cannot run at a size is named in `notes`.
 */
export async function measureSpreadsheet(gpu: Gpu, options: SpreadsheetOptions): Promise<Spreadsheet> {
  const { sizes, cases = shippedCases(), quick = false, trials, progress, signal, keep } = options;
  const first = await measureCeilings(gpu, {
    ...{ quick, signal },
    progress: (line, share) => progress?.(line, share * CEILINGS_SHARE),
  });
  await keep?.(first);
  const best = BestCeilings.of(gpu, first, { signal });
  const effort: Effort = {
    trials: trials ?? (quick || gpu.software ? 5 : 15),
    targetUs: gpu.software ? 20_000 : 2000,
    budgetMs: quick ? 200 : 1000,
  };
  const measured: MeasuredRow[] = [];
  const notes: string[] = [];
  let done = 0;
  for (const size of sizes) {
    const input = await makeInput("structured", size, imagesFor(size));
    for (const one of cases) {
      signal?.throwIfAborted();
      const where = placeOf({ ...one, ...size });
      progress?.(where, CEILINGS_SHARE + ((1 - CEILINGS_SHARE) * done++) / (cases.length * sizes.length));
      try {
        const row = await measureRow(gpu, one, input, effort, best, (line) => notes.push(`${where}: ${line}`));
        if (row) measured.push(row);
      } catch (error) {
        notes.push(`${where}: left out: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  progress?.("done", 1);
  // Only now the best of all is known.
  const ceilings = best.known;
  if (ceilings !== first) await keep?.(ceilings);
  const rows = measured.map((row) => row(ceilings));
  return { ceilings, rows, notes: [...ceilings.notes, ...notes, ...beatenNotes(rows)] };
}
