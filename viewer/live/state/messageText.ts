/** What an error says. Errors of the sources also say what to do. */
export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Makes a sentence of a phrase: "no lens is said" becomes "No lens is said." */
export const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}`.replace(/[.!?…]?$/, (end) => end || ".");
