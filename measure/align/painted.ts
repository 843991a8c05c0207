import { dot, pointAt, type Vec3 } from "../../core/geometry.ts";
import type { Rigid } from "../../core/pose.ts";
import { axesOn } from "../axes.ts";
import { heightOver, type PlaneFit } from "../plane.ts";
import { flatMotion, type Laid, peaksOf, TURNS } from "./search.ts";
import { OFF, type Sight } from "./sight.ts";

// Where a camera may stand if both cameras see one plane, by what is painted there: tiles, stains, the grain of wood or of a carpet.

/** A cell of the plane is this share of the distance wide, and is halved HALVED times. */
const CELL = 0.04;
const HALVED = 2;
/**
 * This many of the second camera's cells are laid onto the first one's; at least FEWEST, and the share SOME, have to lie on known cells.
 */
const POINTS = 250;
const FEWEST = 40;
const SOME = 0.12;
/** Places of less worth are not looked at again. */
const LEAST = 2.5;
/** Light falls unevenly: a level counts relative to the mean of the cells up to this many away. */
const AROUND = 3;
/** How many places are returned. */
const KEPT = 12;
/**
 * What is painted counts as repeating, as tiles do, if another peak, PEAK to AWAY cells of the last size away, has the share REPEATS of the
 * likeness.
 */
const AWAY = 45;
const PEAK = 4;
export const REPEATS = 0.6;

/** A place of the second camera in the first camera's axes, and how surely a plane that both see is painted alike there. */
export interface Painted {
  readonly motion: Rigid;
  readonly worth: number;
  /** Tells whether the likeness is smaller everywhere around; it is not for tiles, which repeat. */
  readonly isAlone: () => boolean;
}

/** How bright a plane is: the mean level of each cell, NaN where nothing is seen; and u, v and level of each cell that is seen. */
interface Painting {
  readonly levels: Float32Array;
  readonly wide: number;
  readonly tall: number;
  readonly low: readonly [number, number];
  readonly cell: number;
  readonly points: readonly Vec3[];
}

/** The paintings of each plane that are known, by the width of their cells. */
const known = new WeakMap<PlaneFit, Map<number, Painting | undefined>>();

function paintingOf(sight: Sight, plane: PlaneFit, cell: number): Painting | undefined {
  const own = known.get(plane) ?? new Map<number, Painting | undefined>();
  known.set(plane, own);
  if (!own.has(cell)) own.set(cell, painted(sight, plane, cell));
  return own.get(cell);
}

function painted({ fine }: Sight, plane: PlaneFit, cell: number): Painting | undefined {
  const { depths, lens, across, light, normals } = fine;
  const { origin, right, down } = axesOn(plane);
  const found: Vec3[] = [];
  for (let i = 0; light && i < depths.length; i++) {
    const point = pointAt(lens, i % across, Math.floor(i / across), depths[i]);
    if (normals[3 * i + 2] === 0 || Math.abs(heightOver(plane, point)) > OFF * depths[i]) continue;
    const from: Vec3 = [point[0] - origin[0], point[1] - origin[1], point[2] - origin[2]];
    found.push([Math.floor(dot(from, right) / cell), Math.floor(dot(from, down) / cell), light[i]]);
  }
  if (found.length < FEWEST) return undefined;
  const [u, v] = [0, 1].map((k) => found.reduce((least, one) => Math.min(least, one[k]), Infinity));
  const [wide, tall] = [u, v].map((low, k) => found.reduce((most, one) => Math.max(most, one[k] - low + 1), 0));
  const [levels, counts] = [new Float32Array(wide * tall), new Uint16Array(wide * tall)];
  for (const one of found) {
    levels[(one[1] - v) * wide + one[0] - u] += one[2];
    counts[(one[1] - v) * wide + one[0] - u]++;
  }
  for (const [i, count] of counts.entries()) levels[i] /= count;
  const seen = Array.from(counts.keys()).filter((i) => counts[i] > 0);
  const means = levels.slice();
  for (const i of seen) {
    let [sum, count] = [0, 0];
    for (let line = -AROUND; line <= AROUND; line++)
      for (let j = i + line * wide - AROUND; j <= i + line * wide + AROUND; j++)
        if (counts[j] > 0) {
          sum += means[j];
          count++;
        }
    levels[i] -= sum / count;
  }
  const points = seen.map(
    (i): Vec3 => [(u + (i % wide) + 0.5) * cell, (v + Math.floor(i / wide) + 0.5) * cell, levels[i]],
  );
  return { levels, wide, tall, low: [u, v], cell, points };
}

