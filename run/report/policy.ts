import { createHash } from "node:crypto";

/** The content security policy of an answer that is no page, should a browser take it for one. */
export const NO_PAGE = "default-src 'none'; sandbox";

/** The source by which a content security policy allows the element, a style or a script, with this text. */
const contentHash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The policy of a page with one style, one script and pictures from beside it, on a server or on the disk. No other script runs. */
export const pagePolicy = (style: string, script: string): string =>
  `default-src 'none'; style-src ${contentHash(style)}; script-src ${contentHash(script)}; img-src 'self' file:; base-uri 'none'; form-action 'none'`;
