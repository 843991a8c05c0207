import type { Gpu } from "../../pipeline/device/gpu.ts";
import { makeInput } from "../frames.ts";
import { type Effort, Stopwatch } from "../measure/stopwatch.ts";
import type { Size } from "../types.ts";
import type { WindowCase } from "./plan.ts";
import { groundOf, measureWindows, type WindowRow } from "./windows.ts";

export interface ReadsTimes {
  readonly rows: readonly WindowRow[];
  /** The faults and their places. */
  readonly notes: readonly string[];
}

/** Checks and times kernels that read in different ways. Runs in Node and in a page. `signal` stops between two groups of cases. */
export async function measureReads(
  gpu: Gpu,
  size: Size,
  windows: readonly WindowCase[],
  effort: Effort,
  log: (line: string) => void,
  signal?: AbortSignal,
): Promise<ReadsTimes> {
  const [rows, notes]: [WindowRow[], string[]] = [[], []];
  // Independent depths, a fifth of them invalid, so that branches cannot be predicted.
  const [image] = (await makeInput("random80", size, 1)).images;
  if (!image) throw new Error("there is no image to read");
  const ground = groundOf(gpu, image, size);
  const stopwatch = new Stopwatch(gpu);
  try {
    // Cases that are compared with each other are timed by turns.
    const keyOf = ({ series, radius, along }: WindowCase) => `${series} ${radius} ${along}`;
    for (const key of new Set(windows.map(keyOf))) {
      signal?.throwIfAborted();
      const cases = windows.filter((one) => keyOf(one) === key);
      for (const { row, fault } of await measureWindows(stopwatch, cases, ground, effort)) {
        const { binding, chunk, medianUs } = row;
        const line = `${key}, ${binding}, ${chunk} pixels: ${medianUs} µs`;
        if (fault) notes.push(`${line}, WRONG: ${fault}`);
        rows.push(row);
        log(fault ? `${line}, WRONG: ${fault}` : line);
      }
    }
  } finally {
    stopwatch.destroy();
    ground.destroy();
  }
  return { rows, notes };
}
