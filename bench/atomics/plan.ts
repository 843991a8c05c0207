import type { Gpu } from "../../pipeline/device/gpu.ts";

/** The operation of an invocation on a cell; the numbers are those of operate.wgsl. */
export const OPERATIONS = { none: 0, add: 1, "add, result used": 2, load: 3, store: 4, "load, then store": 5 } as const;
export type Operation = keyof typeof OPERATIONS;

/** Where the invocations' cells lie: in words from one invocation's to the next one's. */
export const PLACES = { "one cell": 0, adjacent: 1, "128 bytes each": 32 } as const;
export type Layout = keyof typeof PLACES;

/** One measurement. */
export interface AtomicCase {
  readonly series: "arithmetic" | "apart" | "invocations";
  readonly operation: Operation;
  readonly place: Layout | "two cells";
  /** The distance of the two cells in bytes, if there are two. */
  readonly apartBytes: number | null;
  /** Multiply-adds between two operations. */
  readonly arithmetic: number;
  readonly invocations: number;
}

const operations = Object.keys(OPERATIONS) as Operation[];
const places = Object.keys(PLACES) as Layout[];

/** Invocations of the smallest and of the largest dispatch. */
export interface Invocations {
  readonly least: number;
  readonly most: number;
}

/** From one subgroup to as many as fill a large GPU; a software GPU runs one after the other anyway. */
export const invocationsOf = ({ device, software }: Gpu): Invocations => ({
  // A device that does not tell its subgroups' size counts as having 32 invocations in each, as most GPUs have.
  least: (device.features.has("subgroups") && device.adapterInfo.subgroupMinSize) || 32,
  most: software ? 2 ** 12 : 2 ** 18,
});

/** The measurements; all but those about the number of invocations use the most invocations. `quick` takes a few of each series. */
export function atomicCases({ least, most }: Invocations, quick: boolean): AtomicCase[] {
  const between = quick ? [0, 10, 100] : [0, 1, 2, 5, 10, 20, 50, 100];
  const distances = quick ? [4, 32, 128, 512] : [4, 8, 16, 32, 64, 128, 256, 512];
  const counts = powers(least, most, quick ? 8 : 2);
  const common = { apartBytes: null, arithmetic: 0, invocations: most } as const;
  return [
    ...operations.flatMap((operation) =>
      places.flatMap((place) =>
        between.map((arithmetic) => ({ ...common, series: "arithmetic" as const, operation, place, arithmetic })),
      ),
    ),
    ...(["add", "add, result used"] as const).flatMap((operation) =>
      distances.map((apartBytes) => ({
        ...common,
        series: "apart" as const,
        operation,
        place: "two cells" as const,
        apartBytes,
      })),
    ),
    ...(["add", "add, result used", "store"] as const).flatMap((operation) =>
      places.flatMap((place) =>
        counts.map((invocations) => ({ ...common, series: "invocations" as const, operation, place, invocations })),
      ),
    ),
  ];
}

function powers(first: number, last: number, factor: number): number[] {
  const found: number[] = [];
  for (let value = first; value <= last; value *= factor) found.push(value);
  return found;
}
