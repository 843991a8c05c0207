import { counted } from "../../../../core/check.ts";
import { SourceError } from "../../../../core/source.ts";
import { halfOf } from "../../../decode/half.ts";
import { MAX_PIXELS } from "../../../decode/png.ts";
import { MAX_NAMES } from "../../../files/files.ts";
import { PICKLE_ADVICE } from "./pickle.ts";
import { mayBeChannels, stackOf } from "./shape.ts";

/** The header of a .npy file (NumPy's NEP 1), interpreted as a stack of images. */
export interface NpyArray {
  /** The kind and bytes of a value: "u2", "f4" … */
  readonly type: string;
  readonly little: boolean;
  readonly frames: number;
  readonly height: number;
  readonly width: number;
  /** The position where the values begin. */
  readonly start: number;
  readonly bytesOfFrame: number;
  /** The assumption made about the axes. */
  readonly warning?: string | undefined;
}

export const MAX_HEADER = 1 << 16;
const WHOLE = ["u2", "i2", "u4", "i4", "u8", "i8"];
const METRES = ["f2", "f4", "f8"];
/** The kinds of masks and images of confidence. */
export const CONFIDENCE = ["b1", "u1", "i1", ...WHOLE, ...METRES];

/** Whether the values are metres: floats are. */
export const isMetric = ({ type }: NpyArray): boolean => METRES.includes(type);

/** Thrown for an array whose columns are stored one after the other. */
export class FortranOrder extends SourceError {}

/** Reads a header from the file's first bytes. Throws a `SourceError`, also for values of other kinds than `kinds`. */
export function readNpyHeader(
  head: Uint8Array,
  where: string,
  kinds: readonly string[] = [...WHOLE, ...METRES],
): NpyArray {
  const header = headerOf(head);
  if (!header) throw new SourceError(`${where}: this NumPy file is cut short; save it again`);
  const { order, type, axes, start } = readFields(header, where);
  const shape = `a NumPy array of ${axes.join("×")}`;
  const stack = stackOf(axes);
  if (typeof stack === "string") throw new SourceError(`${where}: ${shape} is ${stack}`);
  if (!kinds.includes(type))
    throw new SourceError(
      `${where}: a NumPy array of "${type}" is no depth; save it as uint16 millimetres or float32 metres`,
    );
  const { frames, height, width } = stack;
  if (!(width * height > 0 && width * height <= MAX_PIXELS) || !(frames > 0 && frames <= MAX_NAMES))
    throw new SourceError(
      `${where}: ${shape} is no stack of depth images that can be read; N×H×W and H×W are, of up to 16 megapixels`,
    );
  const warning = mayBeChannels(axes)
    ? `${where}: ${shape} is taken for ${counted(frames, "frame")} of depth; if these are channels of one image, save that of depth alone`
    : undefined;
  const bytesOfFrame = width * height * Number(type[1]);
  return { type, little: order !== ">", frames, height, width, start, bytesOfFrame, warning };
}

/** The text of a header, which is a Python dictionary, and the position behind it; `undefined` where it is cut short. */
function headerOf(head: Uint8Array): { readonly text: string; readonly start: number } | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const wide = head[6] >= 2;
  const from = wide ? 12 : 10;
  const length = head.length < 12 ? -1 : wide ? view.getUint32(8, true) : view.getUint16(8, true);
  if (length < 0 || from + length > head.length) return undefined;
  return { text: String.fromCharCode(...head.subarray(from, from + Math.min(length, 4096))), start: from + length };
}

/** The fields of a header: byte order, type, shape, and whether columns are stored one after the other; `undefined` where it lacks them. */
function fieldsOf(text: string) {
  const said = /'descr':\s*'([<>|=]?)(\w+)'/.exec(text);
  const shape = /'shape':\s*\(([\d,\s]*)\)/.exec(text)?.[1];
  if (!said || shape === undefined) return undefined;
  const axes = shape.match(/\d+/g)?.map(Number) ?? [];
  return { order: said[1], type: said[2], axes, isFortran: /'fortran_order':\s*True/.test(text) };
}

/** The fields of a header of an array of depth. Throws a `SourceError`. */
function readFields({ text, start }: { readonly text: string; readonly start: number }, where: string) {
  if (/'descr':\s*\[/.test(text))
    throw new SourceError(
      `${where}: this NumPy array has several named fields in each element, which is not supported; save the depth field alone, numpy.save("depth.npy", array["depth"])`,
    );
  const fields = fieldsOf(text);
  if (!fields) throw new SourceError(`${where}: this NumPy file is damaged: its header lacks type or shape`);
  if (fields.type === "O")
    throw new SourceError(
      `${where}: this NumPy array holds Python objects (a pickle), which are not read; ${PICKLE_ADVICE}`,
    );
  if (fields.isFortran)
    throw new FortranOrder(`${where}: this NumPy array is in Fortran's order; save numpy.ascontiguousarray of it`);
  return { ...fields, start };
}

/**
 * A whole file's array of numbers of any axes: its type, its axes, and its values by their position in C's order; `undefined` for any
 * other array.
 */
export function numbersIn(bytes: Uint8Array) {
  const header = headerOf(bytes);
  const fields = header && fieldsOf(header.text);
  if (!header || !fields) return undefined;
  const { order, type, axes, isFortran } = fields;
  const [value, size] = [VALUES[type], Number(type[1])];
  const all = axes.reduce((product, axis) => product * axis, 1);
  if (!value || header.start + all * size > bytes.length) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset + header.start);
  // In Fortran's order the first axis is the fastest.
  const placeOf = (at: number) => {
    let [rest, step, place] = [at, all, 0];
    for (const axis of axes.toReversed()) {
      step /= axis;
      place += (rest % axis) * step;
      rest = Math.floor(rest / axis);
    }
    return place;
  };
  return { type, axes, at: (i: number) => value(view, size * (isFortran ? placeOf(i) : i), order !== ">") };
}

type At = (view: DataView, place: number, little: boolean) => number;

/** Reads a value of each kind. */
const VALUES: Readonly<Record<string, At>> = {
  b1: (view, place) => view.getUint8(place),
  u1: (view, place) => view.getUint8(place),
  i1: (view, place) => view.getInt8(place),
  u2: (view, place, little) => view.getUint16(place, little),
  i2: (view, place, little) => view.getInt16(place, little),
  u4: (view, place, little) => view.getUint32(place, little),
  i4: (view, place, little) => view.getInt32(place, little),
  u8: (view, place, little) => Number(view.getBigUint64(place, little)),
  i8: (view, place, little) => Number(view.getBigInt64(place, little)),
  f2: (view, place, little) => halfOf(view.getUint16(place, little)),
  f4: (view, place, little) => view.getFloat32(place, little),
  f8: (view, place, little) => view.getFloat64(place, little),
};

/** A frame's values: floats, or whole numbers. Whole numbers that do not fit are invalid. */
export function npyDepth(
  bytes: Uint8Array,
  { type, little, width, height }: NpyArray,
): Uint16Array<ArrayBuffer> | Float32Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const [step, at] = [Number(type[1]), VALUES[type]];
  const isFloat = METRES.includes(type);
  const out = isFloat ? new Float32Array(width * height) : new Uint16Array(width * height);
  for (let i = 0, place = 0; i < out.length; i++, place += step) {
    const value = at(view, place, little);
    out[i] = isFloat || (value > 0 && value <= 65535) ? value : 0;
  }
  return out;
}
