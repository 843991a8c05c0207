import { InflateError } from "../../decode/codec.ts";
import { loadUnpacker } from "../../decode/unpack.ts";
import { SourceError } from "../../source.ts";

/** Zstandard's frames begin so (RFC 8878); a message in CDR begins with 0. */
const isPacked = ([a, b, c, d]: Uint8Array): boolean => a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd;

/** A message, unpacked where the bag was recorded with messages packed by zstd. Throws a `SourceError`. */
export async function unpacked(data: Uint8Array, where: string): Promise<Uint8Array> {
  if (!isPacked(data)) return data;
  const unpack = await loadUnpacker("zstd");
  const size = sizeOf(data);
  if (!unpack || size === undefined)
    throw new SourceError(
      `${where}: it is packed and does not say how long it is; decompress it with "ros2 bag convert"`,
    );
  try {
    return unpack(data, size);
  } catch (error) {
    if (!(error instanceof InflateError)) throw error;
    throw new SourceError(`${where}: ${error.message}; copy or record it again`);
  }
}

/** What a frame says that it holds, if it does: the field's width is in the top bits of the fifth byte. */
function sizeOf(data: Uint8Array): number | undefined {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const flags = data[4];
  const single = (flags & 0x20) !== 0;
  const at = 5 + (single ? 0 : 1) + [0, 1, 2, 4][flags & 3];
  if (at + 8 > data.length) return undefined;
  if (flags >> 6 === 3) return Number(view.getBigUint64(at, true));
  if (flags >> 6 === 2) return view.getUint32(at, true);
  if (flags >> 6 === 1) return 256 + view.getUint16(at, true);
  return single ? data[at] : undefined;
}
