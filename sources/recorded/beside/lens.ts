import type { FormatLens } from "../../format/depthFormat.ts";
import { entriesOf, numberOf, numbersOf, partsOf, type Said } from "./parse.ts";

/** Intrinsics in a text, and the names that lead to them in it. */
export interface FoundLens {
  readonly path: string;
  readonly lens: FormatLens;
  /** The name of a model of distortion that is not known: the lens is without distortion then. */
  readonly unknown?: string | undefined;
}

/** The most lenses of a text, and the deepest nesting at which they are looked for. */
const MOST = 64;
const DEEPEST = 5;
const MATRIX = /intrin|^[km]_?\d{0,2}$|^p(_rect)?_?\d{0,2}$|cam_?k|camera_?matrix|matrix|camera$/i;

/**
 * All intrinsics in a text, in any of the forms that cameras and data sets have: 3×3 or 4×4 numbers, "fx fy cx cy", with the size before or
 * behind them, fields such as fx, fl_x or ppx, and matrices in JSON or YAML, row by row or, as Open3D writes them, column by column.
 */
export function lensesIn({ rows, value }: Said, name: string): FoundLens[] {
  const found: FoundLens[] = [];
  let left = 5000;
  const look = (node: unknown, to: string, depth: number) => {
    if (found.length === MOST || depth > DEEPEST || left-- <= 0) return;
    // Kalibr numbers its cameras, and their topics may say which is which.
    const topic = entriesOf(node, 64).find(([key]) => key === "rostopic")?.[1];
    const path = typeof topic === "string" ? `${to} ${topic}` : to;
    const here = fieldsOf(node);
    for (const [group, lens, unknown] of here) found.push({ path: `${path} ${group}`.trimEnd(), lens, unknown });
    if (here.length === 0)
      for (const [key, below] of partsOf(node))
        look(/^(frames|rows)$/.test(key) && Array.isArray(below) ? below[0] : below, `${path} ${key}`, depth + 1);
  };
  look(value, name, 0);
  const flat = rows && rows.length <= 16 ? rows.flat() : [];
  const isNamed = /intrin|cam|calib|^k\b/i.test(name);
  const lens = matrixOf(flat) ?? sixOf(flat, isNamed) ?? (isNamed ? lineOf(flat) : undefined);
  return found.length === 0 && lens ? [{ path: name, lens }] : found;
}

/** A camera's name in the name of a field: "fx_depth", "depth_fx", "depthWidth". */
const CAMERA = /(^|_)(depth|colou?r|rgb|infra\w*|ir|left|right)(?=_|$)/i;

/** The intrinsics in the fields of one object; the names of the fields tell the intrinsics of several cameras apart. */
function fieldsOf(node: unknown): (readonly [group: string, lens: FormatLens, unknown: string | undefined])[] {
  const groups = new Map<string, [string, unknown][]>([["", []]]);
  const all = entriesOf(node, 256);
  // RTAB-Map's images are rectified: the lens is that of the projection (CameraModel::fx).
  const isRtabmap = ["local_transform", "projection_matrix"].every((name) => all.some(([key]) => key === name));
  for (const [key, value] of isRtabmap ? all.filter(([one]) => !/^(camera_matrix|distortion_)/.test(one)) : all) {
    const words = key.replace(/([a-z])([A-Z])/g, "$1_$2").replaceAll(" ", "_");
    const group = CAMERA.exec(words)?.[2].toLowerCase() ?? "";
    const list = groups.get(group) ?? [];
    list.push([words.replace(CAMERA, "").replace(/^_/, ""), value]);
    groups.set(group, list);
  }
  const common = groups.get("") ?? [];
  return [...groups].flatMap(([group, entries]) => {
    const lens = lensOfFields(entries, common);
    return lens ? [[group, lens, unknownBend([...entries, ...common])] as const] : [];
  });
}

type Entries = readonly (readonly [string, unknown])[];

