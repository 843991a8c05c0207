import { dot, pointAt, type Vec3 } from "../../core/geometry.ts";
import { type Rigid, rigid } from "../../core/pose.ts";
import { type Axes, axesOn } from "../axes.ts";
import { heightOver, type PlaneFit } from "../plane.ts";
import { randomBy } from "../propose.ts";
import { isOff, type Sight } from "./sight.ts";

// Where a camera may stand if both cameras see one plane, such as the floor: a turn about its normal and a shift along it are left. Space
// as the first camera sees it is cut into cells, which are surface, empty or unknown, and the other camera's points are laid into them.

/** A cell is this share of the distance wide. */
const CELL = 0.045;
export const TURNS = 90;
/** The numbers of points that are laid into the cells: on things, on other planes, on the plane itself. */
const THINGS = 140;
const OFF = 120;
const ON = 60;
/** A point lies off the plane by at least this share of the distance. */
const LEAST = 0.02;
/** If fewer of a camera's points than this share lie off the plane, the cameras see little but a plane. */
const FEWEST = 0.015;
/** The middle of what the second camera sees may lie beside what the first camera sees by this share of its width. */
const BESIDE = 0.5;
/** The worth of a point in a cell with a surface and in an empty cell, and the worth of a thing's point in a cell with a thing. */
const SURFACE = 4;
const EMPTY = -6;
const THING = 12;
/** How many shifts are kept for each turn, and how many places are returned. */
const PEAKS = 6;
const KEPT = 100;

interface Flatland {
  readonly axes: Axes;
  readonly up: Vec3;
  /** u, v and height of the pixels that have a normal: `things` lie off all planes, `off` on other planes, and `on` on this plane. */
  readonly things: readonly Vec3[];
  readonly off: readonly Vec3[];
  readonly on: readonly Vec3[];
}

function flatland(sight: Sight, plane: PlaneFit): Flatland {
  const { rough, spanM } = sight;
  const axes = axesOn(plane);
  const [things, off, on]: [Vec3[], Vec3[], Vec3[]] = [[], [], []];
  const { depths, normals, lens, across } = rough;
  for (let i = 0; i < depths.length; i++) {
    if (normals[3 * i + 2] === 0) continue;
    const z = depths[i];
    const point = pointAt(lens, i % across, Math.floor(i / across), z);
    const from: Vec3 = [point[0] - axes.origin[0], point[1] - axes.origin[1], point[2] - axes.origin[2]];
    const height = heightOver(plane, point);
    (height <= LEAST * spanM ? on : isOff(sight, point) ? things : off).push([
      dot(from, axes.right),
      dot(from, axes.down),
      height,
    ]);
  }
  return { axes, up: plane.normal, things, off, on };
}

/** Finds places of a camera from which it would see the same as another one, the most plausible first. */
export function placesOn(
  a: Sight,
  planeA: PlaneFit,
  b: Sight,
  planeB: PlaneFit,
  isPlausible: (motion: Rigid) => boolean,
): readonly Rigid[] {
  const [first, second] = [flatland(a, planeA), flatland(b, planeB)];
  const least = Math.min(
    ...[first, second].map(({ things, off, on }) => 1 - on.length / (things.length + off.length + on.length)),
  );
  if (!(least > FEWEST)) return [];
  const cell = CELL * Math.min(a.spanM, b.spanM);
  const random = randomBy(1);
  const some = (points: readonly Vec3[], count: number) =>
    points.length <= count ? points : Array.from({ length: count }, () => points[Math.floor(random() * points.length)]);
  const ofThings = some(second.things, THINGS);
  const chosen = [...ofThings, ...some(second.off, OFF), ...some(second.on, ON)];
  // The points are turned about their own middle, which has to lie not far from what the first camera sees.
  const middle = [0, 1].map((k) => chosen.reduce((sum, point) => sum + point[k], 0) / chosen.length);
  const points = chosen.map(([u, v, height]): Vec3 => [u - middle[0], v - middle[1], height]);
  const wide = Math.max(...points.map(([u, v]) => Math.hypot(u, v))) / cell;
  const [reach, beside] = [Math.ceil(wide) + 1, Math.ceil(BESIDE * wide)];
  const space = spaceOf(a, first, planeA, cell, reach + beside);
  const found: Laid[] = [];
  for (let k = 0; k < TURNS; k++) {
    const turn = (2 * Math.PI * k) / TURNS;
    if (!isPlausible(flatMotion(planeA, planeB, turn, 0, 0, middle))) continue;
    for (const { u, v, worth } of shiftsOf(space, points, ofThings.length, cell, turn, reach))
      found.push({ turn, x: u, y: v, worth });
  }
  return peaksOf(found, 2 * cell, KEPT).map(({ turn, x, y }) => flatMotion(planeA, planeB, turn, x, y, middle));
}

/** How a second camera's points lie on a plane of the first camera: turned about their middle, which comes to lie at x and y. */
export type Laid = Readonly<Record<"turn" | "x" | "y" | "worth", number>>;

/** The most plausible places; among places whose turns and middles are nearly the same, only the best one. */
export function peaksOf(found: readonly Laid[], far: number, most: number): Laid[] {
  const kept: Laid[] = [];
  for (const one of found.toSorted((p, q) => q.worth - p.worth)) {
    if (kept.length === most) break;
    const isKept = kept.some(
      ({ turn, x, y }) =>
        Math.hypot(one.x - x, one.y - y) < far && Math.cos(one.turn - turn) > Math.cos(5 * (Math.PI / TURNS)),
    );
    if (!isKept) kept.push(one);
  }
  return kept;
}

