import { plain, short } from "../../../core/check.ts";
import { isAddress, shownAddress } from "../../../sources/index.ts";
import type { Messages } from "../state/messages.ts";

/** The topic of the question what to open: there is one such question at a time, and it disappears when a source is opened. */
export const QUESTION = "again";

const LONGEST = 300;

/** In addresses, the prefix of the name of a camera on this computer. */
export const CAMERA = "camera:";

/** Asks the user before anything is opened, since anybody may have written the link. */
export function ask(messages: Messages, text: string, label: string, run: () => void): void {
  messages.show("notice", QUESTION, text, undefined, { label, run });
}

/** Shortens an address for a message: on one line, without its token. */
export const named = (address: string): string => plain(short(shownAddress(address), LONGEST));

/** The kinds of source that the page's address can name. */
export type SourceLink =
  /** `own`: whether it comes from the page's own server, which the user has chosen by opening the page. */
  | { readonly kind: "stream"; readonly own: boolean }
  /** A file on the page's own server. */
  | { readonly kind: "own"; readonly url: URL }
  /** A file on another server, which learns of the user when the page fetches it. */
  | { readonly kind: "foreign"; readonly url: URL }
  | { readonly kind: "none"; readonly why: string };

/** Parses the source that the address of the page at `page` names. */
export function parseSourceLink(source: string, page: string): SourceLink {
  if (isAddress(source)) return { kind: "stream", own: isOwnStream(source, page) };
  const url = URL.canParse(source, page) ? new URL(source, page) : undefined;
  if (!url) return { kind: "none", why: "this is no address" };
  if (url.origin === new URL(page).origin && /^https?:$/.test(url.protocol)) return { kind: "own", url };
  if (url.protocol === "https:" || (url.protocol === "http:" && HERE.test(url.hostname)))
    return { kind: "foreign", url };
  if (url.protocol === "http:")
    return { kind: "none", why: "http:// works for a server on this computer (localhost); another one needs https://" };
  return { kind: "none", why: BEGINS };
}

/** This computer, as the page's policy names it. */
const HERE = /^(localhost|127\.0\.0\.1)$/;
const BEGINS =
  "an address begins with ws:// or wss:// (a live stream), or with https:// (a file); “Recording…” opens a file of this computer";

/** Parses an address that the user has typed, which names its protocol. */
export const parseTyped = (typed: string, page: string): SourceLink =>
  typed.includes("://") ? parseSourceLink(typed, page) : { kind: "none", why: BEGINS };

/** Whether a stream comes from the server of the page: `depthloom view` serves both. */
function isOwnStream(address: string, page: string): boolean {
  if (!URL.canParse(address)) return false;
  const [{ host, protocol }, own] = [new URL(address), new URL(page)];
  return host === own.host && protocol === own.protocol.replace("http", "ws");
}

/** Fetches a whole recording; `signal` ends the fetching. Throws an `Error` that says what went wrong. */
export async function fetchFile(url: URL, foreign: boolean, signal: AbortSignal): Promise<File> {
  // Another server gets no cookies and no referrer, and the page's own server may not redirect to another one.
  const limits: RequestInit = foreign
    ? { mode: "cors", credentials: "omit", referrerPolicy: "no-referrer" }
    : { mode: "same-origin" };
  // The browser may have kept parts of the file from a server that packs the whole file (gzip): it would put both together.
  const answer = await fetch(url, { ...limits, cache: "no-store", signal }).catch((error: Error) => {
    const why = foreign
      ? `either nobody answers there, or that server does not let pages of ${location.origin} read its files (CORS)`
      : "the page's own server does not answer, or sends on to another one";
    throw new Error(`${named(url.href)}: it cannot be fetched (${error.message}): ${why}`);
  });
  if (!answer.ok) throw new Error(`${named(url.href)}: the server says ${answer.status} ${answer.statusText}`);
  return new File([await answer.blob()], nameIn(url));
}

/** The last part of an address; its % escapes stay if they are not valid. */
function nameIn({ pathname }: URL): string {
  const last = pathname.split("/").at(-1) || "recording";
  try {
    return plain(decodeURIComponent(last));
  } catch {
    return last;
  }
}

const keyOf = (address: string) => `stream ${shownAddress(address)}`;

/** Stores the whole address of a stream until the tab is closed, since the page shows the address without its token. */
export function rememberStream(address: string): void {
  if (shownAddress(address) === address) return;
  try {
    sessionStorage.setItem(keyOf(address), address);
  } catch {
    // The browser stores nothing: after a reload the user has to enter the address again.
  }
}

/** The whole address of a stream, from the address that is shown; `undefined` if its token is not known any more. */
export function streamOf(shown: string): string | undefined {
  if (!shown.includes("…")) return shown;
  try {
    return sessionStorage.getItem(keyOf(shown)) ?? undefined;
  } catch {
    return undefined;
  }
}
