import type { Address } from "../../core/address.ts";
import { SourceError } from "../../core/source.ts";
import type { Bytes } from "../decode/codec.ts";
import { noteRead } from "./progress.ts";
import { Passing, type Ranges, refusal, STALL_SECONDS, silent, tried } from "./ranges.ts";

/** A file that is not given in parts is fetched as a whole up to this size. */
const WHOLE_BYTES = 2 ** 30;

/** An answer, and the bytes of its body as they come. */
interface HttpAnswer extends Pick<Response, "status" | "headers"> {
  readonly pieces: AsyncGenerator<Bytes>;
}

/**
 * A file on a server, in a page: by ranges where the server gives them and lets pages read Content-Range (CORS:
 * Access-Control-Expose-Headers), else as a whole. Another server gets no cookies and no referrer.
 */
export async function fetchRanges(address: Address, stallSeconds = STALL_SECONDS): Promise<Ranges> {
  const name = `${address}`;
  if (!/^https?:/i.test(address.whole))
    throw new SourceError(`${name}: a page reads no such address; give one of https`);
  // A browser that keeps the whole file cuts ranges out of its copy; if the copy is compressed, its bytes are not the file's.
  let cache: RequestCache = "default";
  /** Hands the answer's bytes to `take`, again where the connection breaks. */
  const ask = <T>(headers: HeadersInit, take: (answer: HttpAnswer) => Promise<T>) =>
    tried(name, async () => {
      const answer = await answered(name, address, { headers, cache }, stallSeconds);
      try {
        return await take(answer);
      } finally {
        await answer.pieces.return(undefined);
      }
    });
  // Two bytes, since the servers of Vite and others (sirv) take 0-0 for the whole file.
  const first = await ask({ range: "bytes=0-1" }, async (answer) => answer);
  const size = Number(/^bytes 0-[01]\/(\d+)$/.exec(first.headers.get("content-range") ?? "")?.[1]);
  if (first.status === 416) throw new SourceError(`${name}: this file is empty; copy or download it again`);
  if (first.status !== 206 || !Number.isSafeInteger(size)) return ask({}, (answer) => wholeOf(name, answer));
  const stampOf = ({ headers }: HttpAnswer) => headers.get("etag") ?? headers.get("last-modified") ?? "";
  const stamp = stampOf(first);
  return {
    name,
    size,
    stamp: `${size} ${stamp}`,
    read: (start, end) =>
      ask({ range: `bytes=${start}-${end - 1}` }, async (answer) => {
        const range = answer.headers.get("content-range");
        if (range !== `bytes ${start}-${end - 1}/${size}` || stampOf(answer) !== stamp)
          throw new SourceError(`${name}: it was changed while it was read; open it again`);
        const bytes = await bytesOf(answer, end - start);
        if (bytes) return bytes;
        cache = "no-store";
        throw new Passing("more bytes came than were asked for");
      }),
  };
}

/** Fetches. Throws `Passing` where no server answers or where it is busy, and a `SourceError` where it refuses or is silent. */
async function answered(name: string, address: Address, asked: RequestInit, seconds: number): Promise<HttpAnswer> {
  const stop = new AbortController();
  const begin = () => setTimeout(() => stop.abort(silent(name, seconds)), 1000 * seconds);
  let timer = begin();
  const heard = (bytes: number) => {
    noteRead(bytes);
    clearTimeout(timer);
    timer = begin();
  };
  const failed = (why: string) => {
    clearTimeout(timer);
    return stop.signal.aborted ? stop.signal.reason : new Passing(why);
  };
  const limits: RequestInit = { mode: "cors", credentials: "same-origin", referrerPolicy: "same-origin" };
  const answer = await fetch(address.whole, { ...limits, ...asked, signal: stop.signal }).catch((error: Error) => {
    const why = `either nobody answers there, or that server does not let pages of other servers read its files (CORS)`;
    throw failed(`it cannot be fetched (${error.message}): ${why}`);
  });
  heard(0);
  const pieces = piecesOf(answer.body, heard, failed, () => clearTimeout(timer));
  const { status, statusText } = answer;
  if (answer.ok || status === 416) return { status, headers: answer.headers, pieces };
  await pieces.return(undefined);
  throw refusal(name, status, statusText);
}

async function* piecesOf(
  body: ReadableStream<Bytes> | null,
  heard: (bytes: number) => void,
  failed: (why: string) => unknown,
  end: () => void,
): AsyncGenerator<Bytes, undefined> {
  const reader = body?.getReader();
  try {
    for (;;) {
      const { done = true, value } =
        (await reader?.read().catch((error: Error) => {
          throw failed(`the connection broke: ${error.message}`);
        })) ?? {};
      if (done || !value) return;
      heard(value.length);
      yield value;
    }
  } finally {
    end();
    await reader?.cancel().catch(() => {});
  }
}

/** Reads the `most` bytes of a response's body; returns `undefined` if the body is longer. */
async function bytesOf({ pieces }: HttpAnswer, most: number): Promise<Bytes | undefined> {
  const bytes = new Uint8Array(most);
  let at = 0;
  for await (const piece of pieces) {
    if (at + piece.length > most) return undefined;
    bytes.set(piece, at);
    at += piece.length;
  }
  if (at < most) throw new Passing(`the connection broke after ${at} of ${most} bytes`);
  return bytes;
}

/** The whole file, in the browser's storage for blobs. */
async function wholeOf(name: string, { pieces, headers }: HttpAnswer): Promise<Ranges> {
  const parts: Bytes[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > WHOLE_BYTES)
      throw new SourceError(
        `${name}: the server gives pages no parts of files (ranges), and the file is larger than 1 GiB; download it, and open that`,
      );
    parts.push(piece);
  }
  const blob = new Blob(parts);
  return {
    name,
    size,
    stamp: `${size} ${headers.get("etag") ?? ""}`,
    read: async (start, end) => new Uint8Array(await blob.slice(start, end).arrayBuffer()),
  };
}
