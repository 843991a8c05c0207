import { IDENTITY, type Rigid, rigid } from "../../core/pose.ts";
import { over } from "../core/exact.ts";
import { type CameraPose, POSE_STATE, type PoseState } from "../core/pose.ts";
import type { Aligned, Explained, Extent } from "./align.ts";
import {
  CALM_FRAMES,
  CALM_M,
  CALM_TURN,
  CALMED,
  CROWDED,
  CROWDED_FRAMES,
  FAR_M,
  FAR_TURN,
  FEWEST,
  GUESS,
  JUDGES,
  LEFT_OVER,
  LOST_EXPLAINED,
  LOST_PARTNERS,
  PATIENCE,
  SEARCH,
  SHOWN,
  SPARSE,
  STANDS,
  STOPPED,
  UNSURE,
  VAGUE_PARTNERS,
  WAITS,
} from "./constants.ts";
import { VALID } from "./layout.ts";
import { compose, dot, inverse, straighten } from "./motion.ts";
import type { Estimate } from "./solve.ts";

// All numbers are an f32, and each result is rounded, so that kernels decide alike.

const { fround } = Math;
const times = (a: number, b: number) => fround(fround(a) * b);

/** The stage's memory of a frame beside its levels. Motions map the first camera's frame to the second one's. */
export interface Known {
  /** From the keyframe's camera to the world. */
  readonly base: Rigid;
  /** From this frame's camera to the world. */
  readonly world: Rigid;
  /** From this frame's camera to that of the frame before, for the start of the next frame. */
  readonly velocity: Rigid;
  state: PoseState;
  /** The share of pixels with a partner in the first frame after the keyframe; 0 until that frame. */
  had: number;
  /** How many pixels of the finest level the keyframe had; less with every frame that was kept from becoming it. */
  filled: number;
  /** How many frames in a row moved no more than noise; 1 where a camera that stood may have moved. */
  calm: number;
  /** How many frames in a row, after frames without depth, were sought from the kept keyframe in vain. */
  sought: number;
  /** For how many more frames the scene is likely to be crowded. */
  crowded: number;
  /** Whether this frame is the next one's keyframe. */
  isKey: boolean;
  readonly extent: Extent;
}

/** The assumed distance of a scene before the first alignment, in metres. */
export const FIRST_DISTANCE = 2;

export const unknown = (): Known => ({
  base: rigid(),
  world: rigid(),
  velocity: rigid(),
  state: POSE_STATE.still,
  had: 0,
  filled: 0,
  calm: 0,
  sought: 0,
  crowded: 0,
  isKey: true,
  extent: { centre: new Float64Array(3), radius: 1 },
});

/** The result of aligning a frame with the keyframe by one guess about the scene. */
export interface Found extends Estimate, Aligned {
  readonly moved: Explained;
}

/** What the keyframe's own pose explains; ignored if fewer than `fewest` pixels were counted. */
export interface Standing {
  readonly counts: Explained;
  readonly fewest: number;
}

/** Memory for the motions that `settle` computes when it decides about a frame; each twin makes it once. */
export const newMotions = () => ({ back: rigid(), world: rigid(), motion: rigid() });
type Motions = ReturnType<typeof newMotions>;

/** Begins tracking at the pose `world`, without any knowledge of the scene: in a stream's first frame, or "lost" after a jump or a gap. */
export function leap(after: Known, camera: CameraPose, world: Rigid, state: PoseState): void {
  leave(after, camera, world, world, IDENTITY, state);
  Object.assign(camera, { anew: state === POSE_STATE.lost, held: 0, partners: 0, uncertaintyM: 0 });
  after.extent.centre.set([0, 0, FIRST_DISTANCE]);
  after.extent.radius = 1;
  after.velocity.set(IDENTITY);
  Object.assign(after, { had: 0, filled: 0, calm: 0, crowded: 0, isKey: true, sought: 0 });
}

const shareOf = ([near, all]: Explained) => over(near, Math.max(1, all));
const areaShareOf = ([, , near, all]: Explained) => over(near, Math.max(1, all));

/** Whether the crowded guess has to be tried: false if no result of it could be chosen. */
export const mayBeCrowded = (motions: Motions, before: Known, calm: Found): boolean =>
  before.crowded > 0 || calm.held < 0 || times(CROWDED, areaShareOf(calm.moved)) < 1 || stops(motions, before, calm);

