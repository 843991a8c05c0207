/** A point on a plane, m. */
export type Flat = readonly [u: number, v: number];

/** A rectangle on a plane: its sides lie at `low` and `high` along its first axis, which is turned by `angle`, and along its second. */
export interface Rectangle {
  readonly angle: number;
  readonly low: Flat;
  readonly high: Flat;
}

/** The coordinates of a point along the axes of a rectangle that is turned by `angle`. */
export const turnedBy = (angle: number, [u, v]: Flat): Flat => [
  Math.cos(angle) * u + Math.sin(angle) * v,
  Math.cos(angle) * v - Math.sin(angle) * u,
];

/** Whether a point lies in a rectangle, so far inside of its sides at least, m. */
export const isWithin = ({ angle, low, high }: Rectangle, flat: Flat, byM: number): boolean =>
  turnedBy(angle, flat).every((at, k) => at > low[k] + byM && at < high[k] - byM);

/** Whether a point lies in a convex hull, so far inside of its sides at least. */
export const isInHull = (hull: readonly Flat[], flat: Flat, by: number): boolean =>
  hull.every((p, k) => {
    const next = hull[(k + 1) % hull.length];
    return turn(p, next, flat) > by * Math.hypot(next[0] - p[0], next[1] - p[1]);
  });

/** The convex hull of points (Andrew's monotone chain, 1979). */
export function hullOf(points: readonly Flat[]): Flat[] {
  const sorted = points.toSorted((p, q) => p[0] - q[0] || p[1] - q[1]);
  const half = (ordered: readonly Flat[]) => {
    const chain: Flat[] = [];
    for (const p of ordered) {
      while (chain.length > 1 && turn(chain[chain.length - 2], chain[chain.length - 1], p) <= 0) chain.pop();
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.toReversed())];
}

const turn = (o: Flat, a: Flat, b: Flat) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);

/** The rectangle of the smallest area around points: one of its sides lies along a side of their hull (Freeman and Shapira 1975). */
export function smallestRectangle(points: readonly Flat[]): Rectangle | undefined {
  const hull = hullOf(points);
  if (hull.length < 3) return undefined;
  let [best, least]: [Rectangle | undefined, number] = [undefined, Infinity];
  for (const [k, p] of hull.entries()) {
    const next = hull[(k + 1) % hull.length];
    const angle = Math.atan2(next[1] - p[1], next[0] - p[0]);
    const there = hull.map((point) => turnedBy(angle, point));
    const [us, vs] = [there.map(([u]) => u), there.map(([, v]) => v)];
    const [low, high]: [Flat, Flat] = [
      [Math.min(...us), Math.min(...vs)],
      [Math.max(...us), Math.max(...vs)],
    ];
    const area = (high[0] - low[0]) * (high[1] - low[1]);
    if (area < least) [best, least] = [{ angle, low, high }, area];
  }
  return best;
}
