import { retold } from "../../../core/caught.ts";
import { ParseBudget } from "../../../core/parseBudget.ts";
import { SourceError } from "../../../core/source.ts";
import { type Bytes, InflateError } from "../codec.ts";
import { halfOf } from "../half.ts";
import { loadCodec } from "../platform.ts";
import type { DepthPlane } from "../tiff.ts";
import { bytesOf, type Channel, depthChannels } from "./channels.ts";
import { type Header, readHeader } from "./header.ts";
import { unpackPiz } from "./piz.ts";

/** The most bytes of an unpacked block: 32 rows of 4096 pixels with 30 float channels are 16 MiB. */
const MAX_BLOCK = 64 * 2 ** 20;
/** The cost of a block: for each of its bytes, since its predictor or wavelet takes longer than unpacking, and for the block itself. */
const BYTE = 2;
const BLOCK = 4096;
/** The most bytes that any of the compressions packs into one. */
const DENSEST = 1040;

/**
 * Decodes the depth of an OpenEXR file of scan lines, in the unit of its numbers (mostly metres). The channel's name decides which one is
 * depth (`depthChannels`). It may hold half or single floats or whole numbers, uncompressed or compressed by RLE, ZIP or PIZ. Throws a
 * `SourceError` that begins with `where` for a file without depth, of more than 16 megapixels, cut short or damaged, and for tiles, several
 * parts and other compressions.
 *
 * (Own code, since Three.js' EXRLoader cannot read a single channel among others, treats depth as colour, and trusts every size in the
 * file. Tests compare the two.)
 */
export async function decodeExr(bytes: Bytes, where: string): Promise<DepthPlane> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const isHow = (how: string) => new SourceError(`${where}: this OpenEXR file is ${how}; copy or export it again`);
  return read(bytes, view, where)
    .catch(retold(InflateError, ({ message }) => isHow(`damaged: ${message}`)))
    .catch(retold(RangeError, () => isHow("cut short or damaged"))); // the header read past the end of the file
}

async function read(bytes: Bytes, view: DataView, where: string): Promise<DepthPlane> {
  const header = readHeader(bytes, view, where);
  const { width, height, top, rows, channels, end } = header;
  const chosen = depthChannels(channels);
  if (typeof chosen === "string") throw new SourceError(`${where}: in this OpenEXR file ${chosen}`);
  if (width * height > DENSEST * bytes.length) throw new RangeError();
  const starts = startsOf(channels, width);
  const rowBytes = starts[channels.length];
  if (rows * rowBytes > MAX_BLOCK)
    throw new SourceError(
      `${where}: a block of this OpenEXR file has ${rows * rowBytes} bytes, more than the 64 MiB that are read; save it with its channel of depth alone`,
    );

  const data = new Float32Array(width * height);
  let [isAlone, isGrey] = [true, true];
  const budget = new ParseBudget(where, bytes.length);
  // Blocks may not share bytes; otherwise a small file could name one block for each row of a large image.
  let left = bytes.length;
  for (let y = 0, block = 0; y < height; y += rows, block++) {
    const at = Number(view.getBigUint64(end + 8 * block, true));
    if (at > bytes.length - 8) throw new RangeError();
    const [row, size] = [view.getInt32(at, true) - top, view.getInt32(at + 4, true)];
    left -= 8 + size;
    if (row !== y || size < 0 || left < 0 || at + 8 + size > bytes.length) throw new RangeError();
    const count = Math.min(rows, height - y);
    budget.spend(BYTE * count * rowBytes + BLOCK);
    const raw = await unpackBlock(bytes.slice(at + 8, at + 8 + size), header, count, count * rowBytes);
    const part = new DataView(raw.buffer, raw.byteOffset, raw.length);
    for (let i = 0; i < count; i++) {
      for (let x = 0; x < width; x++) {
        const value = sampleAt(part, i * rowBytes, x, channels, starts, chosen[0]);
        for (let other = 1; other < chosen.length; other++) {
          const beside = sampleAt(part, i * rowBytes, x, channels, starts, chosen[other]);
          // Unity's depth is R alone: G and B are 0 in all of the image.
          isAlone &&= beside === 0;
          isGrey &&= Object.is(value, beside);
          if (!isAlone && !isGrey) throw colored(where);
        }
        data[(y + i) * width + x] = value;
      }
    }
  }
  return { width, height, data };
}

const colored = (where: string) =>
  new SourceError(
    `${where}: in this OpenEXR file the channels R, G and B differ, so they are colour or normals, not depth; save depth in a channel named Z`,
  );

/** The offset of each channel's samples in a row, and the row's length. */
function startsOf(channels: Header["channels"], width: number): number[] {
  const starts = [0];
  for (const channel of channels) starts.push(starts[starts.length - 1] + width * bytesOf(channel));
  return starts;
}

function sampleAt(
  view: DataView,
  row: number,
  x: number,
  channels: readonly Channel[],
  starts: readonly number[],
  which: number,
): number {
  const { type } = channels[which];
  const start = row + starts[which];
  if (type === 2) return view.getFloat32(start + 4 * x, true);
  return type === 0 ? view.getUint32(start + 4 * x, true) : halfOf(view.getUint16(start + 2 * x, true));
}

/** Unpacks a block of `height` rows to `size` bytes. Throws an `InflateError`. */
async function unpackBlock(packed: Bytes, header: Header, height: number, size: number): Promise<Bytes> {
  const { compression, channels, width } = header;
  // A block that compression would not make smaller is stored uncompressed.
  if (compression === "none" || packed.length === size) {
    if (packed.length !== size) throw InflateError.cut();
    return packed;
  }
  if (compression === "PIZ") return unpackPiz(packed, channels, width, height);
  const mixed =
    compression === "RLE" ? unpackRle(packed, size) : await (await loadCodec()).inflate("zlib", packed, size);
  for (let i = 1; i < size; i++) mixed[i] += mixed[i - 1] - 128;
  // The even bytes are stored first, then the odd ones.
  const half = (size + 1) >> 1;
  const out = new Uint8Array(size);
  for (let i = 0; i < size; i++) out[i] = mixed[(i >> 1) + (i & 1 ? half : 0)];
  return out;
}

/** Undoes run-length encoding. A count n below 0 is followed by -n literal bytes; any other n by a byte that is repeated n + 1 times. */
function unpackRle(packed: Bytes, size: number): Bytes {
  const out = new Uint8Array(size);
  let to = 0;
  for (let at = 0; at < packed.length; ) {
    const count = (packed[at++] << 24) >> 24;
    const length = count < 0 ? -count : count + 1;
    if (to + length > size) throw InflateError.damaged();
    if (count < 0) out.set(packed.subarray(at, at + length), to);
    else out.fill(packed[at], to, to + length);
    at += count < 0 ? length : 1;
    to += length;
  }
  if (to !== size) throw InflateError.cut();
  return out;
}
