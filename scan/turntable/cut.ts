import { dot, pointAt, type Vec3 } from "../../core/geometry.ts";
import { leastSquares } from "../../core/matrix.ts";
import { eachPoint, hundredth, type Moving, type TurnLook } from "./apart.ts";
import { type Axis, across } from "./axis.ts";

/** What turns, as a drum around the axis: what is outside is cut away. */
export interface Drum {
  readonly axis: Axis;
  /** The radius, m. */
  readonly radiusM: number;
  /** From where to where it goes along the axis, from the axis' point, m. */
  readonly fromM: number;
  readonly toM: number;
  /** The table on which the thing stands, if it is in view. */
  readonly table: Table | undefined;
}

/** A plane: a · x + b · y + c is its height along the axis, m. What turns is where `side` × (height - plane) > `clearM`. */
interface Table {
  readonly plane: ArrayLike<number>;
  readonly side: number;
  readonly clearM: number;
}

/**
 * The drum reaches to the OUTMOST hundredth of the points of what moves, since points farther out are errors at outlines. MARGIN, a share,
 * and MARGIN_M, m, are added to this radius.
 */
const OUTMOST = 99;
const MARGIN = 0.03;
const MARGIN_M = 0.005;
/** What turns may go on for this share of the radius beyond what is seen to move: a round plate looks still. */
const BEYOND = 0.35;
/** A table is looked for between these distances from the axis, in radii: a plate ends before them, and a table goes on. */
const AROUND = [1.2, 2.2] as const;
/** A table has at least this many pixels, and this share of what stands there, to this distance from its plane, m. */
const TABLE_PIXELS = 80;
const TABLE_SHARE = 0.3;
const TABLE_M = 0.012;
/** A plate is followed outwards in rings of this width, m, as long as half of this many sectors show it. */
const RING_M = 0.005;
const SECTORS = 16;
/** The table ends this many standard deviations above its plane, and no less than this, m. */
const CLEAR = 2.5;
const CLEAR_M = 0.004;

/** Where a point is: across the axis along two directions, and along the axis, from the axis' point, m. */
function placing({ along, point }: Axis) {
  const [a, b] = across(along);
  return (p: ArrayLike<number>): Vec3 => {
    const off = [p[0] - point[0], p[1] - point[1], p[2] - point[2]];
    return [dot(off, a), dot(off, b), dot(off, along)];
  };
}

/**
 * Finds the drum around all that moves, and the table below. `all` has the looks whole, `moving` the same looks with nothing but what
 * moves.
 */
export function drumOf(axis: Axis, all: readonly TurnLook[], moving: readonly TurnLook[], { pixels }: Moving): Drum {
  const placed = placing(axis);
  const every = Math.max(1, Math.floor(all.length / 12));
  const [radii, heights]: number[][] = [[], []];
  const eachPlaced = (looks: readonly TurnLook[], use: (pixel: number, at: Vec3) => void) => {
    for (let k = 0; k < looks.length; k += every)
      eachPoint(looks[k], (pixel, x, y, z) => {
        // A pixel with a normal is no outline.
        if (looks[k].normals[3 * pixel + 2] !== 0) use(pixel, placed([x, y, z]));
      });
  };
  eachPlaced(moving, (_, [x, y, h]) => {
    radii.push(Math.hypot(x, y));
    heights.push(h);
  });
  const [outwards, along] = [Float32Array.from(radii), Float32Array.from(heights)];
  const radiusM = hundredth(outwards, OUTMOST) * (1 + MARGIN) + MARGIN_M;
  const beyondM = BEYOND * radiusM + MARGIN_M;
  const [fromM, toM] = [hundredth(along, 100 - OUTMOST) - beyondM, hundredth(along, OUTMOST) + beyondM];
  const still: Vec3[] = [];
  eachPlaced(all, (i, at) => {
    const radii = Math.hypot(at[0], at[1]) / radiusM;
    if (!pixels[i] && radii > 1 && radii < AROUND[1] && at[2] > fromM - radiusM && at[2] < toM + radiusM)
      still.push(at);
  });
  const around = still.filter(([x, y]) => Math.hypot(x, y) > AROUND[0] * radiusM);
  const table = tableOf(around, hundredth(along, 50), TABLE_PIXELS * Math.ceil(all.length / every));
  const drum = { axis, radiusM, fromM, toM, table };
  return { ...drum, radiusM: plateOf(drum, still) + MARGIN_M };
}

