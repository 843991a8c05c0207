import { SourceError } from "../../core/source.ts";
import { type Bytes, InflateError } from "../decode/codec.ts";
import { useUnpacked, zstdSize } from "../decode/zstd.ts";
import type { ByteFile } from "./files.ts";
import { openSpool } from "./platform.ts";

const MIB = 2 ** 20;
/**
 * The most bytes that a file may unpack to. The bytes pass through memory on their way to temporary storage; a small file may take less.
 */
const MOST = 1024 * MIB;
const mostOf = (packed: number) => Math.min(MOST, 128 * MIB + 64 * packed);
const PIECE = 4 * MIB;
const advice = "unpack it (zstd -d) and open the unpacked file";

/**
 * Unpacks a file that was compressed by zstd as a whole, as rosbag2 does with `--compression-mode file`, into temporary storage, where it
 * can be read at any position. Closes `file`. Throws a `SourceError` that says what to do where the file is damaged or too large.
 */
export async function openZstd(file: ByteFile): Promise<ByteFile> {
  const most = mostOf(file.size);
  const size = zstdSize(await file.read(0, 32));
  if (size === undefined)
    throw new SourceError(`${file.name}: it is packed by zstd and does not declare its unpacked size; ${advice}`);
  if (file.size > MOST)
    throw new SourceError(
      `${file.name}: it is packed by zstd and has ${Math.ceil(file.size / MIB)} MiB itself, more than the ${MOST / MIB} MiB from which a file is unpacked; ${advice}`,
    );
  if (size > most)
    throw new SourceError(
      `${file.name}: it is packed by zstd and holds ${Math.ceil(size / MIB)} MiB, more than the ${Math.floor(most / MIB)} MiB that may be unpacked; ${advice}`,
    );
  const spool = await openSpool(file.name);
  try {
    const packed = await file.read(0, file.size);
    const kept = await spool.keep((sink) => useUnpacked(packed, size, (bytes) => inPieces(bytes, sink)));
    const unpacked = await kept.open(file.name);
    await file.close();
    return { ...unpacked, packedSize: file.size, close: () => spool.close() };
  } catch (error) {
    await spool.close();
    if (!(error instanceof InflateError)) throw error;
    throw new SourceError(`${file.name}: it is packed by zstd, and ${error.message}; copy it again, or ${advice}`);
  }
}

async function inPieces(bytes: Uint8Array, sink: (piece: Bytes) => Promise<void>): Promise<void> {
  for (let at = 0; at < bytes.length; at += PIECE) await sink(bytes.slice(at, at + PIECE));
}
