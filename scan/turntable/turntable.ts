import { image } from "../../core/array.ts";
import type { DepthFrame } from "../../core/frame.ts";
import { pointAt } from "../../core/geometry.ts";
import { type Recording, SourceError } from "../../core/source.ts";
import { framesOf } from "../../core/streams.ts";
import { Interrupted } from "../../run/report/failure.ts";
import type { RunListener } from "../../run/request.ts";
import type { RecordedSource } from "../../sources/index.ts";
import { lookOf } from "../place/look.ts";
import { hundredth, masked, movingIn, type TurnLook } from "./apart.ts";
import { type Axis, turnAbout } from "./axis.ts";
import { Bumps } from "./bumps.ts";
import { type Drum, drumOf, isInside, isPixelInside } from "./cut.ts";
import { evenTurning, partnersOf, ROW } from "./equations.ts";
import { type Fit, fitOnce, pairsOf, type Turns } from "./fit.ts";

/** Which frames of a recording are taken, and how far depth counts, m. */
export interface TurntableRequest {
  readonly start?: number;
  readonly frames: number | undefined;
  readonly farM: number | undefined;
}

/** How a thing turned before a camera that stood. */
export interface Turned {
  /** The axis in the axes of the camera: its direction, of length 1, about which the thing turned to the left, and a point on it, m. */
  readonly axis: Axis;
  /** How far the thing turned, degrees. */
  readonly degrees: number;
  /** How many pairs of views fitted that are a round or more apart: 0 where the thing did not turn all the way round. */
  readonly loops: number;
  /** The standard deviation to which one other view shows a view's angle, degrees: the median. */
  readonly unsureDegrees: number;
  /** Whether a table was seen below the thing, and cut away. */
  readonly hasTable: boolean;
}

/** The most frames that are looked at; frames between two of these get angles between theirs. */
const MOST = 360;
const LEAST_FRAMES = 10;
const DEGREES = 180 / Math.PI;
/** At most this share of the picture changes where the camera stands. */
const MOST_MOVING = 0.5;
/** The fewest pixels of the small image that a thing has. */
const LEAST_PIXELS = 120;
/** A thing has turned by this angle at least, radians. */
const LEAST_TURN = 0.35;
/** From look to look it turns by less than this, radians: nothing could follow it farther. */
const MOST_STEP = 0.8;
/** How far the two points of a match may be apart, m: before the table is cut, afterwards, and with bumps. */
const BEFORE = [0.03, 0.03, 0.02];
const AFTER = [0.015, 0.015];
const FINE = [0.015, 0.015, 0.015];
/**
 * Looks that are turned back differ by at most this share of the difference between the looks as they are (mean of squares, up to
 * `ALIKE_M`, m).
 */
const BETTER = 0.8;
const ALIKE_M = 0.02;
/** About how many pairs of looks are judged; their angles differ by more than `LEAST_APART`, radians. */
const JUDGED = 60;
const LEAST_APART = 0.1;

/**
 * Finds how a thing turned on a turntable before a camera that stood. Returns the recording with what turns alone, seen by a camera that
 * goes around it: its frames have poses, and depth of the thing only. Frames whose angle does not show have no pose. The thing is at
 * most `reachM` away. Reads the recording once. Throws a `SourceError` where no turning is seen, or the camera moved.
 */
export async function turntableOf(
  recording: RecordedSource | Recording,
  request: TurntableRequest,
  listener: Pick<RunListener, "progress" | "stop">,
): Promise<{ readonly recording: Recording; readonly turned: Turned; readonly reachM: number }> {
  const { at, looks } = await looksOf(recording, request, listener);
  const refuse = (why: string) => new SourceError(`${recording.name}: ${why}`);
  if (looks.length < LEAST_FRAMES) throw refuse(`a turntable takes ${LEAST_FRAMES} frames at least`);
  const { drum, fit } = turningIn(looks, refuse);
  const { axis, angles, loops, unsure } = fit;
  const inside = isInside(drum);
  const read = async (index: number): Promise<DepthFrame> => {
    const frame = await recording.read(index);
    const angle = angleAt(at, fit, index);
    const pose = angle === undefined ? undefined : [...turnAbout(axis, -angle), 0, 0, 0, 1];
    return { ...frame, ...cut(frame, inside, request.farM), pose };
  };
  const { name, format, fps, length, warnings, ahead, timestampOf } = recording;
  const { facts } = recording as Partial<RecordedSource>;
  const close = () => recording.close();
  const frames$ = framesOf({ length, read, ahead });
  const rest = { name, format, fps, length, warnings, ahead, facts, ...(timestampOf && { timestampOf }) };
  const turned = {
    axis,
    degrees: DEGREES * angles[angles.length - 1],
    loops,
    unsureDegrees: DEGREES * hundredth(Float32Array.from(unsure), 50),
    hasTable: drum.table !== undefined,
  };
  const reachM = Math.hypot(...axis.point) + Math.hypot(drum.radiusM, Math.max(-drum.fromM, drum.toM));
  return { recording: { ...rest, frames$, read, close }, turned, reachM };
}

