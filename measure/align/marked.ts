import { cross, dot, pointAt, type Vec3 } from "../../core/geometry.ts";
import { inverse, product, transposed } from "../../core/matrix.ts";
import { compose, invert, type Rigid, rigid, turned, turnOf } from "../../core/pose.ts";
import { eachPartner } from "../../scan/place/icp.ts";
import { heightOver, type PlaneFit } from "../plane.ts";
import { candidateOf } from "./candidate.ts";
import { type Fit, fitted, MOST_PLACE, MOST_TURN, spreadOf } from "./fit.ts";
import { chained, inverted, type Stand } from "./pose.ts";
import { applied } from "./rows.ts";
import { OFF, type Sight } from "./sight.ts";

// Where a camera stands, as seen from another camera: by the tags that both see, and by the planes that both see or, where depth shows all
// of the place, by the fit of depth.

/** Squared differences in standard deviations that chance gives once in 100,000 times, by how many numbers are compared. */
const BY_CHANCE: Readonly<Record<number, number>> = { 3: 26, 6: 34 };
/** Planes of both cameras are one if their normals' cosine is at least this, and this many of their pixels lie on each other. */
const ALIKE = 0.985;
const FEWEST = 150;
/** The largest distance between partner points, as a share of their distance from the camera. */
const REACH = 0.03;
/** The standard deviation of a wall's own shape that the fit of a plane does not show, m. */
const WARPED_M = 0.0003;
/** A plane that contradicts a place is tried again with its error times this: light from other walls bends planes in corners. */
const DOUBTFUL = 4;
/** The largest share of what both cameras see that one of them looks through. */
const MOST_AGAINST = 0.02;

/** A fit by tags. */
export interface Marked extends Fit {
  /** The ids of the tags. */
  readonly tags: readonly number[];
}

type Tags = ReadonlyMap<number, Stand>;

/**
 * Where the camera `b` stands, as seen from `a`, by the tags that both see; `undefined` where there is none, a text where the tags do not
 * tell it.
 */
export function markedFit(a: Sight, b: Sight, tagsA: Tags, tagsB: Tags): Marked | string | undefined {
  const tags = [...tagsA.keys()].filter((id) => tagsB.has(id)).sort((p, q) => p - q);
  let told: Stand | undefined;
  for (const id of tags) {
    const own = chained(tagsA.get(id) as Stand, inverted(tagsB.get(id) as Stand));
    const sum: Stand | undefined = told ? withStand(told, own) : own;
    if (!sum)
      return `tag ${id} contradicts ${tags.length > 2 ? "the others" : `tag ${tags[0]}`}: a tag was moved between the recordings, or is not flat`;
    told = sum;
  }
  if (!told) return undefined;
  const moved =
    "depth contradicts the tags: one was moved between the recordings, has another size than was given, or its number hangs in two places";
  const fit = fitted(a, b, [told.motion], true);
  if (typeof fit !== "string") {
    const sum = withStand(told, fit);
    return sum ? { ...fit, ...sum, tags } : moved;
  }
  const marked = withPlanes(a, b, told);
  if (!marked) return moved;
  const { overlap, against } = candidateOf(a, b, marked.motion, "fine");
  if (against > MOST_AGAINST) return moved;
  const span = Math.min(a.spanM, b.spanM);
  const [placeM, turn] = spreadOf(marked.covariance);
  if (placeM > MOST_PLACE * span || turn > MOST_TURN)
    return `the tags show the place to ± ${(1000 * placeM).toFixed(0)} mm alone: print them larger, hang up more, or let the cameras see them from nearer`;
  return { ...marked, overlap, ...apart(a, b, marked.motion, REACH * span), tags };
}

/** How far the surfaces are apart that both see. */
function apart(a: Sight, b: Sight, motion: Rigid, reach: number) {
  const offs: number[] = [];
  eachPartner(b.fine, a.fine, motion, reach, [0, 0, 0], (_row, off) => offs.push(Math.abs(off)));
  const square = offs.reduce((sum, off) => sum + off * off, 0) / offs.length;
  return { median: Float64Array.from(offs).sort()[offs.length >> 1] ?? Number.NaN, rms: Math.sqrt(square) };
}

/**
 * The place that follows from an earlier place and from measured numbers (Kalman 1960). Each number has a row of 6 values in `rows`, its
 * derivatives by a shift and a turn of the camera; `off` is the measured number less the number that the earlier place predicts.
 * `undefined` where the numbers contradict the earlier place.
 */
