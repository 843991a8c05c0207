import type { Lens } from "../depthFormat.ts";
import { entriesOf, numbersOf, type Said } from "./parse.ts";

/** Intrinsics in a text, and the names that lead to them in it. */
export interface FoundLens {
  readonly path: string;
  readonly lens: Lens;
}

/** The most lenses of a text, and the deepest place in it. */
const [MOST, DEEPEST] = [64, 5];
const MATRIX = /intrin|^k$|cam_?k|camera_?matrix|matrix|camera$/i;

/**
 * All intrinsics in a text, in any of the forms that cameras and data sets have: 3×3 or 4×4 numbers, "fx fy cx cy", ARKitScenes' "w h fx fy
 * cx cy", fields such as fx, fl_x or ppx, and matrices in JSON or YAML, row by row or, as Open3D writes them, column by column.
 */
export function lensesIn({ rows, value }: Said, name: string): FoundLens[] {
  if (rows) {
    const flat = rows.length <= 16 ? rows.flat() : [];
    const [width, height, ...more] = flat;
    const lens =
      flat.length === 6 && rows.length === 1
        ? sized(fourOf(more), width, height)
        : (matrixOf(flat) ?? (/intrin|cam|calib|^k\b/i.test(name) ? lineOf(flat) : undefined));
    return lens ? [{ path: name, lens }] : [];
  }
  const found: FoundLens[] = [];
  let left = 5000;
  const look = (node: unknown, path: string, depth: number) => {
    if (found.length === MOST || depth > DEEPEST || left-- <= 0) return;
    const lens = fieldsOf(node);
    if (lens) found.push({ path, lens });
    else
      for (const [key, below] of entriesOf(node, 256))
        look(key === "frames" && Array.isArray(below) ? below[0] : below, `${path} ${key}`, depth + 1);
  };
  look(value, name, 0);
  return found;
}

/** The intrinsics in the fields of one object. */
function fieldsOf(node: unknown): Lens | undefined {
  const entries = entriesOf(node, 256);
  const numberAt = (...names: RegExp[]) =>
    names
      .map((one) => entries.find(([key, value]) => one.test(key) && Number.isFinite(Number(value)) && value !== ""))
      .find((entry) => entry !== undefined)?.[1];
  const at = (...names: RegExp[]) => {
    const value = numberAt(...names);
    return value === undefined || Array.isArray(value) ? Number.NaN : Number(value);
  };
  const fx = at(/^(fx|fl_?x|f_?x|focal_?(length_?)?x)$/i);
  const fy = at(/^(fy|fl_?y|f_?y|focal_?(length_?)?y)$/i);
  const named = lensOf(
    fx,
    Number.isNaN(fy) ? fx : fy,
    at(/^(cx|c_x|ppx|principal_?(point_?)?x)$/i),
    at(/^(cy|c_y|ppy|principal_?(point_?)?y)$/i),
  );
  const listed = entries.flatMap(([key, value]) => {
    const list = MATRIX.test(key) ? numbersOf(value) : undefined;
    return list ? [matrixOf(list) ?? (list.length === 4 ? fourOf(list) : undefined)] : [];
  });
  const lens = named ?? listed.find((one) => one !== undefined);
  if (!lens) return undefined;
  const size = numbersOf(entries.find(([key]) => /^(resolution|size|image_?size)$/i.test(key))?.[1]);
  // A resolution may be height × width: the principal point lies near the middle.
  const [a, b] = size?.length === 2 ? size : [at(/^(image_?)?(width|w)$/i), at(/^(image_?)?(height|h)$/i)];
  const turned = size !== undefined && Math.abs(2 * lens.cx - b) < Math.abs(2 * lens.cx - a);
  return { ...(sized(lens, turned ? b : a, turned ? a : b) ?? lens), ...bendOf(entries, at) };
}