function lensOfFields(entries: Entries, common: Entries): FormatLens | undefined {
  const all = [...entries, ...common];
  /** The numbers of the first field that is so called. */
  const listAt = (name: RegExp, among = entries) => {
    for (const [key, value] of among) {
      if (!name.test(key) || value === "" || value === null) continue;
      const list = numbersOf(value) ?? numbersOf(entriesOf(value, 2).map(([, one]) => one)) ?? [numberOf(value)];
      if (list.every(Number.isFinite)) return list;
    }
    return [];
  };
  const at = (name: RegExp, among = entries) => listAt(name, among)[0] ?? Number.NaN;
  const filmed = filmedBy(listAt, all);
  const [f, f2 = f] = listAt(/^(f|focal(_?length)?(_?px)?)$/i);
  const [c, c2] = listAt(/^(c|cxy|principal_?point|cent(er|re))$/i);
  const first = (...values: (number | undefined)[]) => values.find((one) => Number.isFinite(one)) ?? Number.NaN;
  const fx = first(at(/^(fx|fl_?x|f_?x|focal_?(length_?)?x)$/i), f);
  // In nerfstudio's transforms.json, whose focal length is fl_x, the centre of the first pixel is at one half.
  const from = Number.isFinite(at(/^fl_x$/)) ? 0.5 : 0;
  const named = lensOf(
    fx,
    first(at(/^(fy|fl_?y|f_?y|focal_?(length_?)?y)$/i), f2, fx),
    first(at(/^(cx|c_x|ppx|mx|principal_?(point_?)?x)$/i), c) - from,
    first(at(/^(cy|c_y|ppy|my|principal_?(point_?)?y)$/i), c2) - from,
  );
  const listed = entries.flatMap(([key, value]) => {
    const list = MATRIX.test(key) ? numbersOf(value) : undefined;
    return list ? [matrixOf(list) ?? (list.length === 4 ? fourOf(list) : undefined)] : [];
  });
  const lens = filmed ?? named ?? listed.find((one) => one !== undefined);
  if (!lens || filmed) return lens;
  const size = listAt(/^(resolution|size|image_?size)$/i, all);
  // A resolution may be height × width: the principal point lies near the middle.
  const [a, b] =
    size.length === 2
      ? size
      : [at(/^((image_?)?(width|w)|resolution_?x)$/i, all), at(/^((image_?)?(height|h)|resolution_?y)$/i, all)];
  const turned = size.length === 2 && Math.abs(2 * lens.cx - b) < Math.abs(2 * lens.cx - a);
  return { ...(sized(lens, turned ? b : a, turned ? a : b) ?? lens), ...bendOf(all, at) };
}

/**
 * The lens of a focal length and an aperture, both in mm, as renderers have (Isaac, Blender): pixels are square, and the centre is the
 * image's. If the image's size is not given, the lens is that of a square image.
 */
function filmedBy(listAt: (name: RegExp, among?: Entries) => readonly number[], all: Entries): FormatLens | undefined {
  // NeRF's synthetic scenes have the angle that the image's width takes.
  const [angle] = listAt(/^camera_angle_x$/);
  const [focal] = angle > 0 ? [1] : listAt(/^(camera_?)?(focal(_?length)?(_?mm)?|lens)$/i);
  const [across] =
    angle > 0
      ? [2 * Math.tan(angle / 2)]
      : listAt(/^(camera_?aperture|(camera_?)?(horizontal_?aperture|sensor_?width))(_?mm)?$/i);
  const model = all.find(([key]) => /^camera_?model$/i.test(key))?.[1];
  if (!(focal > 0 && across > 0) || (typeof model === "string" && model !== "pinhole")) return undefined;
  const size = listAt(/^(render_?product_?)?(resolution|size|image_?size)$/i, all);
  const [width] = size.length === 2 ? size : listAt(/^((image_?)?(width|w)|resolution_?x)$/i, all);
  const height = size.length === 2 ? size[1] : listAt(/^((image_?)?(height|h)|resolution_?y)$/i, all)[0];
  const [w, h] = width >= 1 && height >= 1 ? [width, height] : [1000, 1000];
  return sized(lensOf((focal * w) / across, (focal * w) / across, (w - 1) / 2, (h - 1) / 2), w, h);
}

/** Names of models of distortion that are not Brown's and Conrady's. */
const MODELS = [
  [/fisheye|equi|kannala/i, "fisheye"],
  [/inverse/i, "inverse-brown-conrady"],
  [/modified/i, "modified-brown-conrady"],
  [/rational|full_?opencv/i, "rational"],
] as const;

/** Names of Brown's and Conrady's model, and of no distortion. */
const BROWN =
  /brown|conrady|plumb|rad_?tan|radial|tangential|open_?cv|pinhole|poly|none|no_?dist|undist|rectified|ideal/i;
