/**
 * Matches names against a path with stars; each stands for any characters but "/", as few as will do. The result gives
 * what the stars stood for, or `undefined` for another name. Each part between stars is looked for once, from where the
 * one before it ended, so that no path takes long (a regular expression tries all the ways to divide a name among stars).
 */
export function globOf(path: string): (name: string) => string[] | undefined {
  const folders = path.split("/").map((folder) => folder.split("*"));
  return (name) => {
    const parts = name.split("/");
    if (parts.length !== folders.length) return undefined;
    const stars = folders.map((literals, i) => matchOne(literals, parts[i]));
    return stars.every((found) => found !== undefined) ? stars.flat() : undefined;
  };
}

/** `literals` stand around the stars. */
function matchOne(literals: readonly string[], text: string): string[] | undefined {
  const [first, ...rest] = literals;
  const last = rest.pop();
  if (last === undefined) return text === first ? [] : undefined;
  const end = text.length - last.length;
  if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return undefined;
  const stars: string[] = [];
  let from = first.length;
  for (const literal of rest) {
    const at = text.indexOf(literal, from);
    if (at < 0 || at + literal.length > end) return undefined;
    stars.push(text.slice(from, at));
    from = at + literal.length;
  }
  return [...stars, text.slice(from, end)];
}
