import { counted } from "../../core/check.ts";
import { compose, IDENTITY, invert, type Rigid, rigid } from "../../core/pose.ts";
import { cannotTell, type Reading, reading } from "../reading.ts";
import { clocksOf, movesAlike } from "./clock.ts";
import { TOO_LITTLE } from "./close.ts";
import { colorsSay } from "./color.ts";
import { type Fit, fitted, fromAfar, isImpossible, isUpright, withoutColor } from "./fit.ts";
import { type Marked, markedFit } from "./marked.ts";
import { markersOf } from "./markers.ts";
import type { Motion } from "./motion.ts";
import { paintedPlaces } from "./painted.ts";
import { chained, motionOf, readStand, type Stand, type Start } from "./pose.ts";
import type { RigCamera } from "./rig.ts";
import { placesOn } from "./search.ts";
import { type Sight, sightOf } from "./sight.ts";

/** What is known of cameras before they are aligned. */
export interface RigFacts {
  /** Roughly where each camera but the first stands, if the caller knows, in the first camera's axes. */
  readonly starts?: readonly (Start | undefined)[] | undefined;
  /** The side of the tags' black squares, mm. It is needed where the depth of tags is not known, and makes places by tags more exact. */
  readonly tagSizeMm?: number | undefined;
}

/** Where one camera stands. */
export interface AlignedCamera {
  /**
   * Maps points of this camera to the first one, both x right, y down, z forward, in metres: three rows of a 4 × 4 matrix. `null` where
   * that cannot be told.
   */
  readonly toFirst: readonly number[] | null;
  /** Why the place cannot be told. */
  readonly why?: string;
  /** The camera with which this one has a view in common, by its number; the first is 0. */
  readonly partner: number | null;
  /** The numbers of the tags that both this camera and its partner see. */
  readonly tags: readonly number[];
  /** The camera's place in the first camera's axes, mm. */
  readonly place: readonly [x: Reading, y: Reading, z: Reading];
  /** Turns about the first camera's fixed axes x, y and z, in this order, degrees. */
  readonly turn: readonly [roll: Reading, pitch: Reading, yaw: Reading];
  /** The share of what this camera sees that its partner sees, too. */
  readonly overlap: Reading;
  /** How far the surfaces that both see are apart, mm: the median of all places. */
  readonly medianMm: number | null;
  /** How far the surfaces that both see are apart, mm: the root mean square. */
  readonly rmsMm: number | null;
  /** What has to be added to this camera's times to get those of the first one's clock, ms. */
  readonly clock: Reading;
}

/** Where the cameras of a rig stand. */
export interface Alignment {
  /** The cameras in the order in which they were given; the first one stands at 0. */
  readonly cameras: readonly AlignedCamera[];
  /** What makes the answers doubtful, in words. */
  readonly warnings: readonly string[];
}

/** How far `solve` is: `done` steps of at most `of`. */
export interface Step {
  readonly done: number;
  readonly of: number;
}

/** Tells where the cameras of a rig stand: see `align`. Each call of `next` does one step of the work. */
export function* solve(rig: readonly RigCamera[], options: RigFacts): Generator<Step, Alignment> {
  const of = (rig.length * (rig.length + 1)) / 2;
  let done = 0;
  const sights: (Sight | undefined)[] = [];
  for (const camera of rig) {
    yield { done: done++, of };
    const scene = camera.build();
    sights.push(scene && sightOf(scene, camera.color));
  }
  const sizeM = options.tagSizeMm === undefined ? undefined : options.tagSizeMm / 1000;
  const markers = sights.map((sight, k) =>
    sight
      ? markersOf(sight.scene, rig[k].grey, sizeM)
      : { stands: new Map<number, Stand>(), twice: [], unsure: [], other: [] },
  );
  const motions = rig.map((camera) => (rig.length > 1 ? camera.motion() : undefined));
  const placed = new Map<number, Placed>();
  if (sights[0]) placed.set(0, { motion: IDENTITY, covariance: new Array<number>(36).fill(0), partner: null });
  const whys = sights.map((sight): string => (sight ? "no camera has a place to begin with" : "it sees nothing"));
  const tried = new Set<string>();
  // First the cameras that see something in common with the first camera, then those that do with one of these, and so on.
  for (let before = -1; placed.size > before; ) {
    before = placed.size;
    for (const [k, sight] of sights.entries()) {
      for (const [partner, stand] of placed) {
        const other = sights[partner];
        if (!sight || !other || placed.has(k) || tried.has(`${partner} ${k}`)) continue;
        tried.add(`${partner} ${k}`);
        yield { done: done++, of };
        const given = options.starts?.[k - 1];
        const start = given && compose(rigid(), invert(rigid(), stand.motion), motionOf(given));
        const fit =
          markedFit(other, sight, markers[partner].stands, markers[k].stands) ??
          fitBetween(other, sight, start, heard(motions[partner], motions[k]));
        if (typeof fit === "string") {
          whys[k] = fit;
          continue;
        }
        const own = chained(stand, fit);
        // Rigs close in loops: what the camera sees from its place must not contradict what a third camera sees.
        const third = Array.from(placed).find(([j, { motion }]) => {
          const there = compose(rigid(), invert(rigid(), motion), own.motion);
          const seen = j === partner ? undefined : sights[j];
          return seen && isImpossible(seen, sight, there, heard(motions[j], motions[k]));
        });
        if (!third) placed.set(k, { ...own, partner, fit });
        else whys[k] = `the place that camera ${partner + 1} shows contradicts what camera ${third[0] + 1} sees`;
      }
    }
  }
  const warnings = rig.flatMap(({ left }, k) => {
    const { twice, unsure, other } = markers[k];
    const said: [boolean, string][] = [
      [left > 0, `${counted(left, "frame")} that saw something else than the first: let the cameras stand`],
      [twice.length > 0, `${named(twice)}, seen in several places: hang up each number once`],
      [unsure.length > 0, `${named(unsure)}, whose place depth does not show: give the size of the tags`],
      [other.length > 0, `${named(other)}, of another size than ${options.tagSizeMm} mm by depth`],
    ];
    return said.flatMap(([is, what]) => (is ? [`camera ${k + 1}: left out ${what}`] : []));
  });
  yield { done: of, of };
  const clocks = clocksOf(motions, placed);
  const noClock = cannotTell("ms", "the camera has no place, and clocks are told from what moves in one space");
  return { cameras: rig.map((_, k) => read(placed.get(k), whys[k], clocks.get(k) ?? noClock)), warnings };
}