/** How surely points, turned about 0 and shifted, are as bright as the cells on which they lie: Fisher's z of their correlation. */
function likeness(
  { levels, wide, tall, low, cell }: Painting,
  points: readonly Vec3[],
  turn: number,
  x: number,
  y: number,
) {
  const [c, s] = [Math.cos(turn) / cell, Math.sin(turn) / cell];
  const [dx, dy] = [x / cell - low[0], y / cell - low[1]];
  let [n, p, q, pp, qq, pq] = [0, 0, 0, 0, 0, 0];
  // This runs millions of times: it makes no lists.
  for (let k = 0; k < points.length; k++) {
    const point = points[k];
    const column = Math.floor(c * point[0] - s * point[1] + dx);
    const line = Math.floor(s * point[0] + c * point[1] + dy);
    if (column < 0 || line < 0 || column >= wide || line >= tall) continue;
    const there = levels[line * wide + column];
    if (Number.isNaN(there)) continue;
    const own = point[2];
    n++;
    p += own;
    q += there;
    pp += own * own;
    qq += there * there;
    pq += own * there;
  }
  if (n < Math.max(FEWEST, SOME * points.length)) return 0;
  const r = (pq - (p * q) / n) / Math.sqrt((pp - (p * p) / n) * (qq - (q * q) / n));
  return r > 0 ? Math.atanh(Math.min(0.999, r)) * Math.sqrt(n) : 0;
}

/** Finds places of a camera from which a plane that both see would look the same, the most plausible first. */
export function paintedPlaces(
  a: Sight,
  planeA: PlaneFit,
  b: Sight,
  planeB: PlaneFit,
  isPlausible: (motion: Rigid) => boolean,
): readonly Painted[] {
  let cell = CELL * Math.min(a.spanM, b.spanM);
  let [to, from] = [paintingOf(a, planeA, cell), paintingOf(b, planeB, cell)];
  if (!to || !from) return [];
  const reach = from.wide / 2;
  const all = from.points;
  const middle = [0, 1].map((k) => all.reduce((sum, point) => sum + point[k], 0) / all.length);
  /** Some of a painting's points, about the middle. */
  const some = ({ points }: Painting, most: number) => {
    const every = Math.max(1, points.length / most);
    return Array.from({ length: Math.floor(points.length / every) }, (_, k): Vec3 => {
      const [u, v, level] = points[Math.floor(k * every)];
      return [u - middle[0], v - middle[1], level];
    });
  };
  const motionAt = ({ turn, x, y }: Pick<Laid, "turn" | "x" | "y">) => flatMotion(planeA, planeB, turn, x, y, middle);
  const found: Laid[] = [];
  let points = some(from, POINTS);
  for (let k = 0; k < TURNS; k++) {
    const turn = (2 * Math.PI * k) / TURNS;
    if (!isPlausible(motionAt({ turn, x: 0, y: 0 }))) continue;
    for (let line = -reach; line < to.tall + reach; line++)
      for (let column = -reach; column < to.wide + reach; column++) {
        const [x, y] = [(to.low[0] + column) * cell, (to.low[1] + line) * cell];
        const worth = likeness(to, points, turn, x, y);
        if (worth > LEAST) found.push({ turn, x, y, worth });
      }
  }
  let best = peaksOf(found, 3 * cell, KEPT);
  for (let round = 1; round <= HALVED; round++) {
    cell /= 2;
    [to, from] = [paintingOf(a, planeA, cell), paintingOf(b, planeB, cell)];
    if (!to || !from) return [];
    points = some(from, 2 * POINTS);
    best = best.map((one) => {
      let top = { ...one, worth: 0 };
      for (let k = 0; k < 75; k++) {
        const turn = one.turn + (((k % 3) - 1) * 2 * Math.PI) / (TURNS * 2 ** round);
        const [x, y] = [one.x + ((Math.floor(k / 3) % 5) - 2) * cell, one.y + (Math.floor(k / 15) - 2) * cell];
        const worth = to ? likeness(to, points, turn, x, y) : 0;
        if (worth > top.worth) top = { turn, x, y, worth };
      }
      return top;
    });
  }
  return best.map((one) => ({
    motion: motionAt(one),
    worth: one.worth,
    isAlone: () => to !== undefined && isAlone(to, points, one),
  }));
}

/** Around a peak the likeness falls; where it rises again to another high peak, what is painted repeats. */
function isAlone(painting: Painting, points: readonly Vec3[], { turn, x, y, worth }: Laid): boolean {
  const side = 2 * AWAY + 1;
  const off = (k: number) => [(k % side) - AWAY, Math.floor(k / side) - AWAY] as const;
  const all = Float32Array.from({ length: side * side }, (_, k) => {
    const [i, j] = off(k);
    return likeness(painting, points, turn, x + i * painting.cell, y + j * painting.cell);
  });
  const around = [-side - 1, -side, -side + 1, -1, 1, side - 1, side, side + 1];
  const isPeak = (there: number, k: number) => around.every((by) => !(all[k + by] > there));
  return !all.some((there, k) => there > REPEATS * worth && Math.hypot(...off(k)) > PEAK && isPeak(there, k));
}
