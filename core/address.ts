/** Whether a text is the address of a file that is read by ranges, over HTTP or from S3. */
export const isRemote = (text: string): boolean => /^(?:https?|s3):\/\//i.test(text);

/** Whether a text is the address of a live stream: `ws://…` or `wss://…`. */
export const isAddress = (text: string): boolean => /^wss?:\/\//i.test(text);

/**
 * An address without what may give access, for messages, names and documents: without its user, password, query and fragment. A live
 * stream's query keeps its names, without their values. An address of S3 gives no access. A text that is no address stays as it is.
 */
export function shownAddress(text: string): string {
  const [, scheme = "", rest = ""] = /^([a-z][a-z\d+.-]*:\/\/)(.*)$/is.exec(text) ?? [];
  if (scheme === "") return text;
  if (isAddress(text)) return scheme + rest.replace(/^[^/?#]*@/, "…@").replace(/([?&#][^=&#]*=)[^&#]*/g, "$1…");
  if (/^s3:/i.test(scheme)) return text;
  return scheme + rest.replace(/^[^/?#]*@/, "").replace(/[?#].*$/s, "");
}

/**
 * An address in a text ends before a blank, a quote or an angle bracket, and before punctuation that one of these or the text's end
 * follows.
 */
const IN_TEXT = /\b[a-z][a-z\d+.-]*:\/\/[^\s"'<>]*?(?=[:;,.)]*(?:[\s"'<>]|$))/gi;

/** Replaces each address in a text for people by what `shownAddress` makes of it. */
export const withoutAccess = (text: string): string => text.replace(IN_TEXT, shownAddress);

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