const textIn = (entries: Entries, name: RegExp) =>
  entries.find(([key, value]) => name.test(key) && typeof value === "string" && value !== "")?.[1];

/** The name of a text's model of distortion, if the model is unknown. */
function unknownBend(entries: Entries): string | undefined {
  const text = textIn(entries, /dist\w*model/i);
  return text === undefined || [BROWN, ...MODELS.map(([name]) => name)].some((name) => name.test(String(text)))
    ? undefined
    : String(text);
}

function bendOf(entries: Entries, at: (name: RegExp, among: Entries) => number) {
  const list = numbersOf(
    entries.find(([key]) => /^(distortion(_?coeff\w*)?|dist_?coeff\w*|d|coeffs)$/i.test(key))?.[1],
  );
  if (unknownBend(entries) !== undefined) return {};
  const text = textIn(entries, /dist\w*model/i) ?? textIn(entries, /model|type/i);
  // DepthAI lists 14 coefficients whatever the model; its camera type 1 is a fisheye.
  const isOak = list?.length === 14;
  const said =
    isOak && at(/^camera_?type$/i, entries) === 1 ? "fisheye" : MODELS.find(([name]) => name.test(String(text)))?.[1];
  const names = said === "fisheye" ? "k1 k2 k3 k4" : said === "rational" ? "k1 k2 p1 p2 k3 k4 k5 k6" : "k1 k2 p1 p2 k3";
  const named = names.split(" ").map((name) => at(new RegExp(`^${name}$`), entries) || 0);
  const own = isOak && said === "fisheye" ? list.slice(0, 4) : list;
  const distortion = own && own.length >= 4 && own.length <= 14 ? own : named;
  const model = said ?? (distortion.length >= 8 ? "rational" : undefined);
  // A fisheye's coefficients of 0 bend rays, if the text has them.
  const isListed = !isOak && said === "fisheye" && (own ? own.length > 0 : at(/^k1$/, entries) === 0);
  const isGiven = isListed || distortion.some((value) => value !== 0);
  return isGiven && distortion.every((value) => Math.abs(value) < 1e3)
    ? { distortion: [...distortion], ...(model && { distortionModel: model }) }
    : {};
}

/** A 3×3, 3×4 or 4×4 matrix, row by row or column by column. */
export function matrixOf(m: readonly number[]): FormatLens | undefined {
  const side = m.length === 9 ? 3 : m.length === 16 || m.length === 12 ? 4 : 0;
  if (side === 0) return undefined;
  const rows = lensOf(m[0], m[side + 1], m[2], m[side + 2]);
  const last = 2 * side;
  if (m[last] === 0 && m[last + 1] === 0 && m[last + 2] === 1 && m[side] === 0) return rows;
  const isColumns = m[1] === 0 && m[2] === 0 && m[side + 2] === 0 && m[last + 2] === 1 && m.length !== 12;
  return isColumns ? lensOf(m[0], m[side + 1], m[last], m[last + 1]) : undefined;
}

/** "fx fy cx cy", or, as OpenLORIS has it, "fx cx fy cy": the two focal lengths are nearly equal. */
function fourOf([a, b, c, d]: readonly number[]): FormatLens | undefined {
  return Math.abs(a - c) < Math.abs(a - b) && Math.abs(a - c) < 0.2 * a ? lensOf(a, c, b, d) : lensOf(a, b, c, d);
}

/** "w h fx fy cx cy" (ARKitScenes) or "fx fy cx cy w h": the principal point lies near the middle. */
function sixOf(flat: readonly number[], isNamed: boolean): FormatLens | undefined {
  if (flat.length !== 6) return undefined;
  const [before, behind] = [sized(fourOf(flat.slice(2)), flat[0], flat[1]), sized(fourOf(flat), flat[4], flat[5])];
  const off = (lens: FormatLens | undefined) =>
    lens?.width && lens.height
      ? Math.abs(lens.cx / lens.width - 0.5) + Math.abs(lens.cy / lens.height - 0.5)
      : Number.POSITIVE_INFINITY;
  const best = off(behind) < off(before) ? behind : before;
  return isNamed || off(best) < 0.3 ? best : undefined;
}

