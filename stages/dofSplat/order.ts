const DIGIT = 11;
const BINS = 1 << DIGIT;
const MASK = BINS - 1;
const histograms = new Uint32Array(3 * BINS);

/** Numbers and what they belong to, and as much room again to move them to. */
export interface Sorting {
  /** The bits of distances: of floats that are not negative they are in the same order as they. */
  readonly keys: Uint32Array;
  readonly order: Uint32Array;
  readonly spareKeys: Uint32Array;
  readonly spareOrder: Uint32Array;
}

export const newSorting = (capacity: number): Sorting => ({
  keys: new Uint32Array(capacity),
  order: new Uint32Array(capacity),
  spareKeys: new Uint32Array(capacity),
  spareOrder: new Uint32Array(capacity),
});

/**
 * Sorts the first `count` of `order` by their keys, and returns where they then are. Stable, so indices that came in
 * ascending order stay so among equals: the order by (distance, index). Least significant digit first.
 */
export function sortByKeys({ keys, order, spareKeys, spareOrder }: Sorting, count: number): Uint32Array {
  histograms.fill(0);
  for (let i = 0; i < count; i++) {
    const key = keys[i];
    const [low, middle, high] = [key & MASK, BINS + ((key >>> DIGIT) & MASK), 2 * BINS + (key >>> (2 * DIGIT))];
    histograms[low] = histograms[low] + 1;
    histograms[middle] = histograms[middle] + 1;
    histograms[high] = histograms[high] + 1;
  }
  for (let bin = 0, start = 0; bin < 3 * BINS; bin++) {
    if (bin % BINS === 0) start = 0;
    const size = histograms[bin];
    histograms[bin] = start;
    start += size;
  }
  move(keys, order, spareKeys, spareOrder, count, 0);
  move(spareKeys, spareOrder, keys, order, count, 1);
  move(keys, order, spareKeys, spareOrder, count, 2);
  return spareOrder;
}

function move(
  keys: Uint32Array,
  order: Uint32Array,
  toKeys: Uint32Array,
  toOrder: Uint32Array,
  count: number,
  digit: number,
): void {
  const [shift, bins] = [digit * DIGIT, digit * BINS];
  for (let i = 0; i < count; i++) {
    const key = keys[i];
    const bin = bins + ((key >>> shift) & MASK);
    const at = histograms[bin];
    histograms[bin] = at + 1;
    toKeys[at] = key;
    toOrder[at] = order[i];
  }
}
