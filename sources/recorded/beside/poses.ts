import { nearest } from "../../../core/associate.ts";
import { turned } from "../../../core/pose.ts";
import { baseOf, folderOf } from "../../files/files.ts";
import type { Pose } from "../../format/format.ts";
import { readPose } from "../formats/tum/lists.ts";
import { carrierOf, placed } from "./carrier.ts";
import { lensesIn } from "./lens.ts";
import type { Notes } from "./notes.ts";
import { pairByNames, rowsById, rowsFor } from "./pair.ts";
import { entriesOf, fieldsIn, numbersOf, type Said } from "./parse.ts";
import { areOthers, COLUMNS, isParted, POSES, poseIn, TABLES } from "./poseFields.ts";
import { fewPosed, TICK_MS, UNITS } from "./times.ts";
import {
  inverseOf,
  isByColumns,
  lookingAlongZ,
  matrix,
  TO_CAMERA,
  toWorldWarning,
  turnedBack,
  turnedWarning,
} from "./transforms.ts";
import { isTurn, NAMED, orderOf } from "./turns.ts";

/** The poses of a recording's frames, and the name of the file or folder that has them. */
export interface Poses {
  readonly from: string;
  /** The file that says where the camera is on what carries it. */
  readonly placeFrom?: string | undefined;
  /** One line for the user, where the poses may be those of something else than the camera. */
  readonly warning?: string | undefined;
  of(index: number): Promise<Pose | undefined>;
}

/** Poses of one file by the frame's index, or, where the file has `rows` without the frames' names or times, by the row. */
interface List {
  readonly rows?: number;
  /** What is doubtful in them, for the user. */
  readonly doubts?: readonly string[];
  of(index: number): Pose | undefined;
}

/** The largest difference in ms between a frame and its pose, and the shortest average time between poses. */
const MAX_DIFFERENCE = 20;
const SHORTEST = 0.5;

/**
 * Finds the poses beside depth: a text or JSON for each frame; or one file with a line for each frame (16 or 12 numbers, or four lines of
 * four), with TUM's lines or ARKitScenes', or with nerfstudio's or BOP's JSON. `times` are the frames' times in ms, where names or lists
 * give them. A pose with infinite numbers, as ScanNet writes where tracking failed, counts as no pose.
 */
export async function posesBeside(
  notes: Notes,
  depth: readonly string[],
  times: readonly number[] | undefined,
): Promise<Poses | undefined> {
  const { singles, series, read } = notes;
  for (const { name, partners } of series) {
    const first = await read(partners.find((one) => one !== undefined));
    if (!first || areOthers(name) || !isPose(first) || (first.rows && lensesIn(first, name).length > 0)) continue;
    // A JSON names its fields, which say themselves where a pose leads.
    const parted = isParted(first.value);
    if (parted && !POSES.test(name) && !TO_CAMERA.test(name)) continue;
    const turns = (first.rows || Array.isArray(first.value) || parted) && TO_CAMERA.test(name);
    const warning = turns ? turnedWarning(name) : parted ? toWorldWarning(name) : undefined;
    return { from: name, warning, of: async (index) => turnedBack(poseOf(await read(partners[index])), turns) };
  }
  for (const { name, said } of singles) {
    // A matrix for each frame is a pose, one matrix alone a camera's place beside another.
    const isList = said.rows?.length === depth.length && depth.length > 1 && said.rows.every(isMatrix);
    const isOther = /intrin|calib/i.test(name) || (/extrin/i.test(name) && !isList);
    const isThings = "rows" in fieldsIn(said.value) && !TABLES.test(name);
    if ((isOther && !/pose/i.test(name) && !fieldsIn(said.value).frames) || isThings || areOthers(name)) continue;
    const poses: List | undefined = said.rows?.length
      ? (numbered(said, depth, times) ?? listed(byName(said, times !== undefined), name, depth.length, times))
      : keyed(said.value, depth);
    const carrier = poses && (await carrierOf({ name, said }, notes, depth));
    if (!poses || !carrier) continue;
    const { from: placeFrom } = carrier;
    const parted = isParted(said.value);
    if (parted && !POSES.test(name) && !TO_CAMERA.test(name)) continue;
    const turns = (said.rows !== undefined || parted) && TO_CAMERA.test(name);
    const isUpright =
      said.rows !== undefined &&
      /(^|\/)depth\w*\/depth\d+\.png$/.test(depth[0]) &&
      singles.some((one) => /(^|\/)focal\.txt$/.test(one.name));
    const { rowOf, warning: about = carrier.warning } = rowsFor(poses.rows ?? depth.length, name, depth);
    const doubts = poses.doubts?.map((doubt) => `${name}: ${doubt}`) ?? [];
    const told = [
      ...(turns ? [turnedWarning(name)] : parted ? [toWorldWarning(name)] : []),
      ...(isUpright ? [`${name}: ${UPRIGHT}`] : []),
      ...doubts,
      ...(about ? [about] : []),
    ];
    const warning = told.length > 0 ? told.join("; ") : undefined;
    const of = async (index: number) => {
      const pose = placed(turnedBack(poses.of(rowOf(index)), turns), carrier);
      return isUpright ? lookingAlongZ(pose) : pose;
    };
    return { from: name, placeFrom, warning, of };
  }
  return undefined;
}