const named = (ids: readonly number[]) => `tag${ids.length > 1 ? "s" : ""} ${ids.toSorted((a, b) => a - b).join(", ")}`;

interface Placed extends Stand {
  readonly partner: number | null;
  readonly fit?: Fit | Marked;
}

function read(placed: Placed | undefined, why: string, clock: Reading): AlignedCamera {
  if (!placed) {
    const [mm, deg] = [cannotTell("mm", why), cannotTell("deg", why)];
    const none = { toFirst: null, partner: null, tags: [], medianMm: null, rmsMm: null };
    return { ...none, why, place: [mm, mm, mm], turn: [deg, deg, deg], overlap: cannotTell("1", why), clock };
  }
  const { motion, partner, fit } = placed;
  return {
    toFirst: [...motion],
    partner,
    ...readStand(placed),
    clock,
    tags: fit && "tags" in fit ? fit.tags : [],
    overlap: reading(fit?.overlap ?? 1, Number.NaN, "1"),
    medianMm: fit ? fit.median * 1000 : null,
    rmsMm: fit ? fit.rms * 1000 : null,
  };
}

/** The most planes of each camera that are tried with those of the other. */
const TRIED = 5;
/** The most planes of each camera whose colours are laid onto each other, and the most places that are taken of all these. */
const PAINTED = 3;
const KEPT = 12;

/** The colours of two partners are compared if the partners lie nearer to each other than this share of the distance. */
const NEAR = 0.01;

/** Says whether what moves before both cameras moves alike if one stands at a place. */
const heard = (a: Motion | undefined, b: Motion | undefined) => (bToA: Rigid) =>
  a && b ? movesAlike(a, b, bToA) : undefined;

/** Where a camera stands, as seen from another camera. A text says why that cannot be told. */
function fitBetween(a: Sight, b: Sight, start: Rigid | undefined, witness: ReturnType<typeof heard>): Fit | string {
  if (start) return fitted(a, b, [start], true);
  const [first, second] = [a, b].map(({ planes }) => planes.slice(0, TRIED));
  if (first.length === 0 || second.length === 0)
    return "a camera sees no large plane, such as a floor or a wall: say where it stands, or show it one";
  // The places of all pairs of planes are fitted at once, so that places of different pairs compete.
  const isPlausible = (motion: Rigid) => isUpright(a, b, motion);
  const places = first.flatMap((p) => second.flatMap((q) => placesOn(a, p, b, q, isPlausible)));
  const painted = first
    .slice(0, PAINTED)
    .flatMap((p) => second.slice(0, PAINTED).flatMap((q) => paintedPlaces(a, p, b, q, isPlausible)))
    .sort((p, q) => q.worth - p.worth)
    .slice(0, KEPT);
  if (places.length + painted.length === 0) return "a camera sees nothing but one flat surface";
  for (let tried: readonly Rigid[] = places; ; ) {
    const told = fitted(a, b, tried, false, witness, painted);
    if (typeof told !== "string") return told;
    // Where the fit with colours does not decide, depth alone may decide, if the colours do not contradict its place.
    const dull = a.colors && b.colors ? fitted(withoutColor(a), b, tried, false, witness) : told;
    if (typeof dull !== "string" && colorsSay(a, b, dull.motion, NEAR * a.spanM) !== "contradict") return dull;
    // The search may end beside the place that fits, too far for its fits to come there.
    const isLast = tried !== places || !told.startsWith(TOO_LITTLE);
    const further = isLast ? [] : places.flatMap((place) => fromAfar(a, b, place));
    if (further.length === 0) return told;
    tried = [...places, ...further];
  }
}
