import type { ParseBudget } from "../../../../core/parseBudget.ts";
import { SourceError } from "../../../../core/source.ts";
import { InflateError } from "../../../decode/codec.ts";
import { loadUnpacker } from "../../../decode/unpack.ts";
import { isZstd, zstdSize } from "../../../decode/zstd.ts";

/**
 * Unpacks a message where the bag was recorded with messages compressed by zstd (a plain CDR message begins with 0). `budget` pays for it.
 * Throws a `SourceError`.
 */
export async function unpacked(data: Uint8Array, where: string, budget?: ParseBudget): Promise<Uint8Array> {
  if (!isZstd(data)) return data;
  const unpack = await loadUnpacker("zstd");
  const size = zstdSize(data);
  if (!unpack || size === undefined)
    throw new SourceError(
      `${where}: it is compressed and does not declare its size; decompress it with "ros2 bag convert"`,
    );
  budget?.spend(size);
  try {
    return unpack(data, size);
  } catch (error) {
    if (!(error instanceof InflateError)) throw error;
    throw new SourceError(`${where}: ${error.message}; copy or record it again`);
  }
}
