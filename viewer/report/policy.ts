import { createHash } from "node:crypto";

/** The content security policy of an answer that is no page, should a browser take it for one. */
export const NO_PAGE = "default-src 'none'; sandbox";

/** The source by which a content security policy allows the style element with this text. */
export const styleHash = (style: string): string => `'sha256-${createHash("sha256").update(style).digest("base64")}'`;

/** The policy of a page without scripts, with one style and with pictures from beside it, on a server or on the disk. */
export const pagePolicy = (style: string): string =>
  `default-src 'none'; style-src ${styleHash(style)}; img-src 'self' file:; base-uri 'none'; form-action 'none'`;
