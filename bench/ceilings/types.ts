/** Memory rates for a working set that is traversed again and again, in 10⁹ bytes per second. */
export interface MemoryRate {
  /** Bytes of the buffers: two for a copy, one for the others. */
  readonly bytes: number;
  readonly readGBps: number;
  readonly writeGBps: number;
  /** Bytes read and bytes written, together. */
  readonly copyGBps: number;
}

/** How many 10⁹ operations per second a device does. */
export interface Rates {
  /** Multiply-adds of f32. */
  readonly f32: number;
  /** Sums of whole numbers. */
  readonly i32: number;
  /** Logic of three operands, of whole numbers. */
  readonly logic: number;
  /** Operations of both kinds, half of them multiply-adds of f32, half of them logic. */
  readonly both: number;
}

/** The greatest rates of a device, measured on it: those that a stage's limit rests on (see limit.ts). */
export interface Ceilings {
  readonly memory: readonly MemoryRate[];
  readonly rates: Rates;
  /** A dispatch that depends on the one before and does almost nothing, in µs. */
  readonly dispatchUs: number;
  /** Whether every kernel that was timed left the right result. */
  readonly checked: boolean;
  /** The faults. */
  readonly notes: readonly string[];
  /** When, as in ISO 8601. */
  readonly date: string;
}

/** How to measure, and where to report progress. */
export interface MeasureOptions {
  /** Fewer sizes and trials: a quarter of the time, and a few percent less sure. */
  readonly quick?: boolean | undefined;
  /** Takes a line about what is measured now, and the share that is done. */
  readonly progress?: ((line: string, share: number) => void) | undefined;
  /** Stops between two measurements: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}
