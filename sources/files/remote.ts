import type { Address } from "../../core/address.ts";
import type { Bytes } from "../decode/codec.ts";
import { readAhead } from "./ahead.ts";
import type { ByteFile } from "./files.ts";
import type { Ranges } from "./ranges.ts";

/**
 * Asks for a file at an address, over HTTP or from S3. Throws a `SourceError` where it is not there, where it cannot be read by ranges, and
 * where its server sends nothing for `stallSeconds` (15).
 */
export async function rangesAt(address: Address, stallSeconds?: number): Promise<Ranges> {
  if (!import.meta.env.SSR) return (await import("./httpWeb.ts")).fetchRanges(address, stallSeconds);
  if (/^s3:/i.test(address.whole)) return (await import("./s3.ts")).s3Ranges(address.whole, stallSeconds);
  return (await import("./http.ts")).httpRanges(address, stallSeconds);
}

/** Requests of fewer bytes cost as much: reading in small steps asks for this much at once. */
const LEAST = 1 << 16;

/** Opens the file at an address for reading at any position. */
export async function openRemoteFile(address: Address, stallSeconds?: number): Promise<ByteFile> {
  const { name, size, read } = await rangesAt(address, stallSeconds);
  const ahead = readAhead(read, size);
  let block: { readonly start: number; readonly bytes: Bytes } | undefined;
  return {
    name,
    size,
    async read(offset, length) {
      const [start, end] = [Math.max(0, offset), Math.min(size, offset + length)];
      if (offset < 0 || end <= start) return new Uint8Array();
      if (end - start >= LEAST) return ahead(start, end);
      if (!block || start < block.start || end > block.start + block.bytes.length)
        block = { start, bytes: await ahead(start, Math.min(size, start + LEAST)) };
      return block.bytes.slice(start - block.start, end - block.start);
    },
    close: async () => {},
  };
}
