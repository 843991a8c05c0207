import { SourceError } from "../../core/source.ts";
import type { Bytes } from "./codec.ts";
import { isMoreColor, moreColorBytes, moreColorOf, writeYuv } from "./moreColor.ts";
import { checkSize, type DecodedColor, type DecodedDepth } from "./png.ts";

/** An uncompressed image as cameras and robots send it: rows of pixels, perhaps with padding behind each row. */
export interface RawImage {
  readonly width: number;
  readonly height: number;
  /** ROS' name for the pixel format, in lower case: "16uc1", "rgb8". */
  readonly encoding: string;
  /** The bytes from one row to the next. */
  readonly step: number;
  readonly bigEndian: boolean;
  readonly data: Uint8Array;
}

/**
 * The bytes from one row to the next; if a publisher names too few, and the data are as long as rows without padding, the length of such a
 * row.
 */
function stepOf({ width, height, step: said, data }: RawImage, pixelBytes: number, where: string): number {
  checkSize({ width, height }, where);
  const row = width * pixelBytes;
  const step = said < row && data.length === row * height ? row : said;
  const needed = step * (height - 1) + row;
  if (!Number.isInteger(step) || step < row || data.length < needed)
    throw new SourceError(
      `${where}: this image is damaged: ${width}×${height} in rows of ${step} bytes need ${step < row ? `rows of ${row}` : needed}, and it has ${data.length}; copy or record it again`,
    );
  return step;
}

/** How a pixel format of depth is read: its bytes, and whether its values are metres. */
interface DepthLayout {
  readonly bytes: number;
  readonly metric: boolean;
  at(view: DataView, place: number, little: boolean): number;
}

const U16: DepthLayout = { bytes: 2, metric: false, at: (view, place, little) => view.getUint16(place, little) };
const DEPTHS: Readonly<Record<string, DepthLayout>> = {
  "16uc1": U16,
  mono16: U16,
  z16: U16,
  y16: U16,
  "16sc1": { ...U16, at: (view, place, little) => view.getInt16(place, little) },
  "32sc1": { ...U16, bytes: 4, at: (view, place, little) => view.getInt32(place, little) },
  "32fc1": { bytes: 4, metric: true, at: (view, place, little) => view.getFloat32(place, little) },
  "64fc1": { bytes: 8, metric: true, at: (view, place, little) => view.getFloat64(place, little) },
};

/** Whether a pixel format of depth is metres, and not whole units; `undefined` for other formats. */
export const isMetricDepth = (encoding: string): boolean | undefined =>
  Object.hasOwn(DEPTHS, encoding) ? DEPTHS[encoding].metric : undefined;

/**
 * Decodes depth. Whole units stay as they are. Metres become units of `metresPerUnit`; NaN, infinite and negative values become invalid.
 */
export function depthOf(raw: RawImage, metresPerUnit: number, where: string, metresPerFloat = 1): DecodedDepth {
  const layout = DEPTHS[raw.encoding];
  const { bytes, metric, at } = layout;
  const step = stepOf(raw, bytes, where);
  const { width, height, bigEndian } = raw;
  const view = new DataView(raw.data.buffer, raw.data.byteOffset, raw.data.byteLength);
  const data = new Uint16Array(width * height);
  if (layout === U16 && !bigEndian) {
    const rows = new Uint8Array(data.buffer);
    for (let y = 0; y < height; y++) rows.set(raw.data.subarray(y * step, y * step + 2 * width), 2 * width * y);
    return { width, height, data };
  }
  const scale = metric ? metresPerUnit / metresPerFloat : 1;
  for (let y = 0, i = 0; y < height; y++)
    for (let x = 0, place = y * step; x < width; x++, i++, place += bytes)
      data[i] = unitsOf(at(view, place, !bigEndian), scale);
  return { width, height, data };
}

/** Converts metres to units; 0 for no measurement and for values that do not fit. */
export function unitsOf(metres: number, metresPerUnit: number): number {
  const units = Math.round(metres / metresPerUnit);
  return units > 0 && units <= 65535 ? units : 0;
}

/** The farthest depth in metres that fits into 16 bits of millimetres. */
const FARTHEST = 65.535;
/** Floats are not metres if the share NEARLY_ALL of an image's values is beyond FARTHEST; at most LOOKED_AT values are looked at. */
const NEARLY_ALL = 0.95;
const LOOKED_AT = 10_000;

/**
 * The likely unit, in metres, of the `count` floats of an image, where nearly all make no sense as metres: millimetres, or centimetres.
 * `undefined` where they can be metres. `at` gives a float.
 */
export function likelyUnit(count: number, at: (index: number) => number): number | undefined {
  const step = Math.max(1, Math.ceil(count / LOOKED_AT));
  const found: number[] = [];
  for (let i = 0; i < count; i += step) {
    const value = at(i);
    if (value > 0 && value < Number.POSITIVE_INFINITY) found.push(value);
  }
  const beyond = found.filter((value) => value > FARTHEST).length;
  if (found.length === 0 || beyond < NEARLY_ALL * found.length) return undefined;
  return found.sort((a, b) => a - b)[found.length >> 1] > 400 ? 0.001 : 0.01;
}

