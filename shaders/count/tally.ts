/** Counts of operations: one per component; multiply-add is one. */
export interface Operations {
  readonly f32: number;
  /** Integer sums and products. */
  readonly i32: number;
  /** Integer min, max, comparisons, logic and shifts; selections and conversions. Some devices have fewer units for these. */
  readonly logic: number;
  /** Square roots, reciprocals, exponentials and the like. */
  readonly special: number;
  /** Reads and writes of storage buffers and textures, of up to 16 bytes each. */
  readonly accesses: number;
  /** Reads and writes of workgroup memory, of up to 16 bytes each; its atomics. */
  readonly workgroup: number;
  /** Atomic operations on storage buffers. */
  readonly atomics: number;
}

export type Kind = keyof Operations;

/** Adds up operations, each as often as its weight says. */
export class Tally {
  readonly counts: Record<Kind, number> = {
    f32: 0,
    i32: 0,
    logic: 0,
    special: 0,
    accesses: 0,
    workgroup: 0,
    atomics: 0,
  };
  /** How often, on average, an invocation reaches the operations that are being counted. */
  weight = 1;

  add(kind: Kind, number = 1): void {
    this.counts[kind] += number * this.weight;
  }
}
