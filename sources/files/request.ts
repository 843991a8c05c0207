import http, { type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import https from "node:https";
import { isIP } from "node:net";
import type { Address } from "../../core/address.ts";
import { SourceError } from "../../core/source.ts";
import { noteRead } from "./progress.ts";
import { Passing, silent } from "./ranges.ts";
import { lookupFrom, mayLead, notFollowed, type Reach, reachOf } from "./reach.ts";

const REDIRECTS = [301, 302, 303, 307, 308];
const MOST_REDIRECTS = 5;

/**
 * Connections to servers that another one has redirected to. Kept apart by the reach of that one, since a connection that is used again
 * is not looked up again.
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
export async function get(
  address: Address,
  headers: OutgoingHttpHeaders,
  stallSeconds: number,
): Promise<IncomingMessage> {
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
