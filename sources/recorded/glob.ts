/**
 * Matches names against a path with stars; each star stands for any characters but "/", as few as possible. The result gives the texts that
 * the stars stood for, or `undefined` for a name that does not match. Each part between stars is searched once, from the end of the part
 * before, so that no path takes long (a regular expression tries all ways to divide a name among stars).
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

/** Matches one folder or file name; `literals` are the texts around its stars. */
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
