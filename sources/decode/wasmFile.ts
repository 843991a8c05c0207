import { SourceError } from "../../core/source.ts";
import type { Bytes } from "./codec.ts";

/** Reads a file of the build, by its URL. Throws a `SourceError` where a page's policy forbids that, or its server lacks the file. */
export async function readOwnFile(address: string): Promise<Bytes> {
  if (import.meta.env.SSR) {
    const { readFile } = await import("node:fs/promises");
    return new Uint8Array(
      await readFile(new URL(address)).catch((error: unknown) => {
        throw new SourceError(`${address} cannot be read (${error}): this file belongs beside Depthloom's`);
      }),
    );
  }
  const answer = await fetch(address).catch((error: unknown) => {
    throw new SourceError(`${address} cannot be fetched (${error}): does connect-src of the page's policy allow it?`);
  });
  if (!answer.ok)
    throw new SourceError(`${address}: the server says ${answer.status}; this file belongs beside Depthloom's`);
  return new Uint8Array(await answer.arrayBuffer());
}
