/** The contents of a text beside depth: rows of numbers, or an object as JSON, YAML or lines of "name: value" give it. */
export interface Said {
  /** The numbers of each line, where every line but a heading consists of numbers. */
  readonly rows?: readonly (readonly number[])[];
  /** The names of the rows' columns, where a heading has as many words. */
  readonly names?: readonly string[];
  readonly value?: unknown;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const NONE = /^[+-]?(inf(inity)?|nan)$/i;

/** Interprets a text; what is neither JSON, numbers, a table nor lines of "name: value" says nothing. */
export function parseText(text: string): Said {
  if (/^\s*[[{]/.test(text)) {
    try {
      const value: unknown = JSON.parse(text);
      const flat = numbersOf(value);
      return flat ? { rows: [flat] } : { value };
    } catch {
      // NumPy prints matrices with brackets, too, but without commas; so does TOML begin.
    }
  }
  const table = tableOf(text);
  const rows = rowsOf(text);
  return rows || table
    ? { ...rows, ...(table && { value: table }) }
    : { value: /^\s*<\?xml/.test(text) ? xmlOf(text) : (colmapOf(text) ?? pairsOf(text)) };
}

function rowsOf(text: string): Said | undefined {
  const rows: number[][] = [];
  let [heading, hasHeading] = [undefined as string[] | undefined, false];
  for (const line of text.split("\n")) {
    const words = line
      .replace(/[[\](),;]/g, " ")
      .trim()
      .split(/\s+/);
    if (words[0] === "" || /^(%|\/\/)/.test(words[0])) continue;
    if (words[0].startsWith("#")) {
      if (rows.length === 0) heading = words.join(" ").replace(/^#+ ?/, "").split(" ");
      continue;
    }
    const numbers = numbersIn(words);
    if (numbers) rows.push(numbers);
    else if (rows.length > 0 || hasHeading) return undefined;
    else [heading, hasHeading] = [words, true];
  }
  const named = heading?.length === rows[0]?.length ? heading : undefined;
  return rows.length > 0 ? { rows, ...(named && { names: named }) } : undefined;
}

/** The rows of a short table whose first line names its columns: "camera,fx,fy,cx,cy". */
function tableOf(text: string): Node[] | undefined {
  const [heading = "", ...lines] = text.slice(0, LONGEST_TABLE).trim().split("\n");
  const names = cellsOf(heading.replace(/^#/, ""));
  if (names.length < 3 || names.length > 64 || !names.every((name) => /^[A-Za-z]\w*$/.test(name))) return undefined;
  const rows = lines.map(cellsOf).filter((cells) => cells.length === names.length);
  return rows.length === lines.length && rows.length > 0 && rows.length <= 64
    ? rows.map((cells) => Object.fromEntries(cells.map((cell, i) => [names[i], scalar(cell)])))
    : undefined;
}

const LONGEST_TABLE = 1 << 14;
const cellsOf = (line: string) => line.trim().split(/\s*[,;\t]\s*|\s+/, 65);

/** The parameters of COLMAP's camera models, in their order. */
const COLMAP: Readonly<Record<string, string>> = {
  ...{ SIMPLE_PINHOLE: "f cx cy", PINHOLE: "fx fy cx cy", SIMPLE_RADIAL: "f cx cy k1", RADIAL: "f cx cy k1 k2" },
  ...{ OPENCV: "fx fy cx cy k1 k2 p1 p2", OPENCV_FISHEYE: "fx fy cx cy k1 k2 k3 k4" },
  FULL_OPENCV: "fx fy cx cy k1 k2 p1 p2 k3 k4 k5 k6",
};

/** COLMAP's `cameras.txt`, "1 PINHOLE 640 480 525 525 320 240", where the centre of the first pixel is at one half. */
function colmapOf(text: string): Node[] | undefined {
  const lines = text
    .slice(0, LONGEST_TABLE)
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const cameras = lines.slice(0, 64).flatMap((line) => {
    const [, name, ...words] = line.trim().split(/\s+/);
    const numbers = numbersIn(words);
    if (!Object.hasOwn(COLMAP, name ?? "") || !numbers) return [];
    const [width, height, ...values] = numbers;
    const camera: Node = { model: name, width, height };
    for (const [i, field] of COLMAP[name].split(" ").entries())
      camera[field] = /^c[xy]$/.test(field) ? values[i] - 0.5 : values[i];
    return [camera];
  });
  return cameras.length > 0 && cameras.length === lines.length ? cameras : undefined;
}

/** The words as numbers, words for "none" as NaN; `undefined` if a word is neither. */
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

/**
 * YAML as calibrations use it (OpenCV's too), TOML, and lines of "name = value", "name,value" or "name 1.5". "Camera.fx: 525" is fx in
 * Camera.
 */
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
    const section = /^\[([\w. -]{1,80})\]$/.exec(line)?.[1];
    if (section !== undefined) {
      open.splice(0, open.length, { indent: -1, node: child(top, section), items: [] });
      continue;
    }
    const { node, items } = open[open.length - 1];
    const [, name, value] =
      /^"?([\w. /-]{1,80}?)"?\s*[:=,]\s*(.*)$/.exec(content) ??
      /^([A-Za-z]\w{0,80})\s+([-+.\d].*)$/.exec(content) ??
      [];
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

/** A value of a text as a number; NaN for a list or fields, which have none. */
export const numberOf = (value: unknown): number => (typeof value === "object" ? Number.NaN : Number(value));

function scalar(text: string): unknown {
  const word = text.trim();
  if (NUMBER.test(word)) return Number(word);
  const words = word
    .replace(/[[\],]/g, " ")
    .trim()
    .split(/\s+/);
  if (words.every((one) => NUMBER.test(one))) return words.map(Number);
  return word.startsWith("[") ? words : word.replace(/^["']|["']$/g, "");
}

/** What is in an object or a list, with names: those of an object's fields, or what the things in the list call themselves. */
export const partsOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  Array.isArray(value)
    ? value
        .slice(0, 64)
        .map((one) => [String(entriesOf(one, 64).find(([, name]) => typeof name === "string")?.[1] ?? ""), one])
    : entriesOf(value, 256);

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