interface Space {
  readonly cells: Int8Array;
  /** What the cells are worth for points of things. */
  readonly forThings: Int8Array;
  readonly wide: number;
  readonly tall: number;
  readonly levels: number;
  /** The place of the first cell, in cells. */
  readonly low: readonly [number, number];
}

/** Cuts the space that a camera sees into cells, with `reach` unknown cells around it. */
function spaceOf(
  sight: Sight,
  { axes, up, things, off, on }: Flatland,
  plane: PlaneFit,
  cell: number,
  reach: number,
): Space {
  const { rough } = sight;
  const all = [...things, ...off, ...on];
  const [lowU, lowV] = [0, 1].map((k) => Math.floor(Math.min(...all.map((p) => p[k])) / cell) - 1);
  const [highU, highV] = [0, 1].map((k) => Math.ceil(Math.max(...all.map((p) => p[k])) / cell) + 1);
  const levels = Math.ceil(Math.min(plane.offset * 3, Math.max(...all.map((p) => p[2]))) / cell) + 2;
  const [wide, tall] = [highU - lowU + 2 * reach, highV - lowV + 2 * reach];
  const [cells, forThings] = [0, 1].map(() => new Int8Array(wide * tall * levels));
  const { fx, fy, cx, cy } = rough.lens;
  for (let i = 0; i < cells.length; i++) {
    const [level, rest] = [i % levels, Math.floor(i / levels)];
    const [u, v] = [rest % wide, Math.floor(rest / wide)];
    if (u < reach || v < reach || u >= wide - reach || v >= tall - reach) continue;
    const at = [(lowU + u - reach + 0.5) * cell, (lowV + v - reach + 0.5) * cell, (level + 0.5) * cell];
    const [x, y, z] = [0, 1, 2].map(
      (k) => axes.origin[k] + at[0] * axes.right[k] + at[1] * axes.down[k] + at[2] * up[k],
    );
    const [column, line] = [Math.round((x / z) * fx + cx), Math.round((y / z) * fy + cy)];
    if (z < 0.1 || column < 0 || line < 0 || column >= rough.across || line >= rough.down) continue;
    const there = rough.depths[line * rough.across + column];
    if (there === 0) continue;
    if (Math.abs(there - z) < cell) {
      cells[i] = SURFACE;
      forThings[i] = isOff(sight, [(x / z) * there, (y / z) * there, there]) ? THING : 0;
    } else if (z < there - 2 * cell) cells[i] = forThings[i] = EMPTY;
  }
  return { cells, forThings, wide, tall, levels, low: [lowU - reach, lowV - reach] };
}

/** The best shifts of points that were turned by an angle. */
function shiftsOf(
  { cells, forThings, wide, tall, levels, low }: Space,
  points: readonly Vec3[],
  things: number,
  cell: number,
  angle: number,
  reach: number,
) {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const offsets = Int32Array.from(points, ([u, v, height]) => {
    const [x, y] = [Math.floor((c * u - s * v) / cell), Math.floor((s * u + c * v) / cell)];
    return (y * wide + x) * levels + Math.min(levels - 1, Math.max(0, Math.floor(height / cell)));
  });
  const best: { u: number; v: number; worth: number }[] = [];
  for (let y = reach; y < tall - reach; y++) {
    for (let x = reach; x < wide - reach; x++) {
      const from = (y * wide + x) * levels;
      let worth = 0;
      for (let k = 0; k < things; k++) worth += forThings[from + offsets[k]];
      for (let k = things; k < offsets.length; k++) worth += cells[from + offsets[k]];
      if (best.length === PEAKS && worth <= best[PEAKS - 1].worth) continue;
      const [u, v] = [(low[0] + x) * cell, (low[1] + y) * cell];
      const beside = best.findIndex((one) => Math.abs(one.u - u) < 2.5 * cell && Math.abs(one.v - v) < 2.5 * cell);
      if (beside >= 0 && best[beside].worth >= worth) continue;
      if (beside >= 0) best.splice(beside, 1);
      best.push({ u, v, worth });
      best.sort((p, q) => q.worth - p.worth);
      if (best.length > PEAKS) best.pop();
    }
  }
  return best;
}

/** Maps the second camera to the first one, if its plane's points are turned about their middle, which comes to lie at x and y. */
export function flatMotion(
  planeA: PlaneFit,
  planeB: PlaneFit,
  turn: number,
  x: number,
  y: number,
  middle: readonly number[],
): Rigid {
  const [a, b] = [axesOn(planeA), axesOn(planeB)];
  const [c, s] = [Math.cos(turn), Math.sin(turn)];
  const [u, v] = [x - c * middle[0] + s * middle[1], y - s * middle[0] - c * middle[1]];
  const motion = rigid();
  for (let i = 0; i < 3; i++) {
    const [right, down, up] = [a.right[i], a.down[i], planeA.normal[i]];
    for (let j = 0; j < 3; j++)
      motion[4 * i + j] =
        right * (c * b.right[j] - s * b.down[j]) + down * (s * b.right[j] + c * b.down[j]) + up * planeB.normal[j];
    const turned = b.origin.reduce((sum, value, j) => sum + motion[4 * i + j] * value, 0);
    motion[4 * i + 3] = a.origin[i] + u * right + v * down - turned;
  }
  return motion;
}
