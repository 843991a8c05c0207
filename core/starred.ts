/**
 * Matches a text against a pattern with stars, given as the texts around them ("a*b".split("*")); each star stands for any characters, as
 * few as possible. Returns the texts that the stars stood for, or `undefined`. Each part is searched once, from the end of the part before,
 * so that no pattern takes long (a regular expression tries all ways to divide a text among stars).
 */
export function starsIn(literals: readonly string[], text: string): string[] | undefined {
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

/**
 * The names that a user means by `wanted`: the equal name, with or without a leading "/"; if there is none, the names that match its stars.
 */
export function namesMeant(wanted: string, names: readonly string[]): readonly string[] {
  const exact = names.filter((name) => name === wanted || name === `/${wanted}`);
  if (exact.length > 0 || !wanted.includes("*")) return exact;
  const literals = wanted.split("*");
  return names.filter((name) => starsIn(literals, name) !== undefined);
}
