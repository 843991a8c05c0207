import { unitsOf } from "../../decode/pixels.ts";
import { MAX_PIXELS } from "../../decode/png.ts";
import { SourceError } from "../../source.ts";
import { MAX_NAMES } from "../files/files.ts";

/** What a .npy file says of itself (NumPy's NEP 1), taken for a stack of images. */
export interface NpyArray {
  /** "u2", "f4" …: kind and bytes of a value. */
  readonly type: string;
  readonly little: boolean;
  readonly frames: number;
  readonly height: number;
  readonly width: number;
  /** Where the values begin. */
  readonly start: number;
  readonly bytesOfFrame: number;
}

/** What a header is not longer than. */
export const MAX_HEADER = 1 << 16;
const WHOLE = ["u2", "i2", "u4", "i4", "u8", "i8"];
const METRES = ["f2", "f4", "f8"];

/** Whether an array is a stack of images at all, by its header: two axes or more, of some size. */
export const isMetric = ({ type }: NpyArray): boolean => METRES.includes(type);

/** Reads a header. `head` is the file's beginning. Throws a `SourceError`. */
export function readNpyHeader(head: Uint8Array, where: string): NpyArray {
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const wide = head[6] >= 2;
  const from = wide ? 12 : 10;
  const length = head.length < 12 ? -1 : wide ? view.getUint32(8, true) : view.getUint16(8, true);
  if (length < 0 || from + length > head.length)
    throw new SourceError(`${where}: this NumPy file is cut short; save it again`);
  const text = String.fromCharCode(...head.subarray(from, from + Math.min(length, 4096)));
  const said = /'descr':\s*'([<>|=]?)(\w+)'/.exec(text);
  const shape = /'shape':\s*\(([\d,\s]*)\)/.exec(text)?.[1];
  if (!said || shape === undefined)
    throw new SourceError(`${where}: this NumPy file is damaged: its header does not tell type and shape`);
  const [, order, type] = said;
  if (/'fortran_order':\s*True/.test(text))
    throw new SourceError(`${where}: this NumPy array is in Fortran's order; save numpy.ascontiguousarray of it`);
  if (![...WHOLE, ...METRES].includes(type))
    throw new SourceError(
      `${where}: a NumPy array of "${type}" is no depth; save it as uint16 millimetres or float32 metres`,
    );
  const axes = shape
    .split(",")
    .filter((axis) => axis.trim() !== "")
    .map(Number);
  if (axes.at(-1) === 1 && axes.length > 2) axes.pop();
  const [width = 0, height = 0, frames = 1] = axes.toReversed();
  if (
    axes.length < 2 ||
    axes.length > 3 ||
    !(width * height > 0 && width * height <= MAX_PIXELS) ||
    !(frames > 0 && frames <= MAX_NAMES)
  )
    throw new SourceError(
      `${where}: a NumPy array of ${axes.join("×")} is no stack of depth images that can be read; N×H×W and H×W are, of up to 16 megapixels`,
    );
  const bytesOfFrame = width * height * Number(type[1]);
  return { type, little: order !== ">", frames, height, width, start: from + length, bytesOfFrame };
}

/** A frame's depth in units; `bytes` are the frame's. Floats are metres, and what does not fit is invalid. */
export function npyDepth(
  bytes: Uint8Array,
  { type, little, width, height }: NpyArray,
  metresPerUnit: number,
): Uint16Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const step = Number(type[1]);
  const at: (place: number) => number = {
    u2: (place: number) => view.getUint16(place, little),
    i2: (place: number) => view.getInt16(place, little),
    u4: (place: number) => view.getUint32(place, little),
    i4: (place: number) => view.getInt32(place, little),
    u8: (place: number) => Number(view.getBigUint64(place, little)),
    i8: (place: number) => Number(view.getBigInt64(place, little)),
    f2: (place: number) => unitsOf(half(view.getUint16(place, little)), metresPerUnit),
    f4: (place: number) => unitsOf(view.getFloat32(place, little), metresPerUnit),
    f8: (place: number) => unitsOf(view.getFloat64(place, little), metresPerUnit),
  }[type as "u2"];
  const out = new Uint16Array(width * height);
  for (let i = 0, place = 0; i < out.length; i++, place += step) {
    const value = at(place);
    out[i] = value > 0 && value <= 65535 ? value : 0;
  }
  return out;
}

/** A float of 16 bits; its infinities and NaN are NaN. */
function half(bits: number): number {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const size =
    exponent === 0 ? fraction / 2 ** 24 : exponent === 31 ? Number.NaN : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}
