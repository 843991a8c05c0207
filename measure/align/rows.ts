import type { Vec3 } from "../../core/geometry.ts";
import { invert, type Rigid, rigid } from "../../core/pose.ts";
import { eachPartner } from "../../scan/place/icp.ts";
import { addTurn, Light } from "../../scan/place/light.ts";
import { medianOf } from "../robust.ts";
import type { Sight } from "./sight.ts";

// The rows of the close fit's equations: distances along normals and, where both cameras have colours, differences of brightness.

/** Rounds in which the difference of two exposures is found. */
const EXPOSURES = 4;
/** Brightness that changes by fewer levels from pixel to pixel is noise, and partners' brightness differs by at least so many. */
const FAINT = 2;
const UNLIKE = 6;
export const ORIGIN: Vec3 = [0, 0, 0];

/**
 * Both cameras, and the middle and the size of what both see. Turns are about `middle`, and are measured by the metres that a point at the
 * distance `radius` moves.
 */
export interface Common {
  readonly a: Sight;
  readonly b: Sight;
  readonly middle: Vec3;
  readonly radius: number;
  /** If both have colours: how bright `a` sees `b`, how bright `b` sees `a`, and the distance that weighs as much as one level, m. */
  readonly light?: { readonly there: Light; readonly back: Light; readonly levelM: number } | undefined;
}

/** A place in the other camera's axes (`one` = 1), or a direction (0). */
export const applied = (m: Rigid, x: number, y: number, z: number, one: 0 | 1): Vec3 => [
  m[0] * x + m[1] * y + m[2] * z + one * m[3],
  m[4] * x + m[5] * y + m[6] * z + one * m[7],
  m[8] * x + m[9] * y + m[10] * z + one * m[11],
];

/** Takes a row of the equations, the distance along the normal, the place, and whether the row compares brightness instead of depth. */
type UseRow = (row: Float64Array, off: number, place: Vec3, isLight: boolean) => void;

/** Calls `use` for each pair of partners, both ways, and once more where brightness varies. All calls share one row array. */
export function eachRow({ a, b, middle, radius, light }: Common, motion: Rigid, reach: number, use: UseRow): void {
  const scaled = new Float64Array(6);
  const levelM = light?.levelM ?? 0;
  const isFaint = (own: Float64Array, fx: number, z: number) => Math.hypot(own[0], own[1], own[2]) * z < FAINT * fx;
  eachPartner(b.fine, a.fine, motion, reach, middle, (row, off, pixel, seen) => {
    const place: Vec3 = [seen[0], seen[1], seen[2]];
    const ofB = (own: Float64Array, by: number, distance: number, isLight: boolean) => {
      for (let k = 0; k < 6; k++) scaled[k] = (own[k] * by) / (k < 3 ? 1 : radius);
      use(scaled, distance, place, isLight);
    };
    ofB(row, 1, off, false);
    light?.there.add(pixel, seen, middle, (own, levels) => {
      if (!isFaint(own, a.fine.lens.fx, seen[2])) ofB(own, levelM, levels * levelM, true);
    });
  });
  eachPartner(a.fine, b.fine, invert(rigid(), motion), reach, ORIGIN, (row, off, pixel, seen) => {
    const place = applied(motion, seen[0], seen[1], seen[2], 1);
    const [ax, ay, az] = [place[0] - middle[0], place[1] - middle[1], place[2] - middle[2]];
    // The camera that moves has the normal here.
    const ofA = (own: Float64Array, by: number, distance: number, isLight: boolean) => {
      scaled.set(applied(motion, -by * own[0], -by * own[1], -by * own[2], 0));
      addTurn(scaled, ax / radius, ay / radius, az / radius);
      use(scaled, distance, place, isLight);
    };
    ofA(row, 1, off, false);
    light?.back.add(pixel, seen, ORIGIN, (own, levels) => {
      if (!isFaint(own, b.fine.lens.fx, seen[2])) ofA(own, levelM, levels * levelM, true);
    });
  });
}

/**
 * Finds how much brighter one camera sees the scene than the other, and lets the median difference of brightness weigh as much as the
 * median distance.
 */
export function lightened(common: Common, motion: Rigid, reach: number): Common {
  const [there, back] = [Light.between(common.b.fine, common.a.fine), Light.between(common.a.fine, common.b.fine)];
  if (!there || !back) return common;
  const lit = { ...common, light: { there, back, levelM: 1 } };
  let [far, levels]: [number[], number[]] = [[], []];
  for (let round = 0; round < EXPOSURES; round++) {
    [far, levels] = [[], []];
    eachRow(lit, motion, reach, (_row, off, _place, isLight) => (isLight ? levels : far).push(Math.abs(off)));
    there.end();
    back.end();
  }
  return { ...lit, light: { there, back, levelM: medianOf(far) / Math.max(UNLIKE, medianOf(levels)) } };
}
