import { plain, short } from "../../../sources/core/check.ts";
import { isAddress, shownAddress } from "../../../sources/index.ts";
import type { Messages } from "../state/messages.ts";

/** One question about what to open stands at a time; it goes when something is opened. */
export const QUESTION = "again";

const LONGEST = 300;

/** What stands before a camera's name where the page's address names one of this computer's. */
export const CAMERA = "camera:";

/** Asks before anything is opened: a link may come from anybody. */
export function ask(messages: Messages, text: string, label: string, run: () => void): void {
  messages.show("notice", QUESTION, text, undefined, { label, run });
}

/** An address of somebody else's in a sentence: short, on one line, without its token. */
export const named = (address: string): string => plain(short(shownAddress(address), LONGEST));

/** What the page's address names as the source. */
export type SourceLink =
  | { readonly kind: "stream" }
  /** A file of the page's own server. */
  | { readonly kind: "own"; readonly url: URL }
  /** A file of another server's, which learns by the fetching who looks. */
  | { readonly kind: "foreign"; readonly url: URL }
  | { readonly kind: "none"; readonly why: string };

/** Whose a source is, seen from the page at `page`. */
export function parseSourceLink(source: string, page: string): SourceLink {
  if (isAddress(source)) return { kind: "stream" };
  const url = URL.canParse(source, page) ? new URL(source, page) : undefined;
  if (!url) return { kind: "none", why: "this is no address" };
  if (url.origin === new URL(page).origin && /^https?:$/.test(url.protocol)) return { kind: "own", url };
  if (url.protocol === "https:") return { kind: "foreign", url };
  return { kind: "none", why: "another server's recording is fetched by https: alone" };
}

/** Fetches a recording as a whole, unless `signal` ends that. Throws what was in its way. */
export async function fetchFile(url: URL, foreign: boolean, signal: AbortSignal): Promise<File> {
  // Another server gets nothing but the question, and this one sends nobody on to another.
  const limits: RequestInit = foreign
    ? { mode: "cors", credentials: "omit", referrerPolicy: "no-referrer" }
    : { mode: "same-origin" };
  const answer = await fetch(url, { ...limits, signal }).catch((error: Error) => {
    const why = foreign
      ? `either nobody answers there, or that server does not let pages of ${location.origin} read its files (CORS)`
      : "the page's own server does not answer, or sends on to another one";
    throw new Error(`${named(url.href)}: it cannot be fetched (${error.message}): ${why}`);
  });
  if (!answer.ok) throw new Error(`${named(url.href)}: the server says ${answer.status} ${answer.statusText}`);
  return new File([await answer.blob()], nameIn(url));
}

/** The last part of an address, as it stands there where its % mean nothing. */
function nameIn({ pathname }: URL): string {
  const last = pathname.split("/").at(-1) || "recording";
  try {
    return plain(decodeURIComponent(last));
  } catch {
    return last;
  }
}

const keyOf = (address: string) => `stream ${shownAddress(address)}`;

/** Keeps, for as long as the tab lives, the whole address of a stream that is shown without its token. */
export function rememberStream(address: string): void {
  if (shownAddress(address) === address) return;
  try {
    sessionStorage.setItem(keyOf(address), address);
  } catch {
    // The browser keeps nothing: the address has to be given again after a reload.
  }
}

/** The whole address of a stream by what is shown of it; `undefined` if its token is not known any more. */
export function streamOf(shown: string): string | undefined {
  if (!/[?&]token=…/.test(shown)) return shown;
  try {
    return sessionStorage.getItem(keyOf(shown)) ?? undefined;
  } catch {
    return undefined;
  }
}
