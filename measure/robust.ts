import type { Flat } from "./rectangle.ts";

/** Half of the values of a normal distribution lie within this many standard deviations. */
export const HALF_WITHIN = 0.6745;
/** Values farther than this many standard deviations weigh nothing (Tukey's biweight: Beaton and Tukey 1974). */
export const BIWEIGHT_CUT = 4.685;

/** A robust line across = a + slope · along; the weight is the inverse variance of its slope, apart from the noise. */
export function lineThrough(places: readonly Flat[]): { slope: number; weight: number } {
  let [a, slope, weight] = [robustMean(places.map(([, across]) => across)), 0, 0];
  for (let round = 0; round < 6; round++) {
    const off = places.map(([along, across]) => Math.abs(across - a - slope * along));
    const cut = BIWEIGHT_CUT * Math.max(1e-4, medianOf(off) / HALF_WITHIN);
    let [w, wx, wy, wxx, wxy] = [0, 0, 0, 0, 0];
    for (const [k, [along, across]] of places.entries()) {
      const far = off[k] / cut;
      if (far >= 1) continue;
      const own = (1 - far * far) ** 2;
      w += own;
      wx += own * along;
      wy += own * across;
      wxx += own * along * along;
      wxy += own * along * across;
    }
    weight = wxx - (wx * wx) / w;
    if (!(weight > 0)) break;
    slope = (wxy - (wx * wy) / w) / weight;
    a = (wy - slope * wx) / w;
  }
  return { slope, weight };
}

/** The value that would stand at a place if values were sorted; values change their places (Hoare 1961, "Algorithm 65: Find"). */
export function ranked(values: Float64Array, place: number): number {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const pivot = values[place];
    let [i, j] = [low, high];
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i > j) break;
      const value = values[i];
      values[i++] = values[j];
      values[j--] = value;
    }
    if (j < place) low = i;
    if (place < i) high = j;
  }
  return values[place];
}

/** The middle one of values, the upper one of two. */
export const medianOf = (values: readonly number[]): number => Float64Array.from(values).sort()[values.length >> 1];

export function robustMean(values: readonly number[]): number {
  let middle = medianOf(values);
  for (let round = 0; round < 4; round++) {
    const cut = BIWEIGHT_CUT * Math.max(1e-4, medianOf(values.map((value) => Math.abs(value - middle))) / HALF_WITHIN);
    let [sum, weight] = [0, 0];
    for (const value of values) {
      const off = (value - middle) / cut;
      if (off * off >= 1) continue;
      const own = (1 - off * off) ** 2;
      sum += own * value;
      weight += own;
    }
    middle = sum / weight;
  }
  return middle;
}
