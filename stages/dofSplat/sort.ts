const DIGIT = 11;
const BINS = 1 << DIGIT;
const histogram = new Uint32Array(BINS);

/**
 * Sorts the first `count` indices of `order` by the distances they name. Stable, so indices that came in ascending
 * order stay so among equals: the order by (distance, index). Distances must not be negative: then their bits, as
 * whole numbers, are in the same order as they. Least significant digit first; `spare` is as long as `order`.
 */
export function sortByDistance(distances: Float32Array, order: Uint32Array, spare: Uint32Array, count: number): void {
  const bits = new Uint32Array(distances.buffer, distances.byteOffset, distances.length);
  pass(bits, order, spare, count, 0);
  pass(bits, spare, order, count, DIGIT);
  pass(bits, order, spare, count, 2 * DIGIT);
  order.set(spare.subarray(0, count));
}

function pass(bits: Uint32Array, from: Uint32Array, to: Uint32Array, count: number, shift: number): void {
  histogram.fill(0);
  for (let i = 0; i < count; i++) {
    const bin = ((bits[from[i] as number] as number) >>> shift) & (BINS - 1);
    histogram[bin] = (histogram[bin] as number) + 1;
  }
  let start = 0;
  for (let bin = 0; bin < BINS; bin++) {
    const size = histogram[bin] as number;
    histogram[bin] = start;
    start += size;
  }
  for (let i = 0; i < count; i++) {
    const index = from[i] as number;
    const bin = ((bits[index] as number) >>> shift) & (BINS - 1);
    const at = histogram[bin] as number;
    histogram[bin] = at + 1;
    to[at] = index;
  }
}