/** How far out a round plate goes on, which looks still while it turns: its rings show in most directions, unlike what stands beside. */
function plateOf({ radiusM, fromM, toM, table }: Drum, still: readonly Vec3[]): number {
  const rings = new Map<number, Set<number>>();
  for (const [x, y, h] of still) {
    if (h < fromM || h > toM || !isClear(table, x, y, h)) continue;
    const ring = Math.floor((Math.hypot(x, y) - radiusM) / RING_M);
    const sectors = rings.get(ring) ?? new Set();
    rings.set(ring, sectors.add(Math.floor((SECTORS * (Math.atan2(y, x) + Math.PI)) / (2 * Math.PI))));
  }
  let ring = 0;
  while ((rings.get(ring)?.size ?? 0) >= SECTORS / 2) ring++;
  return radiusM + ring * RING_M;
}

const isClear = (table: Table | undefined, x: number, y: number, h: number) =>
  !table || table.side * (h - table.plane[0] * x - table.plane[1] * y - table.plane[2]) > table.clearM;

/** The plane on which most of the points lie, if many do. */
function tableOf(points: readonly Vec3[], middle: number, least: number): Table | undefined {
  const bins = new Map<number, number>();
  const binOf = (h: number) => Math.round(h / TABLE_M);
  for (const [, , h] of points) for (const k of [-1, 0, 1]) bins.set(binOf(h) + k, (bins.get(binOf(h) + k) ?? 0) + 1);
  const [best] = [...bins].sort(([, a], [, b]) => b - a);
  if (!best || best[1] < Math.max(least, TABLE_SHARE * points.length)) return undefined;
  let plane: ArrayLike<number> = [0, 0, best[0] * TABLE_M];
  let rms = TABLE_M;
  for (let turn = 0; turn < 4; turn++) {
    const reach = turn === 0 ? 2 * TABLE_M : 3 * rms;
    const [a, b, c] = [plane[0], plane[1], plane[2]];
    const offOf = ([x, y, h]: Vec3) => h - a * x - b * y - c;
    const near = points.filter((point) => Math.abs(offOf(point)) <= reach);
    const rows = near.map(([x, y]) => [x, y, 1]);
    const next =
      near.length > least
        ? leastSquares(
            rows,
            near.map(([, , h]) => h),
          )
        : undefined;
    if (!next) return undefined;
    plane = next;
    rms = Math.sqrt(near.reduce((sum, point) => sum + offOf(point) ** 2, 0) / near.length);
  }
  return { plane, side: Math.sign(middle - plane[2]), clearM: Math.max(CLEAR * rms, CLEAR_M) };
}

/** Tells whether a point, in the camera's axes, belongs to what turns. */
export function isInside({ axis, radiusM, fromM, toM, table }: Drum): (x: number, y: number, z: number) => boolean {
  const placed = placing(axis);
  return (x, y, z) => {
    const [u, v, h] = placed([x, y, z]);
    return h >= fromM && h <= toM && u * u + v * v <= radiusM * radiusM && isClear(table, u, v, h);
  };
}

/** Tells whether what a pixel of a look shows, at a depth in m, belongs to what turns. */
export function isPixelInside(drum: Drum, { lens, across }: TurnLook): (pixel: number, depthM: number) => boolean {
  const inside = isInside(drum);
  return (pixel, depthM) => inside(...pointAt(lens, pixel % across, Math.floor(pixel / across), depthM));
}