/** Whether floats are shares of a farthest distance that nothing tells: all from 0 to 1, and the largest exactly 1. */
export function isShares(count: number, at: (index: number) => number): boolean {
  let most = 0;
  for (let i = 0; i < count; i++) {
    const value = at(i);
    if (value > 1 && value < Number.POSITIVE_INFINITY) return false;
    if (value > most && value <= 1) most = value;
  }
  return most === 1;
}

/** The warning about floats of which all are shares. */
export const shares = (where: string): string =>
  `${where}: its floats go from 0 to exactly 1, as depth does that is a share of the farthest distance; they are taken as metres, and nothing is right if they are shares: multiply them by that distance and save them again`;

/** Where a value lies in an uncompressed image; `undefined` for an image whose rows are not whole, or that is no depth. */
function placesIn({ width, height, step, data, encoding }: RawImage) {
  const { bytes, at } = DEPTHS[encoding] ?? U16;
  if (!(step >= bytes * width) || data.length < step * (height - 1) + bytes * width) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return (i: number, little: boolean) => at(view, Math.floor(i / width) * step + bytes * (i % width), little);
}

/** In the right order of bytes the steps between neighbours are smaller than this share of those in the other order. */
const SMOOTHER = 1 / 8;
/** Half of the depths exceed this, in whole units, and the high bytes take at least so many values; depth of 8 bits does neither. */
const NEAR = 256;
const HIGH_BYTES = 3;
/** The fewest pairs of neighbours that tell the order of bytes. */
const FEWEST = 500;

/** Whether an image's values are noise in the order of bytes that it says, and a picture in the other one. */
export function isSwapped(raw: RawImage): boolean {
  const { encoding, width, height, bigEndian } = raw;
  const at = isMetricDepth(encoding) === undefined ? undefined : placesIn(raw);
  if (!at) return false;
  const every = Math.max(1, Math.ceil((width * height) / LOOKED_AT));
  const { metric } = DEPTHS[encoding];
  const [said, other] = [!bigEndian, bigEndian].map((little) => {
    const values: number[] = [];
    let [steps, pairs, sound, all] = [0, 0, 0, 0];
    for (let i = 0; i + 1 < width * height; i += every) {
      const [a, b] = [at(i, little), at(i + 1, little)];
      if (a !== 0 && !Number.isNaN(a) && ++all && a > 1e-3 && a < 1e5) sound++;
      if (a === 0 || b === 0 || (i + 1) % width === 0) continue;
      values.push(a);
      steps += Math.abs(a - b);
      pairs++;
    }
    const high = new Set(values.map((value) => value >> 8)).size;
    const median = values.sort((a, b) => a - b)[values.length >> 1];
    return { median, high, step: steps / pairs, sound: sound / all, pairs };
  });
  if (!(said.pairs > FEWEST)) return false;
  if (metric) return said.sound < 0.1 && other.sound > 0.9;
  return other.step < SMOOTHER * said.step && other.median > NEAR && other.high >= HIGH_BYTES;
}

/** The likely unit of an uncompressed image; `undefined` also for an image without floats. */
export function likelyUnitOf(raw: RawImage): number | undefined {
  const at = isMetricDepth(raw.encoding) ? placesIn(raw) : undefined;
  return at && likelyUnit(raw.width * raw.height, (i) => at(i, !raw.bigEndian));
}

/** Whether the floats of an uncompressed image are shares. */
export function hasShares(raw: RawImage): boolean {
  const at = isMetricDepth(raw.encoding) ? placesIn(raw) : undefined;
  return at !== undefined && isShares(raw.width * raw.height, (i) => at(i, !raw.bigEndian));
}

/** The warning about floats whose unit is stated nowhere and probably is not the metre. */
export const lostFloats = (likely: number, where: string): string =>
  `${where}: nearly all of its depth is out of range as metres, in which floats are taken, beyond ${FARTHEST} m; the unit is likely ${likely === 0.001 ? "millimetres" : "centimetres"}: give it (metresPerUnit ${likely})`;

/**
 * Makes the function that gives decoded depth in units. Floats are metres, or of the unit that is known; one warning says where nearly
 * all are lost.
 */
export function unitReader(
  { metresPerUnit, metresPerFloat }: { readonly metresPerUnit: number; readonly metresPerFloat: number },
  where: string,
  warnings: string[],
): (data: Uint16Array | Float32Array) => Uint16Array {
  let told = metresPerFloat !== 1 || metresPerUnit > 0.001;
  let isFirst = true;
  return (data) => {
    if (data instanceof Uint16Array) return data;
    if (isFirst && isShares(data.length, (i) => data[i])) warnings.push(shares(where));
    isFirst = false;
    const likely = told ? undefined : likelyUnit(data.length, (i) => data[i]);
    if (likely !== undefined) {
      warnings.push(lostFloats(likely, where));
      told = true;
    }
    const units = new Uint16Array(data.length);
    // One by one: `Uint16Array.from` makes a list of all values first.
    for (let i = 0; i < units.length; i++) units[i] = unitsOf(data[i] * metresPerFloat, metresPerUnit);
    return units;
  };
}

