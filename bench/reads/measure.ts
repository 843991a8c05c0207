import type { Gpu } from "../../pipeline/device/gpu.ts";
import { makeInput } from "../frames.ts";
import type { Effort } from "../measure/effort.ts";
import { Stopwatch } from "../measure/stopwatch.ts";
import type { Size } from "../types.ts";
import { depthGroundOf, type MedianRow, measureMedians } from "./medians.ts";
import type { MedianCase, WindowCase } from "./plan.ts";
import { groundOf, measureWindows, type WindowRow } from "./windows.ts";

export interface ReadsPlan {
  readonly windows: readonly WindowCase[];
  readonly medians: readonly MedianCase[];
  readonly effort: Effort;
}

export interface ReadsTimes {
  readonly windows: readonly WindowRow[];
  readonly medians: readonly MedianRow[];
  /** What was wrong and where. */
  readonly notes: readonly string[];
}

/** Checks and times kernels that read in different ways. Runs in Node and in a page. `signal` stops between two cases. */
export async function measureReads(
  gpu: Gpu,
  { windows, medians, effort }: ReadsPlan,
  log: (line: string) => void,
  signal?: AbortSignal,
): Promise<ReadsTimes> {
  const [windowRows, medianRows, notes]: [WindowRow[], MedianRow[], string[]] = [[], [], []];
  const stopwatch = new Stopwatch(gpu);
  const say = (name: string, medianUs: number, fault: string | undefined) => {
    if (fault) notes.push(`${name}: WRONG: ${fault}`);
    log(`${name}: ${medianUs} µs${fault ? `, WRONG: ${fault}` : ""}`);
  };
  try {
    for (const size of sizesOf([...windows, ...medians])) {
      // Independent depths, a fifth of them invalid, so that branches cannot be predicted.
      const [image] = (await makeInput("random80", size, 1)).images;
      if (!image) throw new Error("there is no image to read");
      const ground = groundOf(gpu, image, size);
      const depth = depthGroundOf(gpu, image, size);
      try {
        for (const cases of groupsOf(
          windows.filter((other) => isOf(size, other)),
          seriesOf,
        )) {
          signal?.throwIfAborted();
          for (const { row, fault } of await measureWindows(stopwatch, cases, ground, effort)) {
            windowRows.push(row);
            say(windowName(row), row.medianUs, fault);
          }
        }
        for (const cases of groupsOf(
          medians.filter((other) => isOf(size, other)),
          (one) => one.workgroup.join(),
        )) {
          signal?.throwIfAborted();
          for (const { row, fault } of await measureMedians(stopwatch, cases, depth, effort)) {
            medianRows.push(row);
            say(medianName(row), row.medianUs, fault);
          }
        }
      } finally {
        ground.destroy();
        depth.destroy();
      }
    }
  } finally {
    stopwatch.destroy();
  }
  return { windows: windowRows, medians: medianRows, notes };
}

const seriesOf = ({ series, radius, along }: WindowCase) => `${series} ${radius} ${along}`;

/** The cases that are compared with each other, which are timed by turns: those with the same key. */
function groupsOf<Case>(cases: readonly Case[], keyOf: (one: Case) => string): Case[][] {
  const groups = new Map<string, Case[]>();
  for (const one of cases) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return [...groups.values()];
}

const isOf = (a: Size, b: Size) => a.width === b.width && a.height === b.height;

/** The sizes of cases, each once. */
export function sizesOf(cases: readonly Size[]): Size[] {
  const sizes: Size[] = [];
  for (const { width, height } of cases) {
    if (!sizes.some((size) => isOf(size, { width, height }))) sizes.push({ width, height });
  }
  return sizes;
}

const sizeName = ({ width, height }: Size) => `${width}x${height}`;

export const windowName = (one: WindowCase): string =>
  `window of ${2 * one.radius + 1}, ${one.binding}, ${one.chunk} ${one.chunk === 1 ? "pixel" : "pixels"} ${one.along}, ${sizeName(one)}`;

export const medianName = ({ outputs, loadBits, workgroup, ...size }: MedianCase): string =>
  `median, ${outputs === "shipped" ? "shipped" : `${outputs} outputs`}, loads of ${loadBits} bits, workgroup ${workgroup.join("×")}, ${sizeName(size)}`;
