/** The equal times of one list. A group's times find partners one by one, from the first to the last. */
interface Group {
  readonly time: number;
  readonly inA: boolean;
  /** Positions in the list: of the first time without a partner, and of the first time behind the group. */
  free: number;
  readonly end: number;
  left?: Group | undefined;
  right?: Group | undefined;
}

/** Two neighbouring groups, one of each list. `i` and `j` are the positions of their first free times when the pair was made. */
interface Pair {
  readonly distance: number;
  readonly i: number;
  readonly j: number;
  readonly left: Group;
  readonly right: Group;
}

/**
 * Pairs two lists of times as TUM's associate.py does: of all pairs closer than `maxDifference` it takes the closest first, then again and
 * again the closest pair of two times that are both still free. Both lists ascend; all three arguments have one unit. Returns, for each
 * time in `a`, the position of its partner in `b`, or -1.
 *
 * The closest pair always consists of neighbours in the merged lists. When both are taken out, the times beside them become neighbours. So
 * there are never more pairs to choose from than times, however close together many times lie.
 *
 *     a0  b0 a1     b1      of the pairs a0 b0, b0 a1 and a1 b1 the closest is b0 a1; a0 b1 comes next
 */
export function associate(a: readonly number[], b: readonly number[], maxDifference: number): Int32Array {
  const partners = new Int32Array(a.length).fill(-1);
  const pairs = new Heap(closer);
  const offer = (left: Group | undefined, right: Group | undefined) => {
    if (!left || !right || left.inA === right.inA) return;
    const distance = Math.abs(left.time - right.time);
    if (!(distance < maxDifference)) return;
    const [inA, inB] = left.inA ? [left, right] : [right, left];
    pairs.push({ distance, i: inA.free, j: inB.free, left, right });
  };
  for (let group = merged(a, b); group; group = group.right) offer(group, group.right);
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    const { left, right, i, j } = pair;
    if (isEmpty(left) || isEmpty(right)) continue;
    const [inA, inB] = left.inA ? [left, right] : [right, left];
    if (inA.free === i && inB.free === j) {
      partners[i] = j;
      inA.free++;
      inB.free++;
      if (isEmpty(left)) takeOut(left);
      if (isEmpty(right)) takeOut(right);
    }
    // The next candidate: the remaining times of the same two groups, or the groups that have become neighbours.
    offer(isEmpty(left) ? left.left : left, isEmpty(right) ? right.right : right);
  }
  return partners;
}

const isEmpty = ({ free, end }: Group) => free === end;

function takeOut({ left, right }: Group): void {
  if (left) left.right = right;
  if (right) right.left = left;
}

/** Merges both lists into groups linked in the order of their times, and returns the first group. */
function merged(a: readonly number[], b: readonly number[]): Group | undefined {
  let [first, last]: (Group | undefined)[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const inA = j === b.length || a[i] <= b[j];
    const [list, free] = inA ? [a, i] : [b, j];
    let end = free + 1;
    while (list[end] === list[free]) end++;
    const group: Group = { time: list[free], inA, free, end, left: last };
    if (last) last.right = group;
    last = group;
    first ??= group;
    if (inA) i = end;
    else j = end;
  }
  return first;
}

const closer = (p: Pair, q: Pair) => p.distance - q.distance || p.i - q.i || p.j - q.j;

/** A binary heap: `pop` returns the item that `compare` sorts first. */
class Heap<T> {
  readonly #items: T[] = [];

  constructor(readonly compare: (a: T, b: T) => number) {}

  push(item: T): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    for (let up = (at - 1) >> 1; at > 0 && this.compare(item, items[up]) < 0; up = (at - 1) >> 1) {
      items[at] = items[up];
      at = up;
    }
    items[at] = item;
  }

  pop(): T | undefined {
    const items = this.#items;
    const top = items[0];
    const item = items.pop();
    if (item === undefined || items.length === 0) return top;
    let at = 0;
    for (let down = 1; down < items.length; down = 2 * at + 1) {
      if (down + 1 < items.length && this.compare(items[down + 1], items[down]) < 0) down++;
      if (this.compare(item, items[down]) <= 0) break;
      items[at] = items[down];
      at = down;
    }
    items[at] = item;
    return top;
  }
}

/** The position in `times` (ascending) of the time nearest to `time`, or -1 if none is closer than `maxDifference`. */
export function nearest(times: ArrayLike<number>, time: number, maxDifference: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < time) low = middle + 1;
    else high = middle;
  }
  const best = low > 0 && (low === times.length || time - times[low - 1] <= times[low] - time) ? low - 1 : low;
  return best < times.length && Math.abs(times[best] - time) < maxDifference ? best : -1;
}
