import { messageOf, retold } from "../../core/caught.ts";
import { ParseBudget } from "../../core/parseBudget.ts";
import { SourceError } from "../../core/source.ts";
import { type Bytes, InflateError } from "./codec.ts";
import { halfOf } from "./half.ts";
import { unpackLzw } from "./lzw.ts";
import { loadCodec } from "./platform.ts";
import { checkSize, MAX_PIXELS } from "./png.ts";
import { tiffPages, tiffTags } from "./tiffTags.ts";

/** A depth image as stored: in whole units, or in metres. */
export interface DepthPlane {
  readonly width: number;
  readonly height: number;
  readonly data: Uint16Array<ArrayBuffer> | Float32Array<ArrayBuffer>;
}

interface TiffLayout {
  readonly width: number;
  readonly height: number;
  readonly bits: number;
  readonly float: boolean;
  readonly signed: boolean;
  readonly compression: number;
  readonly predictor: number;
  /** The size of a strip or a tile. */
  readonly partWidth: number;
  readonly partHeight: number;
  readonly offsets: readonly number[];
  readonly counts: readonly number[];
}

/** The cost of a strip or a tile besides its bytes. */
const PART = 4096;
/** The most pixels per byte: LZW's longest entry in its widest code; deflate packs less. */
const MOST_PIXELS_A_BYTE = 1400;
const ADVICE = "save it as 16-bit grey or 32-bit float, uncompressed, LZW or deflate";

/**
 * Decodes a TIFF of one channel with 16- or 32-bit whole numbers or 16-, 32- or 64-bit floats, in strips or tiles; if it has several
 * images, the one with this number in `depthPages`. Throws a `SourceError`.
 */
export async function decodeTiff(bytes: Bytes, where: string, page = 0): Promise<DepthPlane> {
  const little = bytes[0] === 0x49;
  const layout = readLayout(bytes, where, page === 0 ? undefined : depthPages(bytes)[page]);
  const budget = new ParseBudget(where, bytes.length);
  const { width, height, partWidth, partHeight, bits, float, signed } = layout;
  const size = bits / 8;
  const data = float ? new Float32Array(width * height) : new Uint16Array(width * height);
  const valueAt = (view: DataView, at: number, small: boolean): number => {
    if (float && bits === 16) return halfOf(view.getUint16(at, small));
    if (float) return bits === 64 ? view.getFloat64(at, small) : view.getFloat32(at, small);
    const value = bits === 32 ? view.getUint32(at, small) : view.getUint16(at, small);
    // A number below 0 is no measurement.
    return value > (signed && bits === 16 ? 32767 : 65535) ? 0 : value;
  };
  const across = Math.ceil(width / partWidth);
  for (let y = 0, i = 0; y < height; y += partHeight) {
    for (let x = 0; x < across * partWidth; x += partWidth, i++) {
      const rows = layout.partWidth === width ? Math.min(partHeight, height - y) : partHeight;
      // Several parts may name the same bytes of the file, so each part spends effort.
      budget.spend(rows * partWidth * size + Math.min(layout.counts[i] ?? 0, bytes.length) + PART);
      const part = await unpackPart(bytes, layout, i, rows * partWidth * size, where);
      const view = new DataView(part.buffer, part.byteOffset, part.length);
      for (let row = 0; row < Math.min(rows, height - y); row++) {
        undo(part.subarray(row * partWidth * size, (row + 1) * partWidth * size), layout, little);
        const planar = layout.predictor === 3;
        for (let column = 0; column < Math.min(partWidth, width - x); column++) {
          const at = (row * partWidth + column) * size;
          const to = (y + row) * width + x + column;
          data[to] = valueAt(view, at, little && !planar);
        }
      }
    }
  }
  return { width, height, data };
}

/** The tags for an image's layout (TIFF 6.0, sections 8, 14 and 15), and the defaults of missing ones. */
const TAG = {
  subfile: 254,
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  stripOffsets: 273,
  samples: 277,
  rowsPerStrip: 278,
  stripCounts: 279,
  predictor: 317,
  tileWidth: 322,
  tileHeight: 323,
  tileOffsets: 324,
  tileCounts: 325,
  format: 339,
} as const;

/** The directories of the images that are frames: those of the first one's size that are not marked as a smaller copy. */
export function depthPages(bytes: Uint8Array): readonly number[] {
  const [first, ...more] = tiffPages(bytes);
  const shapeOf = (directory: number): string => {
    try {
      const tags = tiffTags(bytes, directory);
      const isCopy = ((tags(TAG.subfile)[0] ?? 0) & 1) === 1;
      return isCopy ? "copy" : [TAG.width, TAG.height, TAG.bits, TAG.format].map((tag) => tags(tag)[0]).join();
    } catch (error) {
      if (error instanceof RangeError) return "damaged";
      throw error;
    }
  };
  return first === undefined ? [] : [first, ...more.filter((page) => shapeOf(page) === shapeOf(first))];
}

