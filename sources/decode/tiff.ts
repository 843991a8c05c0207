import { SourceError } from "../source.ts";
import { type Bytes, InflateError } from "./codec.ts";
import { unpackLzw } from "./lzw.ts";
import { loadCodec } from "./platform.ts";
import { MAX_PIXELS } from "./png.ts";

/** A depth image as it is stored: whole units, or metres. */
export interface DepthPlane {
  readonly width: number;
  readonly height: number;
  readonly data: Uint16Array | Float32Array;
}

interface Layout {
  readonly width: number;
  readonly height: number;
  readonly bits: number;
  readonly float: boolean;
  readonly compression: number;
  readonly predictor: number;
  /** Of a strip or a tile. */
  readonly partWidth: number;
  readonly partHeight: number;
  readonly offsets: readonly number[];
  readonly counts: readonly number[];
}

/** LZW's longest entry in its widest code; deflate packs less. */
const MOST_PIXELS_A_BYTE = 1400;
const ADVICE = "save it as 16-bit grey or 32-bit float, uncompressed, LZW or deflate";

/**
 * Decodes a TIFF of one channel: whole numbers of 16 or 32 bits or floats of 32 or 64, in strips or tiles. The package `tiff` reads
 * what the file says of itself; the image is unpacked here, since it has no bound there. Throws a `SourceError`.
 */
export async function decodeTiff(bytes: Bytes, where: string): Promise<DepthPlane> {
  const little = bytes[0] === 0x49;
  const layout = await readLayout(bytes, where);
  const { width, height, partWidth, partHeight, bits, float } = layout;
  const size = bits / 8;
  const data = float ? new Float32Array(width * height) : new Uint16Array(width * height);
  const valueAt = (view: DataView, at: number, small: boolean): number => {
    if (float) return bits === 64 ? view.getFloat64(at, small) : view.getFloat32(at, small);
    const value = bits === 32 ? view.getUint32(at, small) : view.getUint16(at, small);
    return value > 65535 ? 0 : value;
  };
  const across = Math.ceil(width / partWidth);
  for (let y = 0, i = 0; y < height; y += partHeight) {
    for (let x = 0; x < across * partWidth; x += partWidth, i++) {
      const rows = layout.partWidth === width ? Math.min(partHeight, height - y) : partHeight;
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

async function readLayout(bytes: Bytes, where: string): Promise<Layout> {
  const { decode } = await import("tiff");
  try {
    const [page] = decode(bytes, { ignoreImageData: true, pages: [0] });
    const { width, height, tiled } = page;
    const [bits, format] = [first(page.bitsPerSample), first(page.sampleFormat ?? 1)];
    if (!(Number.isInteger(width * height) && width * height > 0 && width * height <= MAX_PIXELS)) {
      throw new SourceError(
        `${where}: this TIFF says it is ${width}×${height}; more than 16 megapixels, or none, are refused`,
      );
    }
    if (width * height > MOST_PIXELS_A_BYTE * bytes.length) throw new RangeError("it is cut short");
    const float = format === 3;
    const depth = bits === 32 || bits === (float ? 64 : 16);
    if (!depth || page.samplesPerPixel > 1)
      throw new SourceError(
        `${where}: this TIFF has ${page.samplesPerPixel ?? 1} × ${bits} bits a pixel, which is no depth; ${ADVICE}`,
      );
    const [compression, predictor] = [page.compression ?? 1, page.predictor ?? 1];
    if (
      ![1, 5, 8, 32946].includes(compression) ||
      !(predictor === 1 || (predictor === 2 && bits < 64) || (predictor === 3 && float))
    )
      throw new SourceError(`${where}: this TIFF is compressed in a way that is not read (${compression}); ${ADVICE}`);
    const partHeight = (tiled ? page.tileHeight : Math.min(page.rowsPerStrip ?? height, height)) ?? 0;
    const partWidth = (tiled ? page.tileWidth : width) ?? 0;
    const [offsets, counts] = tiled
      ? [page.tileOffsets, page.tileByteCounts]
      : [page.stripOffsets, page.stripByteCounts];
    if (!(partWidth > 0 && partHeight > 0 && partWidth * partHeight <= MAX_PIXELS && partWidth <= 4 * width + 4096))
      throw new SourceError(`${where}: this TIFF is damaged: its parts are ${partWidth}×${partHeight}; copy it again`);
    return {
      width,
      height,
      bits,
      float,
      compression,
      predictor,
      partWidth,
      partHeight,
      offsets: list(offsets),
      counts: list(counts),
    };
  } catch (error) {
    if (error instanceof SourceError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new SourceError(`${where}: this TIFF is damaged: ${reason}; copy or export it again`);
  }
}

/** A tag of one value is a number, else a list of some kind. */
const list = (value: unknown): number[] =>
  typeof value === "number"
    ? [value]
    : Array.isArray(value) || ArrayBuffer.isView(value)
      ? Array.from(value as number[])
      : [];
const first = (value: unknown): number => list(value)[0] ?? 1;

async function unpackPart(bytes: Bytes, layout: Layout, index: number, size: number, where: string): Promise<Bytes> {
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
  try {
    return await (await loadCodec()).inflate("zlib", packed, size);
  } catch (error) {
    if (error instanceof InflateError) throw cut();
    throw error;
  }
}

/** Undoes the predictor of a row: differences of neighbours; of floats (3) byte by byte, the high bytes of all first. */
function undo(row: Uint8Array, { predictor, bits }: Layout, little: boolean): void {
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
