/** What a text beside depth says: rows of numbers, or an object as JSON, YAML or lines of "name: value" give it. */
export interface Said {
  /** The numbers of each line, where every line but a heading consists of numbers. */
  readonly rows?: readonly (readonly number[])[];
  readonly value?: unknown;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const NONE = /^[+-]?(inf(inity)?|nan)$/i;

/** Interprets a text; what is neither JSON, numbers nor lines of "name: value" says nothing. */
export function parseText(text: string): Said {
  if (/^\s*[[{]/.test(text)) {
    try {
      return { value: JSON.parse(text) };
    } catch {
      // NumPy prints matrices with brackets, too, but without commas.
    }
  }
  return rowsOf(text) ?? { value: /^\s*<\?xml/.test(text) ? xmlOf(text) : pairsOf(text) };
}

function rowsOf(text: string): Said | undefined {
  const rows: number[][] = [];
  let heading = false;
  for (const line of text.split("\n")) {
    const words = line
      .replace(/[[\](),;]/g, " ")
      .trim()
      .split(/\s+/);
    if (words[0] === "" || /^(#|%|\/\/)/.test(words[0])) continue;
    const numbers = numbersIn(words);
    if (numbers) rows.push(numbers);
    else if (rows.length > 0 || heading) return undefined;
    else heading = true;
  }
  return rows.length > 0 ? { rows } : undefined;
}

/** The words as numbers, those for "none" as NaN; `undefined` where one is neither. */
function numbersIn(words: readonly string[]): number[] | undefined {
  const numbers: number[] = [];
  for (const word of words) {
    const value = Number(word);
    const isNumber = Number.isFinite(value) && !(word[0] === "0" && word.length > 2 && !NUMBER.test(word));
    if (!isNumber && !NONE.test(word)) return undefined;
    numbers.push(isNumber ? value : Number.NaN);
  }
  return numbers;
}

/** The matrices of a text that OpenCV writes as XML: each tag that has a size and `data`. */
const xmlOf = (text: string): unknown =>
  Object.fromEntries(
    Array.from(
      text
        .slice(0, 1 << 20)
        .matchAll(/<(\w{1,80})[^<>]{0,80}>\s*<rows>[^/]*\/rows>[^/]*\/cols>[^/]*\/dt>\s*<data>([^<]*)</g),
    )
      .slice(0, 64)
      .map(([, name, data]) => [name, data.trim().split(/\s+/).map(Number)]),
  );

type Node = Record<string, unknown>;

/** YAML as calibrations use it, OpenCV's among it, and lines of "name = value". "Camera.fx: 525" is fx in Camera. */
function pairsOf(text: string): Node {
  const top: Node = Object.create(null);
  const open: { indent: number; node: Node; items: unknown[] }[] = [{ indent: -1, node: top, items: [] }];
  let rest = "";
  for (const raw of text.split("\n", 20_000)) {
    const line =
      rest +
      raw
        .slice(0, 10_000)
        .replace(/\s#.*$|^#.*$/, "")
        .trimEnd();
    // A list in brackets may go on over several lines.
    rest = line.length < 10_000 && line.split("[").length > line.split("]").length ? line : "";
    if (rest !== "" || line.trim() === "") continue;
    const [, space, dash, content] = /^(\s*)(-\s+)?(.*)$/.exec(line) ?? [];
    const indent = space.length;
    while (
      open.length > 1 &&
      indent <= open[open.length - 1].indent &&
      !(dash && indent === open[open.length - 1].indent)
    )
      open.pop();
    const { node, items } = open[open.length - 1];
    const [, name, value] = /^"?([\w. /-]{1,80}?)"?\s*[:=]\s*(.*)$/.exec(content) ?? [];
    if (name === undefined) {
      // Python writes a matrix as lists in lists: "- - 525.0", "  - 0".
      if (dash) items.push(scalar(content.replace(/^(- +)+/, "")));
      continue;
    }
    const path = name.trim().split(/[./]/);
    const last = path.pop() ?? "";
    const into = path.reduce<Node>((at, part) => child(at, part), node);
    if (value !== "" && !value.startsWith("!!")) into[last] = scalar(value);
    else if (open.length < 20) {
      const list: unknown[] = [];
      const below = child(into, last);
      below.items = list;
      open.push({ indent, node: below, items: list });
    }
  }
  return top;
}

function child(node: Node, name: string): Node {
  if (typeof node[name] !== "object" || node[name] === null || Array.isArray(node[name]))
    node[name] = Object.create(null);
  return node[name] as Node;
}

function scalar(text: string): unknown {
  const word = text.trim();
  if (NUMBER.test(word)) return Number(word);
  if (!word.startsWith("[")) return word.replace(/^["']|["']$/g, "");
  const words = word
    .replace(/[[\],]/g, " ")
    .trim()
    .split(/\s+/);
  return words.every((one) => NUMBER.test(one)) ? words.map(Number) : words;
}

/** The entries of an object, at most so many; none of any other value. */
export const entriesOf = (value: unknown, most = 10_000): readonly (readonly [string, unknown])[] =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value).slice(0, most) : [];

/** A list of numbers, or one of rows of numbers, or OpenCV's matrix with such `data`, as one flat list; `undefined` for all else. */
export function numbersOf(value: unknown): readonly number[] | undefined {
  if (!Array.isArray(value)) {
    const data = entriesOf(value, 8).find(
      ([name, list]) => /^(data|items)$/.test(name) && Array.isArray(list) && list.length > 0,
    );
    return data && numbersOf(data[1]);
  }
  if (value.length > 16) return undefined;
  const flat = value.flat();
  return flat.length > 0 && flat.length <= 16 && flat.every((one) => typeof one === "number") ? flat : undefined;
}