function readLayout(bytes: Bytes, where: string, directory?: number): TiffLayout {
  try {
    if (bytes[bytes[0] === 0x49 ? 2 : 3] === 43)
      throw new SourceError(`${where}: this is a BigTIFF, which is not read; ${ADVICE}`);
    const tags = tiffTags(bytes, directory);
    const one = (tag: number, otherwise: number) => tags(tag)[0] ?? otherwise;
    const [width, height] = [one(TAG.width, 0), one(TAG.height, 0)];
    const [bits, format, samples] = [one(TAG.bits, 1), one(TAG.format, 1), one(TAG.samples, 1)];
    const tiled = tags(TAG.tileOffsets).length > 0;
    checkSize({ width, height }, where, "this TIFF");
    if (width * height > MOST_PIXELS_A_BYTE * bytes.length) throw new RangeError("it is cut short");
    const float = format === 3;
    const depth = bits === 32 || bits === 16 || (float && bits === 64);
    if (!depth || samples > 1)
      throw new SourceError(
        `${where}: this TIFF has ${samples} × ${bits} bits per pixel, which is not depth; ${ADVICE}`,
      );
    const [compression, predictor] = [one(TAG.compression, 1), one(TAG.predictor, 1)];
    if (
      ![1, 5, 8, 32946].includes(compression) ||
      !(predictor === 1 || (predictor === 2 && bits < 64) || (predictor === 3 && float))
    )
      throw new SourceError(`${where}: the compression ${compression} of this TIFF is not supported; ${ADVICE}`);
    const partHeight = tiled ? one(TAG.tileHeight, 0) : Math.min(one(TAG.rowsPerStrip, height), height);
    const partWidth = tiled ? one(TAG.tileWidth, 0) : width;
    if (!(partWidth > 0 && partHeight > 0 && partWidth * partHeight <= MAX_PIXELS && partWidth <= 4 * width + 4096))
      throw new SourceError(`${where}: this TIFF is damaged: its parts are ${partWidth}×${partHeight}; copy it again`);
    const [offsets, counts] = (tiled ? [TAG.tileOffsets, TAG.tileCounts] : [TAG.stripOffsets, TAG.stripCounts]).map(
      tags,
    );
    return {
      width,
      height,
      bits,
      float,
      signed: format === 2,
      compression,
      predictor,
      partWidth,
      partHeight,
      offsets,
      counts,
    };
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw new SourceError(`${where}: this TIFF is damaged: ${messageOf(error)}; copy or export it again`);
  }
}

async function unpackPart(
  bytes: Bytes,
  layout: TiffLayout,
  index: number,
  size: number,
  where: string,
): Promise<Bytes> {
  const [offset, count = size] = [layout.offsets[index], layout.counts[index]];
  const packed = bytes.slice(offset ?? bytes.length, (offset ?? 0) + count);
  const cut = () =>
    new SourceError(`${where}: this TIFF is damaged or cut short, at part ${index}; copy or export it again`);
  if (layout.compression === 1) {
    if (packed.length < size) throw cut();
    return packed.subarray(0, size);
  }
  if (layout.compression === 5) {
    const out = new Uint8Array(size);
    if (unpackLzw(packed, out) !== size) throw cut();
    return out;
  }
  return (await loadCodec()).inflate("zlib", packed, size).catch(retold(InflateError, cut));
}

/**
 * Undoes a row's predictor: differences between neighbours (2), or, for floats (3), between bytes with the high bytes of all values first.
 */
function undo(row: Uint8Array, { predictor, bits }: TiffLayout, little: boolean): void {
  if (predictor === 1) return;
  const size = bits / 8;
  if (predictor === 3) {
    for (let i = 1; i < row.length; i++) row[i] += row[i - 1];
    const planes = row.slice();
    const width = row.length / size;
    for (let i = 0; i < width; i++) for (let k = 0; k < size; k++) row[i * size + k] = planes[k * width + i];
    return;
  }
  const view = new DataView(row.buffer, row.byteOffset, row.length);
  for (let at = size; at < row.length; at += size) {
    if (bits === 16) view.setUint16(at, view.getUint16(at - 2, little) + view.getUint16(at, little), little);
    else view.setUint32(at, view.getUint32(at - 4, little) + view.getUint32(at, little), little);
  }
}
