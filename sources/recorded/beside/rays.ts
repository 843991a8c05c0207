import type { Size } from "../../../core/view.ts";
import { baseOf, type Files, folderOf } from "../../files/files.ts";
import type { FormatLens } from "../../format/depthFormat.ts";
import type { WithOrigin } from "../../format/format.ts";
import type { Notes } from "./notes.ts";
import { partsOf } from "./parse.ts";

/** A table of rays beside depth, as HoloLens' recorder writes it: x, y, z of each pixel, floats, little-endian. */
export interface Rays {
  readonly name: string;
  /** For each pixel the depth along the axis per unit of what is stored; absent where depth itself is stored. */
  readonly along?: Float32Array;
  /** The pinhole that fits the rays best. */
  readonly lens?: WithOrigin<FormatLens>;
}

const TABLE = /(^|[/_ -])lut[^/]*\.(bin|npy)$/i;
/** A warning comes where the pinhole's rays miss the table's by more than this, px on average. */
const FAR_PX = 0.5;

/** The table of rays that lies beside depth of `size`, the one named after depth's folder if there are several. */
export async function raysBeside(
  files: Files,
  [first]: readonly string[],
  size: () => Promise<Size>,
  warnings: string[],
): Promise<Rays | undefined> {
  const all = (await files.list()).filter((name) => TABLE.test(name));
  const own = baseOf(folderOf(first)).toLowerCase();
  const name = all.find((one) => own !== "" && baseOf(one).toLowerCase().startsWith(own)) ?? all[0];
  if (name === undefined) return undefined;
  const { width, height } = await size();
  const bytes = await files.read(name);
  const start = /\.npy$/i.test(name) ? bytes.length - 12 * width * height : 0;
  const isFloats = start === 0 || new TextDecoder("latin1").decode(bytes.subarray(0, 128)).includes("'<f4'");
  if (start < 0 || bytes.length - start !== 12 * width * height || !isFloats) {
    warnings.push(
      `${files.name}/${name}: it is no table of x, y, z in floats for ${width}×${height} pixels and is not used`,
    );
    return undefined;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset + start);
  const along = new Float32Array(width * height);
  const [columns, xs, rows, ys]: number[][] = [[], [], [], []];
  let [units, planes] = [0, 0];
  for (let i = 0; i < along.length; i++) {
    const [x, y, z] = [0, 4, 8].map((at) => view.getFloat32(12 * i + at, true));
    if (!(z > 0 && Number.isFinite(x + y + z))) continue;
    along[i] = z;
    if (Math.abs(Math.hypot(x, y, z) - 1) < 1e-3) units++;
    if (Math.abs(z - 1) < 1e-3) planes++;
    xs.push(x / z);
    columns.push(i % width);
    ys.push(y / z);
    rows.push(Math.floor(i / width));
  }
  if (2 * Math.max(units, planes) < along.length) {
    warnings.push(`${files.name}/${name}: its vectors have neither the length 1 nor z = 1, so that it is not used`);
    return undefined;
  }
  const [across, down] = [lineThrough(xs, columns), lineThrough(ys, rows)];
  const lens = { fx: across.slope, fy: down.slope, cx: across.from, cy: down.from, width, height };
  const off = Math.hypot(across.off, down.off);
  const from = `file ${name}` as const;
  if (off > FAR_PX)
    warnings.push(
      `${files.name}/${name}: a lens without distortion passes these rays by ${off.toFixed(1)} px on average`,
    );
  return { name, ...(units > planes && { along }), ...(lens.fx > 1 && lens.fy > 1 && { lens: { value: lens, from } }) };
}

/** The line y = from + slope · x that fits points best, and the root mean square of the points' distances from that line in y. */
function lineThrough(xs: readonly number[], ys: readonly number[]) {
  const mean = (of: (x: number, y: number) => number) => xs.reduce((sum, x, i) => sum + of(x, ys[i]), 0) / xs.length;
  const [x, y] = [mean((x) => x), mean((_, y) => y)];
  const slope = mean((u, v) => (u - x) * (v - y)) / mean((u) => (u - x) ** 2);
  return { slope, from: y - slope * x, off: Math.sqrt(mean((u, v) => (v - y - slope * (u - x)) ** 2)) };
}

/**
 * Whether a text, or the first one of a text for each frame, says that depth is the length of rays, as Unity's captures do
 * ("measurementStrategy": "Range").
 */
export async function areRaysSaid({ singles, firsts }: Notes): Promise<boolean> {
  let left = 5000;
  const says = (node: unknown, depth: number): boolean =>
    left-- > 0 &&
    depth < 6 &&
    partsOf(node).some(
      ([key, value]) =>
        (typeof value === "string" &&
          /^(measurement_?strategy|depth_?(type|mode|kind|measure\w*))$/i.test(key) &&
          /^(range|rays?|radial|euclidean\w*|distance_to_camera)$/i.test(value)) ||
        (typeof value === "object" && says(value, depth + 1)),
    );
  return [...singles, ...(await firsts())].some(({ said }) => says(said.value, 0));
}
