/** Whether a text is the address of a file that is read by ranges, over HTTP or from S3. */
export const isRemote = (text: string): boolean => /^(?:https?|s3):\/\//i.test(text);

/** Whether a text is the address of a live stream: `ws://…` or `wss://…`. */
export const isAddress = (text: string): boolean => /^wss?:\/\//i.test(text);

/**
 * An address without what may give access, for messages, names and documents: without its user, password, query and fragment. A live
 * stream's query keeps its names, without their values. An S3 address holds nothing that gives access, so it stays whole. A text that is no
 * address stays as it is.
 */
export function shownAddress(text: string): string {
  const [, scheme = "", rest = ""] = /^([a-z][a-z\d+.-]*:\/\/)(.*)$/is.exec(text) ?? [];
  if (scheme === "") return text;
  if (isAddress(text)) return scheme + rest.replace(/^[^/?#]*@/, "…@").replace(/([?&#][^=&#?]*=)[^&#]*/g, "$1…");
  if (/^s3:/i.test(scheme)) return text;
  return scheme + rest.replace(/^[^/?#]*@/, "").replace(/[?#].*$/s, "");
}

/**
 * An address in a text, which may come from anybody: what stands behind its scheme, up to a blank, a quote or an angle bracket. The scheme
 * is looked for backwards from "://", so that the time is in proportion to the text.
 */
const IN_TEXT = /(?<=([a-z][a-z\d+.-]{0,30})):\/\/[^\s"'<>]*/gi;

/** Replaces each address in a text for people by what `shownAddress` makes of it. Punctuation behind an address is not part of it. */
export const withoutAccess = (text: string): string =>
  text.replace(IN_TEXT, (found, scheme: string) => {
    let end = found.length;
    while (":;,.)".includes(found[end - 1])) end--;
    return shownAddress(scheme + found.slice(0, end)).slice(scheme.length) + found.slice(end);
  });

/** The address of a file. However an `Address` is printed, whatever in it may give access is left out. */
export class Address {
  readonly #whole: string;

  constructor(whole: string) {
    this.#whole = whole;
  }

  /** The whole address as it was given: only for requests and for other threads. */
  get whole(): string {
    return this.#whole;
  }

  toString(): string {
    return shownAddress(this.#whole);
  }

  toJSON(): string {
    return this.toString();
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }
}
