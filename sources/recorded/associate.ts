/**
 * Pairs two lists of times as TUM's associate.py does: of all pairs closer than `maxDifference`, the closest is taken
 * first, then the closest of those whose both are still free, and so on. Both lists ascend; any unit, the same in all.
 * Returns, for each of `a`, the position in `b` of its partner, or -1.
 */
export function associate(a: readonly number[], b: readonly number[], maxDifference: number): Int32Array {
  const pairs: { i: number; j: number; distance: number }[] = [];
  let first = 0;
  for (let i = 0; i < a.length; i++) {
    while (first < b.length && b[first] <= a[i] - maxDifference) first++;
    for (let j = first; j < b.length; j++) {
      const distance = Math.abs(a[i] - b[j]);
      if (distance >= maxDifference) {
        if (b[j] > a[i]) break;
      } else pairs.push({ i, j, distance });
    }
  }
  pairs.sort((p, q) => p.distance - q.distance || p.i - q.i || p.j - q.j);
  const partners = new Int32Array(a.length).fill(-1);
  const taken = new Uint8Array(b.length);
  for (const { i, j } of pairs) {
    if (partners[i] >= 0 || taken[j]) continue;
    partners[i] = j;
    taken[j] = 1;
  }
  return partners;
}

/** The position in `times` (ascending) of the one nearest to `time`, or -1 if none is closer than `maxDifference`. */
export function nearest(times: readonly number[], time: number, maxDifference: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < time) low = middle + 1;
    else high = middle;
  }
  const best = low > 0 && (low === times.length || time - times[low - 1] <= times[low] - time) ? low - 1 : low;
  return best < times.length && Math.abs(times[best] - time) < maxDifference ? best : -1;
}
