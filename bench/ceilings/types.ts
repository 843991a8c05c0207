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
  /** Multiply-adds or sums of whole numbers, whichever are quicker. */
  readonly i32: number;
  /** Logic of three operands, or min and max, of whole numbers, whichever are quicker. */
  readonly logic: number;
  /** Multiply-adds of f16; `null` where the device has no `shader-f16`. */
  readonly f16: number | null;
  /** Operations of both kinds, half of them multiply-adds of f32, half of them logic. */
  readonly both: number;
  /** Reciprocal square roots. */
  readonly special: number;
  /** Reads of words that lie in the nearest cache. */
  readonly accesses: number;
  /** Reads of words in workgroup memory. */
  readonly workgroup: number;
  /** Atomic additions whose result nobody uses, on storage. */
  readonly atomics: number;
}

/** How many 10⁹ workgroups per second a device starts and ends that do nothing. */
export interface StartRate {
  /** The invocations of each workgroup. */
  readonly invocations: number;
  readonly workgroups: number;
}

/** How long a load takes whose place the load before it gave. No rate bounds such a chain, and the model has no term for it. */
export interface LoadWait {
  /** The bytes of the buffer that the chain goes through. */
  readonly bytes: number;
  readonly ns: number;
}

/** The greatest rates of a device, measured on it. No stage can be faster (see model.ts). */
export interface Ceilings {
  readonly memory: readonly MemoryRate[];
  readonly rates: Rates;
  /** By the size of the workgroups, the smallest first; absent where a version measured the device that did not know this rate. */
  readonly starts?: readonly StartRate[];
  /** By the size of the buffer: from one that the nearest cache holds to one that none does. Absent where `starts` may be. */
  readonly waits?: readonly LoadWait[];
  /** A dispatch that depends on the one before and does almost nothing, in µs. */
  readonly dispatchUs: number;
  /** From submitting an empty command buffer until it is done, in µs. */
  readonly roundTripUs: number;
  /** A `writeBuffer` of a 640×480 frame until the data is there, in µs. */
  readonly uploadUs: number;
  /** Whether every kernel that was timed left the right result. */
  readonly checked: boolean;
  /** The omissions and their reasons, and the faults. */
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