function bendOf(entries: readonly (readonly [string, unknown])[], at: (name: RegExp) => number) {
  const list = numbersOf(
    entries.find(([key]) => /^(distortion(_?coeff\w*)?|dist_?coeff\w*|d|coeffs)$/i.test(key))?.[1],
  );
  const named = ["k1", "k2", "p1", "p2", "k3"].map((name) => at(new RegExp(`^${name}$`)) || 0);
  const distortion = list && list.length >= 4 && list.length <= 8 ? list : named;
  return distortion.some((value) => value !== 0) && distortion.every((value) => Math.abs(value) < 1e3)
    ? { distortion: [...distortion] }
    : {};
}

/** A 3×3, 3×4 or 4×4 matrix, row by row or column by column. */
function matrixOf(m: readonly number[]): Lens | undefined {
  const side = m.length === 9 ? 3 : m.length === 16 || m.length === 12 ? 4 : 0;
  if (side === 0) return undefined;
  const rows = lensOf(m[0], m[side + 1], m[2], m[side + 2]);
  const last = 2 * side;
  if (m[last] === 0 && m[last + 1] === 0 && m[last + 2] === 1 && m[side] === 0) return rows;
  const isColumns = m[1] === 0 && m[2] === 0 && m[side + 2] === 0 && m[last + 2] === 1 && m.length !== 12;
  return isColumns ? lensOf(m[0], m[side + 1], m[last], m[last + 1]) : undefined;
}

/** "fx fy cx cy", or, as OpenLORIS has it, "fx cx fy cy": the two focal lengths are nearly equal. */
function fourOf([a, b, c, d]: readonly number[]): Lens | undefined {
  return Math.abs(a - c) < Math.abs(a - b) && Math.abs(a - c) < 0.2 * a ? lensOf(a, c, b, d) : lensOf(a, b, c, d);
}

/** "fx fy cx cy", perhaps with distortion behind it: "k1 k2 p1 p2", and k3. */
function lineOf(flat: readonly number[]): Lens | undefined {
  const [lens, distortion] = [fourOf(flat), flat.slice(4)];
  if (flat.length === 4 || !lens) return flat.length === 4 ? lens : undefined;
  const isBend = (flat.length === 8 || flat.length === 9) && distortion.every((value) => Math.abs(value) < 10);
  return isBend ? { ...lens, ...(distortion.some((value) => value !== 0) && { distortion }) } : undefined;
}

const sized = (lens: Lens | undefined, width: number, height: number): Lens | undefined =>
  lens && width >= 1 && height >= 1 && width < 1e5 && height < 1e5 ? { ...lens, width, height } : lens;

const lensOf = (fx: number, fy: number, cx: number, cy: number): Lens | undefined =>
  fx > 1 && fy > 1 && [fx, fy, cx, cy].every((value) => Math.abs(value) < 1e6) ? { fx, fy, cx, cy } : undefined;

/**
 * The metres per unit that a text says: "depth_scale" or "scale" of 100 and more are units a metre (TUM, Replica), from .02 to 100
 * millimetres a unit (BOP), below that metres a unit (RealSense).
 */
export function scaleIn({ value }: Said): number | undefined {
  let left = 2000;
  const look = (node: unknown, depth: number): number | undefined => {
    const entries = entriesOf(node, 256);
    if (left-- <= 0 || depth > DEEPEST) return undefined;
    for (const [key, scale] of entries) {
      const named = /^(png_?|integer_?)?depth_?(map_?)?(unit_?)?(scale|factor)(_?factor)?$/i.test(key);
      if (typeof scale !== "number" || !(named || (/^scale$/i.test(key) && scale >= 100))) continue;
      if (scale >= 100 && scale <= 65536) return 1 / scale;
      if (scale >= 0.02 && scale < 100) return scale / 1000;
      if (scale >= 1e-6 && scale < 0.02) return scale;
    }
    for (const [, below] of entries) {
      const found = look(below, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return look(value, 0);
}
