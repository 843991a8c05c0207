/** The properties of an uncompressed image that decoding needs. */
interface Rows {
  readonly width: number;
  readonly height: number;
  /** The bytes from one row to the next. */
  readonly step: number;
  readonly encoding: string;
  readonly bigEndian: boolean;
  readonly data: Uint8Array;
}

/** Layouts of planes behind the luma of two by two pixels: whether chroma is interleaved, and whether blue's comes first. */
const PLANES: Readonly<Record<string, readonly [interleaved: boolean, blueFirst: boolean]>> = {
  nv12: [true, true],
  nv21: [true, false],
  i420: [false, true],
  yuv420p: [false, true],
  yv12: [false, false],
};

/** The channels of pixels of 16 bits a channel. */
const WIDE: Readonly<Record<string, readonly [red: number, green: number, blue: number, channels: number]>> = {
  rgb16: [0, 1, 2, 3],
  bgr16: [2, 1, 0, 3],
  "16uc3": [2, 1, 0, 3],
  rgba16: [0, 1, 2, 4],
  bgra16: [2, 1, 0, 4],
  "16uc4": [2, 1, 0, 4],
};

/** The channels of the four pixels of a Bayer mosaic, by ROS' names. */
const MOSAIC = /^bayer_(rggb|bggr|gbrg|grbg)(8|16)$/;

/** Whether an encoding is one of planes, of 16 bits a channel, or a Bayer mosaic. */
export const isMoreColor = (encoding: string): boolean =>
  Object.hasOwn(PLANES, encoding) || Object.hasOwn(WIDE, encoding) || MOSAIC.test(encoding);

/** The bytes that an image of such an encoding takes: those of its first row, and of all. */
export function moreColorBytes({ width, height, encoding, step }: Rows): readonly [row: number, all: number] {
  if (Object.hasOwn(PLANES, encoding)) return [width, step * (height + (height >> 1))];
  const row = Object.hasOwn(WIDE, encoding) ? width * 2 * WIDE[encoding][3] : width * (encoding.endsWith("16") ? 2 : 1);
  return [row, step * (height - 1) + row];
}

/** Decodes such an image, whose data have `moreColorBytes`, to RGBA. */
export function moreColorOf(raw: Rows): Uint8Array<ArrayBuffer> {
  const out = new Uint8ClampedArray(raw.width * raw.height * 4);
  if (Object.hasOwn(PLANES, raw.encoding)) fromPlanes(raw, out);
  else if (Object.hasOwn(WIDE, raw.encoding)) fromWide(raw, out);
  else fromMosaic(raw, out);
  return new Uint8Array(out.buffer);
}

function fromPlanes({ width, height, step, data, encoding }: Rows, out: Uint8ClampedArray): void {
  const [interleaved, blueFirst] = PLANES[encoding];
  const base = step * height;
  const second = interleaved ? 1 : (step >> 1) * (height >> 1);
  for (let y = 0, i = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      // A last row or column of an odd image shares its neighbour's chroma.
      const [u, v] = [Math.min(x >> 1, (width >> 1) - 1), Math.min(y >> 1, (height >> 1) - 1)];
      const at = base + (interleaved ? v * step + 2 * u : v * (step >> 1) + u);
      const [first, other] = [data[at] - 128, data[at + second] - 128];
      const [cb, cr] = blueFirst ? [first, other] : [other, first];
      i = writeYuv(out, i, data[y * step + x], cb, cr);
    }
}

/** Writes a pixel by ITU-R BT.601, range 16 to 235, as cameras send it. Returns the position behind it. */
export function writeYuv(out: Uint8ClampedArray, at: number, luma: number, cb: number, cr: number): number {
  const light = 1.164383 * (luma - 16);
  out[at] = light + 1.596027 * cr;
  out[at + 1] = light - 0.391762 * cb - 0.812968 * cr;
  out[at + 2] = light + 2.017232 * cb;
  out[at + 3] = 255;
  return at + 4;
}

/** The high bytes of 16-bit channels. */
function fromWide({ width, height, step, data, encoding, bigEndian }: Rows, out: Uint8ClampedArray): void {
  const [red, green, blue, channels] = WIDE[encoding];
  const high = bigEndian ? 0 : 1;
  for (let y = 0, i = 0; y < height; y++)
    for (let x = 0, at = y * step + high; x < width; x++, at += 2 * channels) {
      for (const channel of [red, green, blue]) out[i++] = data[at + 2 * channel];
      out[i++] = channels === 4 ? data[at + 6] : 255;
    }
}

/** A pixel keeps the colour that the mosaic gives it; each other colour is the mean of those of the 3 × 3 pixels that have that colour. */
function fromMosaic({ width, height, step, data, encoding, bigEndian }: Rows, out: Uint8ClampedArray): void {
  const [, pattern = "", bits] = MOSAIC.exec(encoding) ?? [];
  const wide = bits === "16";
  const colors = [...pattern].map((letter) => "rgb".indexOf(letter));
  const colorAt = (x: number, y: number) => colors[2 * (y & 1) + (x & 1)];
  const valueAt = (x: number, y: number) => data[y * step + (wide ? 2 * x + Number(!bigEndian) : x)];
  const [sums, counts] = [
    [0, 0, 0],
    [0, 0, 0],
  ];
  for (let y = 0, i = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      sums.fill(0);
      counts.fill(0);
      for (let v = Math.max(0, y - 1); v <= Math.min(height - 1, y + 1); v++)
        for (let u = Math.max(0, x - 1); u <= Math.min(width - 1, x + 1); u++) {
          sums[colorAt(u, v)] += valueAt(u, v);
          counts[colorAt(u, v)]++;
        }
      for (let k = 0; k < 3; k++) out[i++] = k === colorAt(x, y) ? valueAt(x, y) : sums[k] / Math.max(1, counts[k]);
      out[i++] = 255;
    }
}
