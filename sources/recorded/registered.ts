import type { Format } from "../format/format.ts";

const registered: Format[] = [];

/** The formats of other packages, which are asked before Depthloom's own. */
export const registeredFormats: readonly Format[] = registered;

/** Adds the formats of another package. */
export const registerFormats = (formats: readonly Format[]): void => void registered.push(...formats);
