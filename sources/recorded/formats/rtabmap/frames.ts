import { caught, retold } from "../../../../core/caught.ts";
import { counted } from "../../../../core/check.ts";
import { product } from "../../../../core/matrix.ts";
import { ParseBudget } from "../../../../core/parseBudget.ts";
import { SourceError } from "../../../../core/source.ts";
import { type Bytes, InflateError } from "../../../decode/codec.ts";
import type { Decoder } from "../../../decode/index.ts";
import { unitReader } from "../../../decode/pixels.ts";
import { loadCodec } from "../../../decode/platform.ts";
import { type ByteFile, MAX_FILE, MAX_NAMES } from "../../../files/files.ts";
import { depthFormatOf, type FormatLens, isNearLens, rateOf, scaledLens } from "../../../format/depthFormat.ts";
import { type Frames, type OpenOptions, type Pose, shareText } from "../../../format/format.ts";
import { readRvl } from "../../../messages/depthImage.ts";
import { decodeDepthFile } from "../../depthFile.ts";
import { fileFrames } from "../../fileFrames.ts";
import { openSqlite, type Sqlite } from "../db3/sqlite.ts";

/** A node with depth: the rows of its images, its time in ms, and the robot's pose by odometry. */
interface Entry {
  readonly row: number;
  readonly hasColor: boolean;
  readonly time: number;
  readonly pose: Uint8Array | undefined;
}

const RVL = "DEPTHRVL";
const from = "header";

/** Opens the nodes of a map that have depth, in the order of their times; `undefined` for a database of something else. */
export async function openRtabmap(file: ByteFile, options: OpenOptions, decoder: Decoder): Promise<Frames | undefined> {
  const db = await openSqlite(file);
  try {
    const frames = await framesOf(db, file, options, decoder);
    if (!frames) db.close();
    return frames && { ...frames, close: () => db.close() };
  } catch (error) {
    db.close();
    throw error;
  }
}

async function framesOf(db: Sqlite, file: ByteFile, options: OpenOptions, decoder: Decoder) {
  const { name } = file;
  const warnings: string[] = [];
  const found = entriesIn(db, file);
  if (!found) return undefined;
  const { entries } = found;
  const optimised = found.hasOptimised ? await optimisedIn(db, file, warnings) : undefined;
  const poseAt = ({ row, pose }: Entry) => (optimised ? optimised.get(row) : pose);
  const blob = (column: string, row: number): Bytes | undefined => {
    let found: Uint8Array | undefined;
    const most = Math.min(MAX_FILE, file.size);
    const query = `select case when length(${column}) <= ? then ${column} end from Data where rowid = ?`;
    db.each(query, [most, row], ([bytes]) => {
      if (bytes instanceof Uint8Array) found = bytes;
    });
    return found?.slice();
  };
  const cameras = new Map<number, NodeCamera>();
  const cameraOf = ({ row }: Entry) => {
    const camera = cameras.get(row) ?? cameraIn(blob("calibration", row) ?? new Uint8Array(), `${name}, node ${row}`);
    cameras.set(row, camera);
    return camera;
  };
  const imageOf = async ({ row }: Entry) => {
    const where = `${name}, depth of node ${row}`;
    const bytes = blob("depth", row) ?? new Uint8Array();
    return isRvl(bytes) ? readRvl(bytes.subarray(RVL.length), where) : decodeDepthFile(bytes, where, decoder);
  };
  const first = await imageOf(entries[0]);
  const times = entries.map(({ time }) => time);
  const rate = rateOf(times);
  const meaning = depthFormatOf(
    options,
    undefined,
    {
      metresPerUnit: { value: 0.001, from: "RTAB-Map default" },
      invalid: { value: [], from: "RTAB-Map default" },
      fps: rate ? { value: rate, from } : { value: 1, from: "RTAB-Map default" },
      intrinsics: { value: cameraOf(entries[0]).lens, from },
    },
    warnings,
  );
  const unitsIn = unitReader(meaning, name, warnings);
  const { width, height } = first;
  const posed = shareText(entries.filter((entry) => poseAt(entry) !== undefined).length, entries.length);
  const poses = optimised ? "optimised by the map's loops" : "odometry's, which no loop corrects";
  const frames = fileFrames({
    width,
    height,
    meaning,
    warnings,
    times,
    async depth(index) {
      const image = await imageOf(entries[index]);
      if (image.width === width && image.height === height) return unitsIn(image.data);
      throw new SourceError(
        `${name}: frame ${index} is ${image.width}×${image.height}, and the first ${width}×${height}`,
      );
    },
    color: options.color !== false && {
      count: entries.filter(({ hasColor }) => hasColor).length,
      kind: "JPEG or PNG, as it lies",
      async read(index) {
        const entry = entries[index];
        const bytes = entry.hasColor ? blob("image", entry.row) : undefined;
        const picture = bytes && (await decoder.color(bytes, `${name}, colour of node ${entry.row}`));
        return typeof picture === "object" ? resized(picture, width, height) : picture;
      },
    },
    // A fault in a node's calibration is reported where its pose is asked for.
    async lensOf(index) {
      if (options.intrinsics) return undefined;
      const ownOf = async () => scaledLens(cameraOf(entries[index]).lens, width, height);
      const own = await ownOf().catch(caught(SourceError, () => undefined));
      return own && isNearLens(own, meaning.intrinsics(width, height)) ? undefined : own;
    },
    pose: async (index) => poseIn(poseAt(entries[index]), cameraOf(entries[index])),
  });
  return { ...frames, facts: [...frames.facts, { what: "poses", value: `${posed}, ${poses}`, from }] } satisfies Frames;
}

