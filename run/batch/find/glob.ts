import { posix } from "node:path";

/** A path with stars, taken apart. */
interface Pattern {
  /** The folder around everything that the pattern can match. */
  readonly root: string;
  /** Whether a path, relative to `root`, or a folder that it lies in matches. */
  matches(path: string): boolean;
}

/**
 * Takes a pattern apart, with "/" between folders: `*` stands for any characters of a name, `?` for one, `**` for any folders. Returns
 * `undefined` for a path without these.
 */
export function patternOf(path: string): Pattern | undefined {
  const parts = path.split("/");
  const first = parts.findIndex((part) => /[*?]/.test(part));
  if (first < 0) return undefined;
  const root = parts.slice(0, first).join("/") || (path.startsWith("/") ? "/" : ".");
  const names = parts.slice(first).filter((part) => part !== "");
  return { root: posix.normalize(root), matches: (found) => begins(names, found.split("/")) };
}

/** Whether all of `patterns` together match the first of `names`. */
function begins(patterns: readonly string[], names: readonly string[]): boolean {
  const [pattern, ...rest] = patterns;
  if (pattern === undefined) return true;
  if (pattern === "**") return begins(rest, names) || (names.length > 0 && begins(patterns, names.slice(1)));
  const [name, ...deeper] = names;
  return name !== undefined && expressionOf(pattern).test(name) && begins(rest, deeper);
}

function expressionOf(pattern: string): RegExp {
  const parts = pattern.split(/([*?]+)/).map((part) => {
    if (!/^[*?]/.test(part)) return part.replace(/[.+^${}()|[\]\\]/g, "\\$&");
    return part.includes("*") ? ".*" : ".".repeat(part.length);
  });
  return new RegExp(`^${parts.join("")}$`, "s");
}
