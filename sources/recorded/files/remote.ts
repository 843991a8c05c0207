import { SourceError } from "../../core/source.ts";
import type { Bytes } from "../../decode/codec.ts";
import { readAhead } from "./ahead.ts";
import type { ByteFile } from "./files.ts";
import { httpRanges } from "./http.ts";
import { noteRead } from "./progress.ts";
import type { Ranges } from "./ranges.ts";

const SCHEMES = /^(https?|s3):\/\//i;

/** Whether a text is the address of a file that is read by ranges, over HTTP or from S3. */
export const isRemote = (input: string): boolean => SCHEMES.test(input);

/** Asks for a file at an address. Throws a `SourceError` where it is not there, or cannot be read by ranges. */
export async function rangesAt(address: string): Promise<Ranges> {
  if (/^s3:/i.test(address)) return (await import("./s3.ts")).s3Ranges(address);
  return httpRanges(address);
}

/** Requests of fewer bytes cost as much: reading in small steps asks for this much at once. */
const LEAST = 1 << 16;

/** Opens the file at an address for reading at any position. */
export async function openRemoteFile(address: string): Promise<ByteFile> {
  const { name, size, read } = await rangesAt(address);
  const ahead = readAhead(async (start, end) => {
    const bytes = await read(start, end);
    if (bytes.length !== end - start)
      throw new SourceError(`${name}: ${bytes.length} of ${end - start} bytes came; try again`);
    noteRead(bytes.length);
    return bytes;
  }, size);
  let block: { readonly start: number; readonly bytes: Bytes } | undefined;
  return {
    name,
    size,
    async read(offset, length) {
      const [start, end] = [Math.max(0, offset), Math.min(size, offset + length)];
      if (offset < 0 || end <= start) return new Uint8Array();
      if (end - start >= LEAST) return ahead(start, end);
      if (!block || start < block.start || end > block.start + block.bytes.length) {
        block = { start, bytes: await ahead(start, Math.min(size, start + LEAST)) };
      }
      return block.bytes.slice(start - block.start, end - block.start);
    },
    close: async () => {},
  };
}