/** The map's optimised poses; `undefined` where none are saved, or where they are damaged, which is a warning. */
async function optimisedIn(db: Sqlite, { name, size }: ByteFile, warnings: string[]) {
  let found: readonly Uint8Array[] = [];
  const columns = ["opt_ids", "opt_poses"].map((one) => `case when length(${one}) <= ? then ${one} end`).join(", ");
  const most = Math.min(MAX_FILE, size);
  db.each(`select ${columns} from Admin not indexed limit 1`, [most, most], (row) => {
    found = row.filter((one) => one instanceof Uint8Array && one.length > 0).map((one) => (one as Uint8Array).slice());
  });
  const [ids, poses] = found;
  if (!poses) return undefined;
  const without = ({ message }: Error) => void warnings.push(`${message}; odometry's poses are used`);
  return optimisedOf(ids, poses, name).catch(caught(SourceError, without));
}

/** The nodes with depth. Throws a `SourceError` where a table is not as RTAB-Map defines it: a view can produce data of any size. */
function entriesIn(db: Sqlite, file: ByteFile) {
  const budget = new ParseBudget(file.name, file.packedSize ?? file.size);
  const tables = new Map<string, string>();
  const named = "select name, sql from sqlite_master where type = 'table'";
  db.each(named, [], ([name, sql]) => tables.set(String(name), String(sql).replace(/--.*$/gm, "")), budget);
  const admin = tables.get("Admin");
  const hasOptimised = admin !== undefined && /\bopt_ids\b/.test(admin) && /\bopt_poses\b/.test(admin);
  const definitions = ["Node", "Data", ...(hasOptimised ? ["Admin"] : [])].map((name) => tables.get(name));
  if (definitions.includes(undefined)) return undefined;
  if (!definitions.every((sql = "") => /^create table\b/i.test(sql) && !/\b(as|_?rowid_?|oid)\b/i.test(sql)))
    throw new SourceError(
      `${file.name}: its tables are not as RTAB-Map defines them; export its images with rtabmap-export`,
    );
  const rows = new Map<number, boolean>();
  const images = "select rowid, length(image) from Data not indexed where length(depth) > 0";
  db.each(images, [], ([row, image]) => rows.set(Number(row), Number(image ?? 0) > 0), budget);
  const entries: Entry[] = [];
  const nodes = "select id, stamp, case when length(pose) = 48 then pose end from Node not indexed";
  const add = ([id, stamp, pose]: readonly unknown[]) => {
    const [row, time] = [Number(id), 1000 * Number(stamp)];
    const hasColor = rows.get(row);
    if (hasColor === undefined || !Number.isFinite(time)) return;
    rows.delete(row);
    entries.push({ row, hasColor, time, pose: pose instanceof Uint8Array ? pose.slice() : undefined });
  };
  db.each(nodes, [], add, budget);
  const [first, ...more] = entries.sort((a, b) => a.time - b.time);
  if (first) return { entries: [first, ...more] as const, hasOptimised };
  throw new SourceError(
    `${file.name}: none of its ${counted(rows.size, "node")} has depth and a time; record the map with its images (Mem/BinDataKept)`,
  );
}

const isRvl = (bytes: Uint8Array) => String.fromCharCode(...bytes.subarray(0, RVL.length)) === RVL;

/** The nearest colour for each pixel of depth; the same camera sees both. */
function resized(
  { width, height, data }: { readonly width: number; readonly height: number; readonly data: Uint8Array },
  w: number,
  h: number,
) {
  if (width === w && height === h) return data;
  const words = new Uint32Array(data.buffer, data.byteOffset, width * height);
  const out = new Uint32Array(w * h);
  for (let y = 0, i = 0; y < h; y++) {
    const row = width * Math.floor(((y + 0.5) * height) / h);
    for (let x = 0; x < w; x++, i++) out[i] = words[row + Math.floor(((x + 0.5) * width) / w)];
  }
  return new Uint8Array(out.buffer);
}

/** A node's camera: its lens, and its place on the robot. */
interface NodeCamera {
  readonly lens: FormatLens;
  readonly place: Pose;
}

/** The numbers of a header, and those of them that say the kind, the images' size, and how many numbers each part has. */
const HEADER = 11;
const TYPE = 3;
const WIDTH = 4;

/**
 * Reads a node's calibration (RTAB-Map's CameraModel::serialize, since 0.18): whole numbers (version, kind, width, height, the lengths of
 * the parts), then in doubles K, distortion, R and P, and in floats the place on the robot; before 0.18 floats alone: fx, fy, cx, cy,
 * width, height, place. Images count as rectified: P's lens comes before K's. Throws a `SourceError` for stereo and for several cameras.
 */
