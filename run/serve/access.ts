import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";

/** The query parameter of an address that carries the token. */
const KEY = "token";

/** A random token of 128 bits in characters that an address may contain. */
export const freshToken = (): string => randomBytes(16).toString("base64url");

/** Whether a listening address can be reached only from this machine. */
export const isLoopback = ({ address }: Pick<AddressInfo, "address">): boolean =>
  address === "::1" || /^(::ffff:)?127\./i.test(address);

/** Whether a request's path has the token. The comparison takes the same time for any token. */
export function hasToken(path: string | undefined, token: string): boolean {
  const url = `ws://localhost${path ?? "/"}`;
  const given = URL.canParse(url) ? new URL(url).searchParams.get(KEY) : null;
  // The comparison needs equal lengths, which hashes have.
  return timingSafeEqual(hashOf(given ?? ""), hashOf(token)) && given !== null;
}

const hashOf = (text: string) => createHash("sha256").update(text).digest();

/** The addresses by which clients reach a server: one for each network of this machine if it listens on all of them. */
export function addressesOf({ address, port }: AddressInfo, token: string | undefined): [string, ...string[]] {
  const [first = address, ...others] = address === "0.0.0.0" || address === "::" ? ownAddresses(address === "::") : [];
  const full = (host: string) =>
    `ws://${host.includes(":") ? `[${host}]` : host}:${port}${token === undefined ? "" : `/?${KEY}=${token}`}`;
  return [full(first), ...others.map(full)];
}

/** This machine's addresses in its networks, without IPv6 addresses that need a zone, since nobody can type those. */
const ownAddresses = (six: boolean): string[] =>
  Object.values(networkInterfaces())
    .flatMap((list = []) => list)
    .filter(({ family, internal, address }) => !internal && (family === "IPv4" || (six && !address.startsWith("fe80"))))
    .map(({ address }) => address);
/** Whether a request names this machine as its server (its header Host): a name of the web that leads here does not (DNS rebinding). */
export const isOwnName = (host: string | undefined): boolean =>
  /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(host ?? "");

/** Whether a request names the server as this machine, or as an origin that may listen, whose name a proxy in between passes on. */
export const mayBeNamed = (host: string | undefined, allowed: readonly string[]): boolean =>
  isOwnName(host) || allowed.some((one) => one === "*" || (URL.canParse(one) && new URL(one).host === host));

/**
 * Whether a page may connect. Browsers name the page in `Origin` and let any web page connect to this machine, so only this machine's pages
 * may, and those that the user names. Programs other than browsers have no origin.
 */
export function mayListen(origin: string | undefined, allowed: readonly string[]): boolean {
  if (origin === undefined || allowed.includes("*") || allowed.includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const { hostname } = new URL(origin);
  return hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]";
}
