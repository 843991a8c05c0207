/** What order.wgsl does for a frame's lists. Each number is a sum over the lists that it sorts. */
export interface Sorting {
  /** Lists of two entries or more, their entries and their windows. */
  readonly lists: number;
  readonly entries: number;
  readonly windows: number;
  /** Groups of four codes that a code is compared with in its bucket. */
  readonly fours: number;
  /** Merges of windows into runs of 2, 4 …; the windows and entries that these go through again. */
  readonly merges: number;
  readonly mergedWindows: number;
  readonly mergedEntries: number;
  /** Steps of the merges in storage memory; their pairs, and those of them whose other half the list has. */
  readonly steps: Pairs;
  /** The same in workgroup memory. */
  readonly windowSteps: Pairs;
}

interface Pairs {
  readonly steps: number;
  readonly pairs: number;
  readonly wholePairs: number;
}

/** Constants of order.wgsl. */
export interface SortSizes {
  readonly CAPACITY: number;
  readonly BUCKETS: number;
  /** Capacity of the lists: one that ends beyond it is not sorted. */
  readonly entries: number;
}

/** What codes are made of, by splat: its order of distance, as the kernel `project` writes it, and its point. */
interface Keys {
  readonly keys: Uint32Array;
  readonly points: Uint32Array;
}

/** More than there are splats. */
const SPLATS = 2 ** 26;
/** Bits of a key that are always 0. */
const ZEROS = 5;

/**
 * Sorts lists of splats, in which these are in the order of their points, as order.wgsl does. Counts its work, except for what depends on
 * the order in which the scatter left the entries: swaps count as none, and the entries of a bucket as evenly spread over the windows.
 */
export function sorted(starts: Uint32Array, list: Uint32Array, sizes: SortSizes, keys: Keys): Sorting {
  const { CAPACITY, BUCKETS } = sizes;
  const sum = { lists: 0, entries: 0, windows: 0, fours: 0, merges: 0, mergedWindows: 0, mergedEntries: 0 };
  const [steps, windowSteps] = [newPairs(), newPairs()];
  for (let tile = 0; tile + 1 < starts.length; tile++) {
    const [first, last] = [starts[tile], starts[tile + 1]];
    const size = last - first;
    if (size < 2 || last > sizes.entries) continue;
    const windows = Math.ceil(size / CAPACITY);
    sum.lists++;
    sum.entries += size;
    sum.windows += windows;
    sum.fours += sortList(list.subarray(first, last), windows, BUCKETS, keys);
    for (let run = 2 * CAPACITY; run < 2 * size; run *= 2) {
      sum.merges++;
      sum.mergedWindows += windows;
      sum.mergedEntries += size;
      // The two halves of a run are compared end to end, then at half the distance each time.
      for (let step = run / 2; step >= CAPACITY; step /= 2) addStep(steps, size, step);
      for (let step = CAPACITY / 2; step >= 1; step /= 2) {
        for (let at = 0; at < size; at += CAPACITY) addStep(windowSteps, Math.min(CAPACITY, size - at), step);
      }
    }
  }
  return { ...sum, steps, windowSteps };
}

const newPairs = () => ({ steps: 0, pairs: 0, wholePairs: 0 });

/** Adds the pairs at the distance `step` among `length` entries, whose first halves are the indices without the bit `step`. */
function addStep(sum: ReturnType<typeof newPairs>, length: number, step: number): void {
  const rest = length % (2 * step);
  const full = (length - rest) / 2;
  sum.steps++;
  sum.pairs += full + Math.min(rest, step);
  sum.wholePairs += full + Math.max(0, rest - step);
}

/** Sorts a list by its splats' codes. Returns the groups of four codes that its codes are compared with, at the least. */
function sortList(list: Uint32Array, windows: number, buckets: number, { keys, points }: Keys): number {
  const { length } = list;
  let [nearest, farthest] = [keys[list[0]], keys[list[0]]];
  for (let i = 1; i < length; i++) {
    const key = keys[list[i]];
    if (key < nearest) nearest = key;
    if (key > farthest) farthest = key;
  }
  const bitsOf = (range: number) => 32 - Math.clz32(range);
  const base = points[list[0]];
  const pointBits = bitsOf(points[list[length - 1]] - base);
  const bits = bitsOf(farthest - nearest) + pointBits;
  const dropped = Math.max(0, bits - 32);
  const perBucket = 2 ** Math.max(0, Math.min(bits, 32) - Math.log2(buckets));
  const counts = new Uint32Array(buckets);
  const codes = new Float64Array(length);
  for (let i = 0; i < length; i++) {
    const splat = list[i];
    const distance = (keys[splat] - nearest) >>> dropped;
    counts[Math.floor((distance * 2 ** pointBits + points[splat] - base) / perBucket)]++;
    codes[i] = (distance >>> Math.max(0, ZEROS - dropped)) * SPLATS + splat;
  }
  codes.sort();
  for (let i = 0; i < length; i++) list[i] = codes[i] % SPLATS;
  let before = 0;
  let fours = 0;
  for (const count of counts) {
    const exact = count * (Math.ceil((before + count) / 4) - Math.floor(before / 4));
    fours += windows === 1 ? exact : Math.max(count, (count * count) / (4 * windows));
    before += count;
  }
  return fours;
}