function cameraIn(bytes: Uint8Array, where: string): NodeCamera {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const floats = (at: number, count: number) =>
    Array.from({ length: count }, (_, i) => view.getFloat32(at + 4 * i, true));
  if (bytes.length === 4 * 18) {
    const [fx, fy, cx, cy, width, height] = floats(0, 6);
    return checked({ fx, fy, cx, cy, width, height }, floats(24, 12), where);
  }
  if (bytes.length < 4 * HEADER) throw damaged(where);
  const header = Array.from({ length: HEADER }, (_, i) => view.getInt32(4 * i, true));
  const [k, d, r, p, local] = header.slice(HEADER - 5);
  const size = 4 * HEADER + 8 * (k + d + r + p) + 4 * local;
  if (header[TYPE] !== 0)
    throw new SourceError(
      `${where}: it has the two images of a stereo camera in place of depth, which are not matched`,
    );
  if (bytes.length > size && size > 0)
    throw new SourceError(`${where}: its images are those of several cameras, side by side, which are not read`);
  if ((k !== 0 && k !== 9) || (p !== 0 && p !== 12) || local !== 12 || k + p === 0 || bytes.length !== size)
    throw damaged(where);
  const from = 4 * HEADER + (p === 12 ? 8 * (k + d + r) : 0);
  const wide = p === 12 ? 4 : 3;
  const [fx, cx, fy, cy] = [0, 2, wide + 1, wide + 2].map((i) => view.getFloat64(from + 8 * i, true));
  const [width, height] = header.slice(WIDTH, WIDTH + 2);
  return checked({ fx, fy, cx, cy, width, height }, floats(size - 48, 12), where);
}

function checked(
  lens: Required<Pick<FormatLens, "fx" | "fy" | "cx" | "cy" | "width" | "height">>,
  place: readonly number[],
  where: string,
) {
  const { fx, fy, cx, cy, width, height } = lens;
  if (!(fx > 0 && fy > 0 && width > 0 && height > 0 && Number.isFinite(fx + fy + cx + cy + width + height)))
    throw damaged(where);
  return { lens, place: [...place, 0, 0, 0, 1] };
}

const damaged = (where: string) => new SourceError(`${where}: its calibration is damaged; copy it again`);

/** The camera's pose: that of the robot (3×4 floats, row by row) and the camera's place on it; `undefined` where there is none. */
function poseIn(bytes: Uint8Array | undefined, { place }: NodeCamera): Pose | undefined {
  if (bytes?.length !== 48) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const robot = [...Array.from({ length: 12 }, (_, i) => view.getFloat32(4 * i, true)), 0, 0, 0, 1];
  const pose = [...product(robot, place, 4)];
  // A node whose place is not known has zeros.
  return pose.every(Number.isFinite) && Math.abs(Math.hypot(pose[0], pose[4], pose[8]) - 1) < 0.02 ? pose : undefined;
}

/** The numbers behind a packed matrix: its rows, its columns and OpenCV's type. */
const TAIL = 12;
const WHOLE = 4;
const FLOAT = 5;
/** The bytes of a pose: 3×4 floats, row by row. */
const POSE = 48;

/**
 * The robot's poses as RTAB-Map optimised them by its loops, by the nodes' ids. `ids` and `poses` are the columns opt_ids and opt_poses of
 * its table Admin: a row of N whole numbers and one of 12 N floats (DBDriverSqlite3::saveOptimizedPosesQuery), each packed by zlib with the
 * matrix' rows, columns and type behind it (compressData). Throws a `SourceError` for damaged poses.
 */
async function optimisedOf(ids: Uint8Array, poses: Uint8Array, where: string): Promise<Map<number, Uint8Array>> {
  const [numbers, places] = [await unpacked(ids, WHOLE, where), await unpacked(poses, FLOAT, where)];
  if (places.length !== (numbers.length / 4) * POSE) throw damagedPoses(where);
  const view = new DataView(numbers.buffer, numbers.byteOffset);
  const idAt = (i: number) => view.getInt32(4 * i, true);
  return new Map(
    Array.from({ length: numbers.length / 4 }, (_, i) => [idAt(i), places.subarray(POSE * i, POSE * (i + 1))]),
  );
}

async function unpacked(packed: Uint8Array, wanted: number, where: string): Promise<Bytes> {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  if (packed.length < TAIL) throw damagedPoses(where);
  const [rows, columns, type] = [12, 8, 4].map((back) => view.getInt32(packed.length - back, true));
  if (rows !== 1 || !(columns > 0 && columns <= 12 * MAX_NAMES) || type !== wanted) throw damagedPoses(where);
  const codec = await loadCodec();
  const unpacking = codec.inflate("zlib", packed.slice(0, -TAIL), 4 * columns);
  return unpacking.catch(retold(InflateError, () => damagedPoses(where)));
}

const damagedPoses = (where: string) =>
  new SourceError(`${where}: the map's optimised poses are damaged; copy the file again`);