function measured(
  { motion, covariance }: Stand,
  rows: readonly number[],
  off: readonly number[],
  noise: readonly number[],
): Stand | undefined {
  const count = off.length;
  const across = product(covariance, transposed(rows, 6), 6);
  const sum = product(rows, across, 6).map((value, i) => value + noise[i]);
  const weight = inverse(sum, count);
  if (!weight || !(product(off, product(weight, off, count), count)[0] < BY_CHANCE[count])) return undefined;
  const gain = product(across, weight, count);
  const [step, known] = [product(gain, off, count), product(gain, transposed(across, count), count)];
  const turn = turned(step.slice(3, 6));
  const there = compose(rigid(), turn, motion);
  for (let k = 0; k < 3; k++) there[4 * k + 3] = motion[4 * k + 3] + step[k];
  return { motion: there, covariance: covariance.map((value, i) => value - known[i]) };
}

const SIX = Array.from({ length: 36 }, (_, i) => (i % 7 === 0 ? 1 : 0));

/** A place that was measured twice. */
function withStand(stand: Stand, other: Stand): Stand | undefined {
  const turn = compose(rigid(), other.motion, invert(rigid(), stand.motion));
  const shift = [3, 7, 11].map((k) => other.motion[k] - stand.motion[k]);
  return measured(stand, SIX, [...shift, ...turnOf(turn)], other.covariance);
}

/** A place after all planes that both cameras see were laid on each other. */
function withPlanes(a: Sight, b: Sight, start: Stand): Stand | undefined {
  let stand: Stand | undefined = start;
  for (const first of a.planes) {
    for (const second of b.planes) {
      const points: readonly Vec3[] = stand ? commonTo(a, first, b, second, stand.motion) : [];
      if (stand && points.length >= FEWEST) stand = withPlane(stand, first, second, points);
    }
  }
  return stand;
}

/** The points of a plane of `b` that lie on a plane of `a` if `b` stands there, in the axes of `b`. */
function commonTo(a: Sight, first: PlaneFit, b: Sight, second: PlaneFit, motion: Rigid): Vec3[] {
  const found: Vec3[] = [];
  if (dot(first.normal, applied(motion, ...second.normal, 0)) < ALIKE) return found;
  const { lens, across } = b.coarse;
  const reach = REACH * Math.min(a.spanM, b.spanM);
  eachPartner(b.coarse, a.coarse, motion, reach, [0, 0, 0], (_row, _off, pixel, [x, y, z]) => {
    const depth = b.coarse.depths[pixel];
    const own = pointAt(lens, pixel % across, Math.floor(pixel / across), depth);
    if (Math.abs(heightOver(second, own)) < OFF * depth && Math.abs(heightOver(first, [x, y, z])) < 2 * OFF * z)
      found.push(own);
  });
  return found;
}

/** Lays a plane that one camera sees on the same plane as the other sees it, in three places that both see; returns the new place. */
function withPlane(stand: Stand, a: PlaneFit, b: PlaneFit, points: readonly Vec3[]): Stand | undefined {
  const m = stand.motion;
  const middle = [0, 1, 2].map((k) => points.reduce((sum, point) => sum + point[k], 0) / points.length);
  const far = (from: readonly number[]) => (p: Vec3) => Math.hypot(p[0] - from[0], p[1] - from[1], p[2] - from[2]);
  const farthest = (of: (p: Vec3) => number) => points.reduce((p, q) => (of(q) > of(p) ? q : p));
  const one = farthest(far(middle));
  const two = farthest(far(one));
  const three = farthest((p) =>
    Math.hypot(
      ...cross([p[0] - one[0], p[1] - one[1], p[2] - one[2]], [two[0] - one[0], two[1] - one[1], two[2] - one[2]]),
    ),
  );
  const chosen = [one, two, three].map(([x, y, z]) => {
    const ray: Vec3 = [x / z, y / z, 1];
    const depth = 1 / dot(b.q, ray);
    const place = applied(m, ray[0] * depth, ray[1] * depth, depth, 1);
    // How the height over the plane of `a` follows from the numbers of both planes.
    const by = -dot(a.normal, applied(m, ...ray, 0)) * depth * depth;
    const ofB = ray.map((value) => by * value);
    const ofA = place.map((value) => -value * a.offset);
    const arm: Vec3 = [place[0] - m[3], place[1] - m[7], place[2] - m[11]];
    return { off: -heightOver(a, place), row: [...a.normal, ...cross(arm, a.normal)], ofA, ofB };
  });
  const noise = chosen.flatMap((p) =>
    chosen.map((q) => {
      let sum = p === q ? WARPED_M ** 2 : 0;
      for (let r = 0; r < 3; r++)
        for (let c = 0; c < 3; c++)
          sum += p.ofA[r] * a.covariance[3 * r + c] * q.ofA[c] + p.ofB[r] * b.covariance[3 * r + c] * q.ofB[c];
      return sum;
    }),
  );
  const rows = chosen.flatMap(({ row }) => row);
  const off = chosen.map((one) => one.off);
  return (
    measured(stand, rows, off, noise) ??
    measured(
      stand,
      rows,
      off,
      noise.map((value) => DOUBTFUL ** 2 * value),
    )
  );
}
