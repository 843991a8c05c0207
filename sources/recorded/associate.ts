/** Equal times of one list. They are given away from the first to the last. */
interface Group {
  readonly time: number;
  readonly inA: boolean;
  /** Positions in the list: the first that is free, and the one behind the last. */
  free: number;
  readonly end: number;
  left?: Group | undefined;
  right?: Group | undefined;
}

/** Two neighbours, one of each list. `i` and `j` were their first free ones when the pair was made. */
interface Pair {
  readonly distance: number;
  readonly i: number;
  readonly j: number;
  readonly left: Group;
  readonly right: Group;
}

/**
 * Pairs two lists of times as TUM's associate.py does: of all pairs closer than `maxDifference`, the closest is taken
 * first, then the closest of those whose both are still free, and so on. Both lists ascend; any unit, the same in all.
 * Returns, for each of `a`, the position in `b` of its partner, or -1.
 *
 * The closest pair are always neighbours in the two lists merged; where they are taken out, those beside them become
 * neighbours. So there are never more pairs to choose from than times, however many times lie close together.
 *
 *     a0  b0 a1     b1      of a0 b0, b0 a1 and a1 b1 the closest is b0 a1, then a0 b1
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
    // The same two with others of their times, or whoever is beside each other now.
    offer(isEmpty(left) ? left.left : left, isEmpty(right) ? right.right : right);
  }
  return partners;
}

const isEmpty = ({ free, end }: Group) => free === end;

function takeOut({ left, right }: Group): void {
  if (left) left.right = right;
  if (right) right.left = left;
}

/** The first group of both lists in the order of their times. */
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

/** A binary heap: what comes first is on top. */
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

/** The position in `times` (ascending) of the one nearest to `time`, or -1 if none is closer than `maxDifference`. */
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
