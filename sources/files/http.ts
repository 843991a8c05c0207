import http, { type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import https from "node:https";
import { isIP } from "node:net";
import type { Address } from "../../core/address.ts";
import { SourceError } from "../../core/source.ts";
import { noteRead } from "./progress.ts";
import { Passing, type Ranges, readRange, refusal, STALL_SECONDS, silent, tried } from "./ranges.ts";
import { lookupFrom, mayLead, notFollowed, type Reach, reachOf } from "./reach.ts";

/** An answer's statement about the bytes in it (RFC 9110, section 14.4). */
const CONTENT_RANGE = /^bytes (\d+)-(\d+)\/(\d+)$/;

/**
 * A file on a server that answers requests for ranges (RFC 9110, section 14); a presigned address of S3 is one. Only GET is used, since
 * such an address allows nothing else.
 */
export async function httpRanges(address: Address, stallSeconds = STALL_SECONDS): Promise<Ranges> {
  const name = `${address}`;
  const ask = (start: number, end: number, more: OutgoingHttpHeaders = {}) =>
    tried(name, async () => {
      const headers = { range: `bytes=${start}-${end - 1}`, "accept-encoding": "identity", ...more };
      return answered(name, await get(address, headers, stallSeconds));
    });
  const first = await ask(0, 1);
  const { etag, "last-modified": modified } = first.headers;
  const size = Number(CONTENT_RANGE.exec(first.headers["content-range"] ?? "")?.[3]);
  // The connection is used again if the answer's end is known to be near.
  if (first.headers["content-length"] === "1") first.resume();
  else first.destroy();
  if (first.statusCode === 416) throw new SourceError(`${name}: this file is empty; copy or download it again`);
  if (first.statusCode !== 206 || !Number.isSafeInteger(size))
    throw new SourceError(
      `${name}: the server does not give parts of files (ranges); download the file, and open that`,
    );
  /** Asks for the bytes; the file must still be the one that was there at first. */
  const open = async (start: number, end: number) => {
    // A server compares strong tags alone.
    const answer = await ask(start, end, etag?.startsWith('"') ? { "if-match": etag } : {});
    const wrong = complaint(answer, start, end);
    if (wrong === undefined) return answer;
    answer.destroy();
    throw new SourceError(`${name}: ${wrong}`);
  };
  const complaint = ({ statusCode, headers }: IncomingMessage, start: number, end: number) => {
    const [, from, to, of] = (CONTENT_RANGE.exec(headers["content-range"] ?? "") ?? []).map(Number);
    const isOther =
      (headers.etag ?? etag) !== etag ||
      // Where a strong tag is the same, the file is the same to the byte: servers of one file may have different times.
      (!headers.etag?.startsWith('"') && (headers["last-modified"] ?? modified) !== modified) ||
      (of !== undefined && of !== size);
    if (statusCode === 412 || statusCode === 416 || isOther) return "it was changed while it was read; open it again";
    if (statusCode !== 206) return `the server does not give bytes ${start} to ${end - 1} (${statusCode})`;
    if (from !== start || to !== end - 1)
      return `the server was asked for bytes ${start} to ${end - 1} and sends others; download the file, and open that`;
    const packed = headers["content-encoding"] ?? "identity";
    if (packed !== "identity")
      return `the server packs what it sends (${packed.slice(0, 20)}), which it was asked not to; download the file, and open that`;
    return undefined;
  };
  return {
    name,
    size,
    stamp: `${size} ${etag ?? modified ?? ""}`,
    read: (start, end) => readRange(name, [start, end], (from) => open(from, end), stallSeconds),
  };
}

/** The answer, if it is one about the file. Throws `Passing` where the server is busy, and a `SourceError` where it refuses. */
function answered(name: string, answer: IncomingMessage): IncomingMessage {
  const { statusCode = 0, statusMessage = "" } = answer;
  if ((statusCode >= 200 && statusCode < 300) || statusCode === 412 || statusCode === 416) return answer;
  answer.destroy();
  throw refusal(name, statusCode, statusMessage);
}

const REDIRECTS = [301, 302, 303, 307, 308];
const MOST_REDIRECTS = 5;

/**
 * Connections to servers that another server has redirected to. They are kept apart by the reach of the redirecting server, since a
 * connection that is used again is not looked up again.
 */
const agents = new Map<string, http.Agent>();

function agentOf(protocol: string, from: Reach): http.Agent {
  const key = `${protocol} ${from}`;
  const agent = agents.get(key) ?? new (protocol === "https:" ? https : http).Agent({ keepAlive: true });
  agents.set(key, agent);
  return agent;
}

/**
 * Sends a GET, and follows redirections, but not from a public server to this machine or into a private network. Resolves with the head of
 * the answer; the caller reads or destroys the body. Throws `Passing` where no server answers, and a `SourceError` where one sends nothing
 * for `stallSeconds`.
 */
async function get(address: Address, headers: OutgoingHttpHeaders, stallSeconds: number): Promise<IncomingMessage> {
  if (!URL.canParse(address.whole)) throw new SourceError(`${address}: this is no address; check it`);
  let url = new URL(address.whole);
  let from: Reach | undefined;
  for (let hops = 0; ; hops++) {
    const answer = await getOnce(url, headers, { name: `${address}`, from, stallSeconds });
    const { statusCode = 0, headers: told, socket } = answer;
    if (!REDIRECTS.includes(statusCode) || told.location === undefined) return answer;
    from ??= reachOf(socket.remoteAddress ?? "");
    answer.destroy();
    const next = URL.canParse(told.location, url) ? new URL(told.location, url) : undefined;
    if (!next || !/^https?:$/.test(next.protocol) || hops === MOST_REDIRECTS)
      throw new SourceError(`${address}: the server redirects in circles or to what is no file; check the address`);
    // A user and password are for the server that they were given for.
    if (next.origin === url.origin) Object.assign(next, { username: url.username, password: url.password });
    url = next;
  }
}

interface Once {
  readonly name: string;
  /** The reach of the server that redirected here. */
  readonly from: Reach | undefined;
  readonly stallSeconds: number;
}

function getOnce(url: URL, headers: OutgoingHttpHeaders, { name, from, stallSeconds }: Once): Promise<IncomingMessage> {
  const ip = url.hostname.replace(/^\[|\]$/g, "");
  if (from && isIP(ip) !== 0 && !mayLead(from, reachOf(ip))) throw notFollowed(name, ip);
  const guarded = from && { agent: agentOf(url.protocol, from), lookup: lookupFrom(from, name) };
  return new Promise((resolve, reject) => {
    const asking = (url.protocol === "https:" ? https : http).request(url, { headers, ...guarded });
    const timer = setTimeout(() => asking.destroy(silent(name, stallSeconds)), 1000 * stallSeconds);
    asking.on("response", (answer) => {
      clearTimeout(timer);
      // An answer is progress, even if it is that the server is busy.
      noteRead(0);
      resolve(answer);
    });
    asking.on("error", (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      if (error instanceof SourceError) return reject(error);
      const why = error.message || error.code || "no connection";
      reject(new Passing(`its server cannot be reached: ${why}; check the address and the connection`));
    });
    asking.end();
  });
}
