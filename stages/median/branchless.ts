/** The smaller of two whole numbers below 2^31, without a branch, because noise makes the outcome of comparisons unpredictable. */
export function min(a: number, b: number): number {
  const difference = (a - b) | 0;
  return (b + (difference & (difference >> 31))) | 0;
}

/** The larger of two whole numbers below 2^31, without a branch. */
export function max(a: number, b: number): number {
  const difference = (a - b) | 0;
  return (a - (difference & (difference >> 31))) | 0;
}