const UPRIGHT =
  "as in the scenes of Neural RGB-D, its cameras count as looking along -z with y up: rename focal.txt where they do not";

const isMatrix = ({ length }: readonly number[]) => length === 12 || length === 16;
const isPose = (said: Said) =>
  said.rows ? [12, 16].includes(said.rows.flat().length) : poseIn(said.value) !== undefined;

function poseOf(said: Said | undefined): Pose | undefined {
  if (!said) return undefined;
  return said.rows ? matrix(said.rows.flat()) : poseIn(said.value);
}

/** The rows with the columns of TUM's lists in their order, where a heading names them. */
function byName({ rows = [], names = [] }: Said, timed: boolean) {
  const parts = COLUMNS.map((pattern) => names.findIndex((name) => pattern.test(name)));
  const firsts = [/time|stamp|^t$/i, /frame|index|^id$/i].map((one) => names.findIndex((name) => one.test(name)));
  const first = (timed ? firsts : firsts.reverse()).find((column) => column >= 0);
  const columns = [...(first === undefined ? [] : [first]), ...parts];
  const isNamed = !columns.includes(-1);
  return { isNamed, rows: isNamed ? rows.map((row) => columns.map((column) => row[column])) : rows };
}

/** The poses of a list whose column "id" has the numbers in the images' names, which are no times (RTAB-Map, g2o). */
function numbered(said: Said, depth: readonly string[], times: readonly number[] | undefined) {
  const rows = times ? undefined : rowsById(byName(said, false).rows, said, depth);
  return (
    rows && { of: (index: number) => rows[index] && readPose(rows[index].slice(1).map(String), "a list of poses") }
  );
}

/** Names of lists whose turns have the real part last: TUM's, and ORB-SLAM's in TUM's form. */
const REAL_LAST = /(^|\/)(groundtruth|(camera|keyframe)trajectory)[^/]*$|(^|[^a-z])(tum|freiburg)/i;

/** The poses of a list of numbers: by the frames' positions, or by time. */
function listed(
  { rows: all, isNamed }: ReturnType<typeof byName>,
  name: string,
  count: number,
  times: readonly number[] | undefined,
): List | undefined {
  const [isArkit, isKnown] = [/\.traj$/i.test(name), isNamed || REAL_LAST.test(name)];
  const same = all.every(({ length }) => length === all[0].length);
  const rows = same && all[0].length === 9 ? withOneFirst(all, times !== undefined) : all;
  const [{ length: wide }] = rows;
  if (same && wide === 7 && !isArkit && rows.length >= count) return sevens(rows, isKnown);
  // A matrix without a place does not tell its order.
  const byColumns = rows.some(isByColumns);
  if (same && (wide === 16 || wide === 12) && rows.length >= count)
    return { rows: rows.length, of: (row) => matrix(rows[row], byColumns) };
  const fours = rows.filter(({ length }) => length === 4);
  // Redwood's .log has a line of three numbers before each matrix.
  if (fours.length >= 4 * count && rows.every(({ length }) => length === 4 || length === 3))
    return { rows: Math.floor(fours.length / 4), of: (row) => matrix(fours.slice(4 * row, 4 * row + 4).flat()) };
  const turns = rows.map((row) => row.slice(4));
  const order = isKnown || wide !== 8 ? NAMED : orderOf(turns, times !== undefined);
  const placeIn = (row: readonly number[]) => readPose(order.put(row.slice(1), 3).map(String), "a list of poses");
  const oneIn = (row: readonly number[]) => (wide === 8 ? placeIn(row) : matrix(row.slice(1)));
  // Whether the first column counts frames instead of giving their times.
  const counted =
    same &&
    (wide === 8 || wide === 17) &&
    !times &&
    rows.length >= count &&
    rows.every(([i], k) => i === k + rows[0][0]);
  if (counted && Number.isInteger(rows[0][0]))
    return { rows: rows.length, doubts: order.doubts, of: (row) => oneIn(rows[row]) };
  const isTimed = same && (wide === 8 || wide === 17 || (wide === 7 && isArkit)) && times;
  if (!isTimed) return undefined;
  const sorted = rows.filter(([time]) => Number.isFinite(time)).toSorted(([a], [b]) => a - b);
  const { partners, found } = joined(
    sorted.map(([time]) => time),
    times,
  );
  if (found === 0) return undefined;
  const of = (index: number) => {
    const row = sorted[partners[index]];
    if (!row?.every(Number.isFinite)) return undefined;
    if (wide !== 7) return oneIn(row);
    const [, wx, wy, wz, x, y, z] = row;
    return inverseOf(turned([wx, wy, wz], [x, y, z]));
  };
  return { of, doubts: 2 * found < count ? [fewPosed(found, count, MAX_DIFFERENCE), ...order.doubts] : order.doubts };
}

