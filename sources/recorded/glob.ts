import { starsIn } from "../../core/starred.ts";

/**
 * Matches names against a path with stars; each star stands for any characters but "/", as few as possible. The result gives the texts that
 * the stars stood for, or `undefined` for a name that does not match.
 */
export function globOf(path: string): (name: string) => string[] | undefined {
  const folders = path.split("/").map((folder) => folder.split("*"));
  return (name) => {
    const parts = name.split("/");
    if (parts.length !== folders.length) return undefined;
    const stars = folders.map((literals, i) => starsIn(literals, parts[i]));
    return stars.every((found) => found !== undefined) ? stars.flat() : undefined;
  };
}