/**
 * Chooses the guess that explains more area. `crowded` is `undefined` if it was not tried. If the camera moved and suddenly stands by the
 * calm guess alone, somebody may hold a hand still before it: then the crowded guess may explain somewhat less.
 */
export function choose(motions: Motions, before: Known, calm: Found, crowded: Found | undefined, after: Known): Found {
  const share = (found: Found | undefined) => (found && found.held >= 0 ? areaShareOf(found.moved) : 0);
  const [a, b] = [share(calm), share(crowded)];
  const isTried = crowded !== undefined && crowded.held >= 0;
  const isOpposed = isTried && stops(motions, before, calm) && !stops(motions, before, crowded);
  after.crowded = b > times(isOpposed ? STOPPED : CROWDED, a) ? CROWDED_FRAMES : Math.max(0, before.crowded - 1);
  const isCrowded = calm.held < 0 || (after.crowded > 0 && a < times(CALMED, b));
  return isTried && isCrowded ? crowded : calm;
}

/** Whether the camera moved by more than noise in the last frame, and by this guess no longer does. */
function stops({ back, world, motion }: Motions, before: Known, { pose, held }: Found): boolean {
  if (held < 0 || before.state !== POSE_STATE.moved || isWithin(before.velocity, CALM_M, CALM_TURN)) return false;
  compose(world, before.base, pose);
  return isWithin(compose(motion, inverse(back, before.world), world), CALM_M, CALM_TURN);
}

/**
 * Decides from an alignment whether the camera stands, moved, or is lost. In a crowded scene areas count instead of pixels. Writes the
 * state to `after`, and to `camera` the motion from this frame's camera to that of the frame before, and whether places begin anew.
 */
export function settle(
  motions: Motions,
  before: Known,
  found: Found,
  { counts, fewest }: Standing,
  after: Known,
  camera: CameraPose,
) {
  const { back, world, motion } = motions;
  const { guess, pose, held, partners, doubt, moved, extent, sums } = found;
  const valid = sums[VALID];
  const had = before.had || 1;
  camera.partners = partners;
  camera.held = Math.max(0, held);
  camera.uncertaintyM = doubt;
  see(after, extent);
  const share = guess === GUESS.crowded ? areaShareOf : shareOf;
  const explained = share(moved);
  const hasGone = isAstray(before);
  const isVague = explained < fround(hasGone ? JUDGES : LOST_EXPLAINED);
  const least = isVague ? VAGUE_PARTNERS : hasGone ? LEFT_OVER : LOST_PARTNERS;
  if (held < 0 || partners < times(least, had)) {
    lose(motions, after, before, valid, found, camera);
    return;
  }
  straighten(compose(world, before.base, pose));
  compose(motion, inverse(back, before.world), world);
  const isCalm = isWithin(motion, CALM_M, CALM_TURN) || !isShown(motion, SHOWN, found);
  const isUnsure = counts[1] < fewest;
  const stood = before.state === POSE_STATE.still;
  const isExplained = explained >= JUDGES && share(counts) >= times(STANDS, explained);
  const isAtKey = isUnsure || isExplained || !isShown(pose, SHOWN, found);
  const isSure = doubt <= times(UNSURE, extent.centre[2]);
  const waits = stood && isSure && explained >= JUDGES && before.calm === 0 && !isShown(pose, WAITS, found);
  const stands = isAtKey ? isCalm || stood : waits;
  const isFar = !stands && (isVague || !isWithin(pose, FAR_M, FAR_TURN));
  after.calm = !isAtKey && (isCalm || waits) ? before.calm + 1 : 0;
  const isLeft = isFar || partners < times(LEFT_OVER, before.had || partners) || after.calm >= CALM_FRAMES;
  const isKey = isLeft && mayBeKey(before, valid);
  if (!stands && !isSure) {
    lose(motions, after, before, valid, found, camera);
    return;
  }
  after.isKey = isKey;
  after.had = isKey ? 0 : before.had || partners;
  after.filled = isKey || before.had === 0 ? valid : before.filled;
  after.sought = 0;
  camera.anew = false;
  if (stands) {
    leave(after, camera, before.base, before.base, IDENTITY, POSE_STATE.still);
    after.velocity.set(IDENTITY);
  } else {
    leave(after, camera, isKey ? world : before.base, world, motion, POSE_STATE.moved);
    // The scene does not show motion in a held direction: a velocity there would never be corrected, so it is dropped. So is a way of many
    // frames.
    after.velocity.set(held > 0 || hasGone ? IDENTITY : motion);
  }
  if (before.sought === 0) return;
  // A camera that was sought is at its place again, but nobody can tell from where it came in the last frame.
  after.state = POSE_STATE.lost;
  camera.state = POSE_STATE.lost;
  camera.toBefore.set(IDENTITY);
}