/** Small images of a recording's frames, and their indices; those that cannot be read are left out. */
async function looksOf(
  recording: Recording,
  { start = 0, frames, farM = Infinity }: TurntableRequest,
  { progress, stop }: Pick<RunListener, "progress" | "stop">,
) {
  const count = Math.min(frames ?? Infinity, recording.length - start);
  const every = Math.max(1, (count - 1) / (MOST - 1));
  const at: number[] = [];
  const looks: TurnLook[] = [];
  for (let k = 0; Math.round(k * every) < count; k++) {
    if (stop.aborted) throw new Interrupted("interrupted before the first frame was done");
    const index = start + Math.round(k * every);
    const frame = await recording.read(index).catch(() => undefined);
    if (!frame || frame.fault) continue;
    const { depth, metresPerUnit, intrinsics } = frame;
    const look = lookOf({ depth, metresPerUnit, intrinsics });
    at.push(index);
    looks.push(Number.isFinite(farM) ? masked(look, (_, depthM) => depthM <= farM) : look);
    progress(index - start, count);
  }
  return { at, looks };
}

function turningIn(looks: readonly TurnLook[], refuse: (why: string) => Error): { drum: Drum; fit: Fit } {
  const moving = movingIn(looks);
  const isSeen = looks.some(({ count }) => count > 0);
  if (!isSeen) throw refuse("no frame has depth");
  if (moving.share > MOST_MOVING)
    throw refuse(
      `${(100 * moving.share).toFixed(0)} % of the picture changes, so the camera moves: scan it without turntable, or give a nearer far, if what moves is behind the thing`,
    );
  const apart = looks.map((look) => masked(look, (i, depthM) => moving.pixels[i] === 1 && depthM < moving.untilM[i]));
  const some = apart.filter(({ count }) => count >= LEAST_PIXELS).length;
  const nothing =
    "nothing is seen to turn: the thing may look the same from all sides, be too small in the picture, or stand still";
  const other =
    "what moves before the camera does not turn about one axis: is it a turntable, and does the camera stand?";
  if (some < looks.length / 2) throw refuse(nothing);
  const found = evenTurning(apart);
  if (!found) throw refuse(nothing);
  let fit: Fit | undefined;
  let turns: Turns = { axis: found.axis, angles: Float64Array.from(looks, (_, i) => i * found.step) };
  const refine = (parts: readonly TurnLook[], reaches: readonly number[], bumps?: Bumps) => {
    for (const reach of reaches) {
      fit = fitOnce(parts, turns, reach, bumps);
      if (!fit) throw refuse(nothing);
      if (!fit.angles.every((angle, i) => Math.abs(angle) <= 1 + MOST_STEP * i)) throw refuse(other);
      turns = fit;
    }
  };
  refine(apart, BEFORE);
  let drum = drumOf(turns.axis, looks, apart, moving);
  const parts = looks.map((look) => masked(look, isPixelInside(drum, look)));
  refine(parts, AFTER);
  if (!(leftOver(parts, turns) < BETTER)) throw refuse(other);
  refine(parts, FINE, new Bumps(parts));
  drum = drumOf(turns.axis, looks, apart, moving);
  if (!fit) throw refuse(nothing);
  const whole = fit.angles[looks.length - 1];
  if (whole < LEAST_TURN) throw refuse(`${nothing}; it turned by ${(DEGREES * whole).toFixed(0)}° at most`);
  return { drum, fit };
}

/** What is left over between looks that are turned back, as a share of what is between them as they are. */
function leftOver(looks: readonly TurnLook[], { axis, angles }: Turns): number {
  const pairs = pairsOf(angles).filter(([from, to]) => angles[to] - angles[from] > LEAST_APART);
  const every = Math.ceil(pairs.length / JUDGED);
  const [turned, still] = [true, false].map((isTurned) =>
    pairs.reduce((sum, [from, to], k) => {
      if (k % every > 0) return sum;
      const motion = turnAbout(axis, isTurned ? angles[to] - angles[from] : 0);
      const rows = partnersOf(looks[from], looks[to], motion, ALIKE_M, axis.point);
      const square = rows.reduce((sum, off, k) => (k % ROW === 6 ? sum + off * off : sum), 0);
      return sum + square + (looks[from].count - rows.length / ROW) * ALIKE_M ** 2;
    }, 0),
  );
  return turned / still;
}

/** The angle of a frame, by those of the looks before and after it; `undefined` where one of them fits no other look. */
function angleAt(at: readonly number[], { angles, unsure }: Fit, index: number): number | undefined {
  const found = at.findIndex((other) => other >= index);
  const next = found < 0 ? at.length - 1 : found;
  const before = at[next] <= index ? next : Math.max(0, next - 1);
  if (!Number.isFinite(unsure[before] + unsure[next])) return undefined;
  const share = before === next ? 0 : (index - at[before]) / (at[next] - at[before]);
  return angles[before] + share * (angles[next] - angles[before]);
}

/** A frame's depth and colour where it sees what lies inside; both are 0 where it sees something else. */
function cut(
  frame: DepthFrame,
  inside: ReturnType<typeof isInside>,
  farM = Infinity,
): Pick<DepthFrame, "depth" | "color"> {
  const { depth, metresPerUnit, intrinsics } = frame;
  const { width } = intrinsics;
  const data = depth.data.slice();
  const color = frame.color && image(frame.color.data.slice(), frame.color.shape);
  for (let i = 0; i < data.length; i++) {
    const z = data[i] * metresPerUnit;
    if (z === 0) continue;
    const [x, y] = pointAt(intrinsics, i % width, Math.floor(i / width), z);
    if (z <= farM && inside(x, y, z)) continue;
    data[i] = 0;
    color?.data.fill(0, 4 * i, 4 * i + 4);
  }
  return { depth: image(data, depth.shape), ...(color && { color }) };
}
