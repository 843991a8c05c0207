import { type HelpfulOption, SourceError } from "../../../sources/index.ts";

const TELL = "The command “depthloom convert” can be told it, and this page plays what the command writes.";
const ALLOW = "The command “depthloom convert” can be allowed more, and this page plays what the command writes.";

/** What to advise where the page has no control for the option that would help. */
const OTHERWISE: Readonly<Partial<Record<HelpfulOption, string>>> = {
  intrinsics: TELL,
  metresPerUnit: TELL,
  maxSeconds: ALLOW,
  maxMegapixels: ALLOW,
};

/** The text of an error, with advice about the page's controls. */
export function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const otherwise = error instanceof SourceError && error.option && OTHERWISE[error.option];
  return otherwise ? `${error.message}. ${otherwise}` : error.message;
}

/** Makes a sentence of a phrase: "no lens is said" becomes "No lens is said." A file's name at the beginning stays as it is. */
export const sentence = (text: string): string =>
  text
    .replace(/^[a-z]+(?=[ ,])/, (word) => word.charAt(0).toUpperCase() + word.slice(1))
    .replace(/[.!?…]?$/, (end) => end || ".");

/** The text with minus signs in place of hyphens, and with spaces that keep a reading on one line. */
export const unbroken = (text: string): string =>
  text
    .replaceAll(/-(?=\d)/g, "−")
    .replaceAll(/(?<=\d°?) (?=± \d)|(?<=±) (?=\d)|(?<=\d) (?=[a-zµ%]+²?(?![a-z]))/g, "\u00a0");