/** Whether a frame with this many valid pixels of the finest level is full enough to be the keyframe. */
const mayBeKey = ({ filled }: Known, valid: number) => valid >= FEWEST && valid >= SPARSE * filled;

/** Whether a frame lost the camera and did not become the keyframe: it was too empty, or the camera is being sought in it. */
const isAstray = ({ state, isKey }: Known) => state === POSE_STATE.lost && !isKey;

/**
 * Loses the camera at its last pose. This frame becomes the next keyframe, unless it is so empty that the keyframe is kept; after such
 * frames the camera is sought for `SEARCH` frames, each from the estimate `found` of the one before.
 */
function lose(
  { back, world }: Motions,
  after: Known,
  before: Known,
  valid: number,
  { held, pose }: Found,
  camera: CameraPose,
): void {
  const mayBe = mayBeKey(before, valid);
  const isSought = mayBe && isAstray(before) && before.sought < SEARCH;
  const isKey = mayBe && !isSought;
  camera.anew = isKey;
  leave(after, camera, isKey ? before.world : before.base, before.world, IDENTITY, POSE_STATE.lost);
  if (!isKey) {
    // A frame that is empty or out of place says nothing of the scene.
    see(after, before.extent);
    after.crowded = before.crowded;
  }
  after.velocity.set(IDENTITY);
  if (isSought && held >= 0) compose(after.velocity, inverse(back, before.world), compose(world, before.base, pose));
  after.calm = 0;
  after.sought = isSought ? before.sought + 1 : 0;
  after.isKey = isKey;
  after.had = isKey ? 0 : before.had;
  after.filled = isKey ? valid : fround(fround(PATIENCE) * before.filled);
}

function leave(after: Known, camera: CameraPose, base: Rigid, world: Rigid, toBefore: Rigid, state: PoseState): void {
  after.base.set(base);
  after.world.set(world);
  after.state = state;
  camera.toWorld.set(world);
  camera.toBefore.set(toBefore);
  camera.state = state;
}

function see(after: Known, { centre, radius }: Extent): void {
  after.extent.centre.set(centre);
  after.extent.radius = radius;
}

/**
 * Whether a motion moves the scene by so many times the pose's uncertainty: the scene's centre, or points at the scene's radius from there.
 */
function isShown(m: Rigid, sigmas: number, { doubt, extent: { centre, radius } }: Found): boolean {
  const [x, y, z] = centre;
  const to = (i: number) => fround(fround(dot(m[i], m[i + 1], m[i + 2], x, y, z) + m[i + 3]) - centre[i / 4]);
  const [shiftX, shiftY, shiftZ] = [to(0), to(4), to(8)];
  const [sineX, sineY, sineZ] = sinesOf(m);
  const turn = fround(dot(sineX, sineY, sineZ, sineX, sineY, sineZ) * fround(fround(radius * radius) * 0.25));
  const least = times(sigmas, doubt);
  return fround(dot(shiftX, shiftY, shiftZ, shiftX, shiftY, shiftZ) + turn) >= fround(least * least);
}

/** Twice the sine of a turn's angle, along its axis. */
const sinesOf = (m: Rigid) => [fround(m[9] - m[6]), fround(m[2] - m[8]), fround(m[4] - m[1])] as const;

function isWithin(m: Rigid, metres: number, turn: number): boolean {
  const [x, y, z] = sinesOf(m);
  const [farthest, widest] = [fround(metres), fround(turn)];
  const isNear = dot(m[3], m[7], m[11], m[3], m[7], m[11]) < fround(farthest * farthest);
  const isAhead = fround(fround(m[0] + m[5]) + m[10]) > 1;
  return isNear && dot(x, y, z, x, y, z) < 4 * fround(widest * widest) && isAhead;
}