/** The positions of red, green and blue in a pixel, and the pixel's number of bytes. */
const LAYOUTS: Readonly<Record<string, readonly [red: number, green: number, blue: number, bytes: number]>> = {
  rgb8: [0, 1, 2, 3],
  bgr8: [2, 1, 0, 3],
  "8uc3": [2, 1, 0, 3],
  rgba8: [0, 1, 2, 4],
  bgra8: [2, 1, 0, 4],
  bgrx8: [2, 1, 0, 4],
  "8uc4": [2, 1, 0, 4],
  mono8: [0, 0, 0, 1],
  "8uc1": [0, 0, 0, 1],
};

/** The positions of the two luma and the two chroma values in a pair of pixels. */
const PAIRS: Readonly<Record<string, readonly [y0: number, u: number, y1: number, v: number]>> = {
  yuv422: [1, 0, 3, 2],
  uyvy: [1, 0, 3, 2],
  yuv422_yuy2: [0, 1, 2, 3],
  yuyv: [0, 1, 2, 3],
  yuy2: [0, 1, 2, 3],
};

export const isColor = (encoding: string): boolean =>
  Object.hasOwn(LAYOUTS, encoding) || Object.hasOwn(PAIRS, encoding) || isMoreColor(encoding);

/** Decodes colour in any pixel format that `isColor` accepts to RGBA. */
export function colorOf(raw: RawImage, where: string): DecodedColor {
  const { width, height, step, data, encoding } = raw;
  if (isMoreColor(encoding)) {
    checkSize({ width, height }, where);
    const [row, all] = moreColorBytes(raw);
    if (width < 2 || height < 2 || !Number.isInteger(step) || step < row || data.length < all)
      throw new SourceError(
        `${where}: this colour image is damaged: ${encoding} of ${width}×${height} in rows of ${step} bytes needs rows of ${row} and ${all} bytes, and it has ${data.length}; copy or record it again`,
      );
    return { width, height, data: moreColorOf(raw) };
  }
  return Object.hasOwn(PAIRS, raw.encoding) ? colorOfPairs(raw, where) : colorOfPixels(raw, where);
}

/** The bytes of rows of colour without padding; those of an image in planes are its luma's. */
function rowBytes(encoding: string, width: number): number {
  if (Object.hasOwn(LAYOUTS, encoding)) return width * LAYOUTS[encoding][3];
  return Object.hasOwn(PAIRS, encoding) ? 2 * width : width;
}

/** Decodes colour of 8 bits a channel whose rows have no padding to RGBA. */
export const packedColor = (encoding: string, data: Uint8Array, width: number, height: number, where: string): Bytes =>
  colorOf({ width, height, encoding, step: rowBytes(encoding, width), bigEndian: false, data }, where).data;

function colorOfPixels(raw: RawImage, where: string): DecodedColor {
  const [red, green, blue, bytes] = LAYOUTS[raw.encoding];
  const step = stepOf(raw, bytes, where);
  const { width, height, data } = raw;
  const words = new Uint32Array(width * height);
  const hasAlpha = bytes === 4 && raw.encoding !== "bgrx8";
  let most = 0;
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0, at = y * step; x < width; x++, i++, at += bytes) {
      const alpha = hasAlpha ? data[at + 3] : 255;
      most |= alpha;
      words[i] = data[at + red] | (data[at + green] << 8) | (data[at + blue] << 16) | (alpha << 24);
    }
  }
  // Some drivers leave the fourth byte 0 in every pixel: such an image is opaque.
  if (most === 0) for (let i = 0; i < words.length; i++) words[i] |= 0xff000000;
  return { width, height, data: new Uint8Array(words.buffer) };
}

/** Decodes two pixels from four bytes, with a luma each and shared chroma. */
function colorOfPairs(raw: RawImage, where: string): DecodedColor {
  const [y0, u, y1, v] = PAIRS[raw.encoding];
  if (raw.width % 2 === 1) throw new SourceError(`${where}: an image in ${raw.encoding} has an even width`);
  const step = stepOf(raw, 2, where);
  const { width, height, data } = raw;
  const pixels = new Uint8ClampedArray(width * height * 4);
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0, at = y * step; x < width; x += 2, at += 4) {
      const [cb, cr] = [data[at + u] - 128, data[at + v] - 128];
      for (const place of [at + y0, at + y1]) i = writeYuv(pixels, i, data[place], cb, cr);
    }
  }
  return { width, height, data: new Uint8Array(pixels.buffer) };
}