/** Pairs each frame with the row of nearest time; -1 where none is near. The rows' times have the unit by which most frames get a row. */
function joined(rows: readonly number[], times: readonly number[]) {
  const inUnit = (unit: number) => {
    const at = rows.map((time) => time * unit);
    const isDense = at[at.length - 1] - at[0] < SHORTEST * (at.length - 1);
    const partners = isDense ? [] : times.map((time) => nearest(at, time, MAX_DIFFERENCE));
    return { partners, found: partners.filter((row) => row >= 0).length };
  };
  return [...UNITS, TICK_MS].map(inUnit).reduce((best, one) => (one.found > best.found ? one : best));
}

/** Rows of nine: a time, the frame's number, and a pose. The frame's number is the one of the first two columns that counts up. */
function withOneFirst(rows: readonly (readonly number[])[], timed: boolean): readonly (readonly number[])[] {
  const counts = (column: number) => rows.every((row, i) => row[column] === i + rows[0][column]);
  const number = [0, 1].find(counts) ?? 1;
  return rows.map((row) => [row[timed ? 1 - number : number], ...row.slice(2)]);
}

/** Poses of seven numbers: place and turn, or turn and place, whichever four are a turn's in all rows; `undefined` where either may be. */
function sevens(rows: readonly (readonly number[])[], isNamed = false): List | undefined {
  const [front, back] = [0, 3].map((from) => rows.every((row) => isTurn(row.slice(from, from + 4))));
  if (front === back) return undefined;
  const turnAt = front ? 0 : 3;
  const order = isNamed ? NAMED : orderOf(rows.map((row) => row.slice(turnAt, turnAt + 4)));
  const of = (index: number) => {
    const row = order.put(rows[index], turnAt);
    return readPose((front ? [...row.slice(4), ...row.slice(0, 4)] : row).map(String), "a list of poses");
  };
  return { rows: rows.length, doubts: order.doubts, of };
}

/** Fields that hold lists of poses in JSON, and fields beside them that mark a file of Record3D, whose camera looks along -z with y up. */
const LISTS = /^(camera_?)?(poses|trajectory)$/i;
const RECORD3D = /^(perFrameIntrinsicCoeffs|initPose|frameTimestamps)$/;

/** The poses in JSON: a list, one under `poses`, or an entry for each image. */
function keyed(value: unknown, depth: readonly string[], isKnown = false): List | undefined {
  if (Array.isArray(value)) {
    if (value.length < depth.length) return undefined;
    // Looked at first, so that a list of a million other things is not made once more.
    if (value.every((one) => numbersOf(one)?.length === 7))
      return sevens(
        value.map((one) => numbersOf(one) ?? []),
        isKnown,
      );
    return poseIn(value[0]) ? { rows: value.length, of: (row) => poseIn(value[row]) } : undefined;
  }
  const list = entriesOf(value, 256).find(([key]) => LISTS.test(key))?.[1];
  const isUpright = entriesOf(value, 256).some(([key]) => RECORD3D.test(key));
  const below = list === undefined ? undefined : keyed(list, depth, isUpright);
  if (below) return isUpright ? { ...below, of: (row) => lookingAlongZ(below.of(row)) } : below;
  const of = entriesFor(value, depth, (first) => poseIn(first) !== undefined);
  return of && { of: (index) => poseIn(of(index)) };
}

/**
 * What a JSON has for each image: frames that name an image (nerfstudio), or entries under the frames' numbers or names (BOP, ScanNet++),
 * where the first one `isWanted`.
 */
export function entriesFor(
  value: unknown,
  depth: readonly string[],
  isWanted: (first: unknown) => boolean,
): ((index: number) => unknown) | undefined {
  const frames = entriesOf(value).find(([key, list]) => /^(frames|rows)$/.test(key) && Array.isArray(list))?.[1] as
    | readonly unknown[]
    | undefined;
  const all = frames
    ? frames.flatMap((frame) => {
        const fields = entriesOf(frame, 64);
        const path = fields.find(([key]) => key === "depth_file_path") ?? fields.find(([key]) => key === "file_path");
        return typeof path?.[1] === "string" ? [[path[1], frame] as const] : [];
      })
    : entriesOf(value, 500_000).filter(([key]) => /\d/.test(key));
  // A list of several cameras has each one's images in a folder of that camera, unless each frame has a folder of its own.
  const folders = new Set(depth.map((name) => baseOf(folderOf(name))));
  const own = all.filter(([path]) => folders.has(baseOf(folderOf(path))));
  const named = own.length > 0 ? own : all;
  if (named.length === 0 || !isWanted(named[0][1])) return undefined;
  const entries = new Map<string, unknown>(named);
  const pairs = pairByNames(depth, [...entries.keys()]);
  return pairs && ((index) => entries.get(pairs.partners[index] ?? ""));
}
