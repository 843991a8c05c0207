import { SourceError } from "../../core/source.ts";
import type { Ranges } from "./ranges.ts";

/** How often a request is made that fails for reasons that pass, and the pause before the second try, in ms; it doubles. */
const TRIES = 4;
const PAUSE_MS = 250;

/**
 * A file on a server that answers requests for ranges (RFC 9110, section 14); a presigned address of S3 is one. Only GET is used, since
 * such an address allows nothing else.
 */
export async function httpRanges(address: string): Promise<Ranges> {
  const name = shownUrl(address);
  const ask = (start: number, end: number, more: Record<string, string> = {}) =>
    request(address, name, { range: `bytes=${start}-${end - 1}`, "accept-encoding": "identity", ...more });
  const first = await ask(0, 1);
  const size = Number(/^bytes 0-0\/(\d+)$/.exec(first.headers.get("content-range") ?? "")?.[1]);
  const tag = first.headers.get("etag");
  const stamp = tag ?? first.headers.get("last-modified") ?? "";
  await first.body?.cancel();
  if (first.status === 416) throw new SourceError(`${name}: this file is empty; copy or download it again`);
  if (first.status !== 206 || !Number.isSafeInteger(size)) {
    throw new SourceError(
      `${name}: the server does not give parts of files (ranges); download the file, and open that`,
    );
  }
  return {
    name,
    size,
    stamp: `${size} ${stamp}`,
    async read(start, end) {
      // A server compares strong tags alone.
      const answer = await ask(start, end, tag?.startsWith('"') ? { "if-match": tag } : {});
      const same = (answer.headers.get("etag") ?? tag) === tag;
      if (answer.status === 412 || !same) {
        await answer.body?.cancel();
        throw new SourceError(`${name}: it was changed while it was read; open it again`);
      }
      if (answer.status !== 206) {
        await answer.body?.cancel();
        throw new SourceError(`${name}: the server does not give bytes ${start} to ${end - 1} (${answer.status})`);
      }
      return new Uint8Array(await answer.arrayBuffer());
    },
  };
}

/** The address without its query and password, which may give access. */
export function shownUrl(address: string): string {
  if (!URL.canParse(address)) return address;
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${decoded(pathname)}`;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

async function request(address: string, name: string, headers: Record<string, string>): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(address, { headers }).catch((error: Error) => error);
    const passes = answer instanceof Error || answer.status >= 500 || answer.status === 429;
    if (!passes || attempt === TRIES) {
      if (answer instanceof Error) {
        const { cause } = answer;
        throw new SourceError(
          `${name}: it cannot be fetched: ${cause instanceof Error ? cause.message : answer.message}`,
        );
      }
      if (answer.ok || answer.status === 412 || answer.status === 416) return answer;
      await answer.body?.cancel();
      throw new SourceError(
        `${name}: the server says ${answer.status} ${answer.statusText}; check the address, and whether it has expired`,
      );
    }
    if (!(answer instanceof Error)) await answer.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2 ** (attempt - 1)));
  }
}