/** "fx fy cx cy", perhaps with distortion behind it: "k1 k2 p1 p2", and k3. */
function lineOf(flat: readonly number[]): FormatLens | undefined {
  const [lens, distortion] = [fourOf(flat), flat.slice(4)];
  if (flat.length === 4 || !lens) return flat.length === 4 ? lens : undefined;
  const isBend = (flat.length === 8 || flat.length === 9) && distortion.every((value) => Math.abs(value) < 10);
  return isBend ? { ...lens, ...(distortion.some((value) => value !== 0) && { distortion }) } : undefined;
}

const sized = (lens: FormatLens | undefined, width: number, height: number): FormatLens | undefined =>
  lens && width >= 1 && height >= 1 && width < 1e5 && height < 1e5 ? { ...lens, width, height } : lens;

const lensOf = (fx: number, fy: number, cx: number, cy: number): FormatLens | undefined =>
  fx > 1 && fy > 1 && [fx, fy, cx, cy].every((value) => Math.abs(value) < 1e6) ? { fx, fy, cx, cy } : undefined;

/** Names of a unit of depth, without "_", and words for units. */
const SCALE =
  /^(rgbd)?(png|integer)?depth(map)?(unit)?(scale|scaling|factor|shift)(factor)?(mm)?$|^depth(scale|factor)(m|mm|met(?:er|re)s?)(per(unit|lsb))?$|^(depth)?(metres|meters)perunit$|^(depth)?unitsperm(et(er|re))?$|^depthunits?(in)?(m|mm|meters|metres)?$|^depthtom(et(er|re)s?)?$|^factordepth$/;
const WORDS: readonly (readonly [RegExp, number])[] = [
  [/^(mm|milli-?met(er|re)s?)$/i, 0.001],
  [/^(cm|centi-?met(er|re)s?)$/i, 0.01],
  [/^(um|µm|micro-?met(er|re)s?)$/i, 1e-6],
];

/**
 * The metres per unit that a text says: "depth_scale" or "scale" of 100 and more are units a metre (TUM, Replica), from .02 to 100
 * millimetres a unit (BOP), below that metres a unit (RealSense). A file named after the unit may have the number alone.
 */
export function scaleIn({ rows, value }: Said, name = ""): number | undefined {
  if (rows)
    return rows.flat().length === 1 && /depth_?(scale|unit|factor)/i.test(name) ? unitOf(rows[0][0]) : undefined;
  let left = 2000;
  const look = (node: unknown, depth: number, around = ""): number | undefined => {
    const parts = partsOf(node);
    if (left-- <= 0 || depth > DEEPEST) return undefined;
    for (const [key, said] of parts) {
      const plain = key.toLowerCase().replace(/[_\- ]/g, "");
      const isUnit = typeof said !== "object" && /^(depth)?units?$/.test(plain);
      const [, count, word] = /^(\d*\.?\d*) ?(\D+)$/.exec(isUnit ? String(said) : "") ?? [];
      const unitInWords = (WORDS.find(([one]) => one.test(word ?? ""))?.[1] ?? 0) * Number(count || 1);
      if (unitInWords > 0) return unitInWords;
      if (typeof said !== "number" && (typeof said !== "string" || said === "")) continue;
      const number = Number(said);
      // A scale below "depth" that lies between 0.01 and 100 may be that by which an image was resized.
      const isBelow = SCALE.test(around + plain) && (number >= 100 || number <= 0.01);
      const isSure = SCALE.test(plain) || isBelow || (plain === "scale" && number >= 100);
      const unit = isSure ? (unitNamed(plain, number) ?? unitOf(number)) : undefined;
      if (unit !== undefined) return unit;
    }
    for (const [key, below] of parts) {
      const found = look(below, depth + 1, key.toLowerCase());
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return look(value, 0);
}

/** The metres per unit where a name says what its number is in: "depth_scale_m_per_unit", "depth_scale_mm". */
function unitNamed(plain: string, scale: number): number | undefined {
  const said = /^depth(?:scale|factor)(m{1,2}|met(?:er|re)s?)(?:per(?:unit|lsb))?$/.exec(plain)?.[1];
  const metres = said === "mm" ? scale / 1000 : scale;
  return said !== undefined && metres >= 1e-6 && metres <= 0.1 ? metres : undefined;
}

function unitOf(scale: number): number | undefined {
  if (scale >= 100 && scale <= 65536) return 1 / scale;
  if (scale >= 0.02 && scale < 100) return scale / 1000;
  return scale >= 1e-6 && scale < 0.02 ? scale : undefined;
}
