/** The resolution of `performance.now()` in microseconds; each browser coarsens it by another amount. */
export function wallClockStepUs(): number {
  let smallest = Number.POSITIVE_INFINITY;
  let last = performance.now();
  for (let changes = 0; changes < 5; ) {
    const now = performance.now();
    if (now === last) continue;
    smallest = Math.min(smallest, now - last);
    last = now;
    changes++;
  }
  return Number((smallest * 1000).toPrecision(1));
}
