import {
  airsimOf,
  colmapImagesOf,
  colmapOf,
  imagesTabled,
  matterportOf,
  mvsnetOf,
  vertices,
  virtualKittiOf,
} from "./known.ts";
import { dateIn } from "./times.ts";
import { LONGEST_LINE, LONGEST_TABLE, linesOf, type Node, numbersIn, scalar, wordsOf } from "./words.ts";

// The rule of words.ts for patterns holds here, too.

/** The contents of a text beside depth: rows of numbers, or an object as JSON, YAML or lines of "name: value" give it. */
export interface Said {
  /** The numbers of each line, where every line but a heading consists of numbers. */
  readonly rows?: readonly (readonly number[])[];
  /** The names of the rows' columns, where a heading has as many words. */
  readonly names?: readonly string[];
  readonly value?: unknown;
}

/** Interprets a text; what is neither JSON, numbers, a table nor lines of "name: value" says nothing. */
export function parseText(text: string): Said {
  if (/^\s*[[{]/.test(text)) {
    try {
      // Python writes numbers that are none as no JSON has them.
      const value: unknown = JSON.parse(text.replace(/(?<=[[:,\s])-?(NaN|Infinity)(?=[\],}\s])/g, "null"));
      const flat = numbersOf(value);
      return flat ? { rows: [flat] } : { value };
    } catch {
      // NumPy prints matrices with brackets, too, but without commas; TOML begins with brackets as well.
    }
  }
  if (/^VERTEX_SE3:QUAT /m.test(text.slice(0, LONGEST_TABLE))) return vertices(text);
  const known = matterportOf(text) ?? airsimOf(text) ?? mvsnetOf(text) ?? virtualKittiOf(text) ?? imagesTabled(text);
  if (known) return { value: known };
  const table = tableOf(text);
  const rows = rowsOf(text.replace(DATE, (date) => String(dateIn(date.replaceAll("/", "-")) ?? date)));
  return rows || table
    ? { ...rows, ...(table && { value: table }) }
    : { value: /^\s*<\?xml/.test(text) ? xmlOf(text) : (colmapOf(text) ?? colmapImagesOf(text) ?? pairsOf(text)) };
}

/** Dates with a time of day, as programs write them: in a table they count as their times in ms. */
const DATE = /(?<![\w-])20\d\d[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?(?!\w)/g;

function rowsOf(text: string): Said | undefined {
  const rows: number[][] = [];
  let [heading, hasHeading] = [undefined as string[] | undefined, false];
  for (const line of linesOf(text)) {
    const words = wordsOf(line);
    if (words[0] === "" || /^(%|\/\/)/.test(words[0])) continue;
    if (words[0].startsWith("#")) {
      // EuRoC names units behind its columns: "p_RS_R_x [m]".
      if (rows.length === 0)
        heading = wordsOf(line.replace(/\[[^\]]{0,20}\]/g, " "))
          .join(" ")
          .replace(/^#+ ?/, "")
          .split(" ");
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
  const [heading = "", ...lines] = linesOf(text.slice(0, LONGEST_TABLE).trim());
  const names = cellsOf(heading.replace(/^#/, ""));
  if (names.length < 3 || names.length > 64 || !names.every((name) => /^[A-Za-z]\w*$/.test(name))) return undefined;
  const rows = lines.map(cellsOf).filter((cells) => cells.length === names.length);
  return rows.length === lines.length && rows.length > 0 && rows.length <= 64
    ? rows.map((cells) => Object.fromEntries(cells.map((cell, i) => [names[i], scalar(cell)])))
    : undefined;
}

const cellsOf = (line: string) => line.trim().split(/\s*[,;\t]\s*|\s+/, 65);

/** The most matrices of a text in XML; the most characters of a matrix before its values, and of its values. */
const MOST_MATRICES = 64;
const LONGEST_HEAD = 400;
const LONGEST_MATRIX = 4096;

/** The matrices of a text that OpenCV writes as XML: each tag that has a size (`<rows>`) before its `<data>`. */
function xmlOf(text: string): Node {
  const found: Node = Object.create(null);
  let at = text.indexOf("<data>");
  for (let count = 0; at >= 0 && count < MOST_MATRICES; at = text.indexOf("<data>", at + 1)) {
    const head = text.slice(Math.max(0, at - LONGEST_HEAD), at);
    const rows = head.lastIndexOf("<rows>");
    const name = /^<(\w{1,80})/.exec(head.slice(head.lastIndexOf("<", rows - 1), rows))?.[1];
    if (rows <= 0 || name === undefined) continue;
    const values = text.slice(at + "<data>".length, at + LONGEST_MATRIX).split("<", 1)[0];
    found[name] = values.trim().split(/\s+/).map(Number);
    count++;
  }
  return found;
}

/**
 * YAML as calibrations use it (OpenCV's too), TOML, and lines of "name = value", "name,value" or "name 1.5". "Camera.fx: 525" is fx in
 * Camera.
 */
function pairsOf(text: string): Node {
  const top: Node = Object.create(null);
  const open: { indent: number; node: Node; items: unknown[] }[] = [{ indent: -1, node: top, items: [] }];
  let rest = "";
  let unclosed = 0;
  for (const raw of linesOf(text, MOST_LINES)) {
    const more = uncommented(raw.slice(0, LONGEST_LINE)).trimEnd();
    // A list in brackets may go on over several lines.
    unclosed += more.split("[").length - more.split("]").length;
    const line = rest + more;
    rest = line.length < LONGEST_LINE && unclosed > 0 ? line : "";
    if (rest !== "" || line.trim() === "") continue;
    unclosed = 0;
    const [, space, dash, content] = /^(\s*)(-\s+)?(.*)$/s.exec(line) ?? ["", "", undefined, line];
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
    const pair = pairIn(content);
    if (!pair) {
      // Python writes a matrix as lists in lists: "- - 525.0", "  - 0".
      if (dash) items.push(scalar(content.replace(/^(- +)+/, "")));
      continue;
    }
    const { name, value } = pair;
    const path = name.split(/[./]/);
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

/** The most lines that are looked into. */
const MOST_LINES = 20_000;

/** A line without its comment, which a "#" at the beginning or behind a space begins. */
function uncommented(line: string): string {
  let at = line.indexOf("#");
  while (at > 0 && !/\s/.test(line[at - 1])) at = line.indexOf("#", at + 1);
  return at < 0 ? line : line.slice(0, at);
}

/** "name: value", "name = value", "name,value" or "name 1.5" as a name and a value; `undefined` for other lines. */
function pairIn(content: string): { readonly name: string; readonly value: string } | undefined {
  const at = content.slice(0, LONGEST_NAME).search(/[:=,]/);
  const name = /^"?([\w. /-]+)"?$/.exec(content.slice(0, Math.max(0, at)).trim())?.[1];
  if (name !== undefined) return { name: name.trim(), value: content.slice(at + 1).trim() };
  const found = /^([A-Za-z]\w{0,80})\s+([-+.\d].*)$/s.exec(content);
  return found ? { name: found[1], value: found[2] } : undefined;
}

/** The most characters of a name with its quotes, and the spaces around it. */
const LONGEST_NAME = 100;

function child(node: Node, name: string): Node {
  if (typeof node[name] !== "object" || node[name] === null || Array.isArray(node[name]))
    node[name] = Object.create(null);
  return node[name] as Node;
}

/** A value of a text as a number; NaN for a list or fields, which have none. */
export const numberOf = (value: unknown): number => (typeof value === "object" ? Number.NaN : Number(value));

/** DepthAI lists an OAK's cameras as pairs of a socket's number and the camera. */
const nameOf = (one: unknown) =>
  Array.isArray(one) && one.length === 2
    ? (["rgb", "left", "right"][Number(one[0])] ?? "")
    : String(entriesOf(one, 64).find(([, name]) => typeof name === "string")?.[1] ?? "");

/** The contents of an object or a list, with names: the names of the object's fields, or those that the list's entries give themselves. */
export const partsOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  Array.isArray(value) ? value.slice(0, 64).map((one) => [nameOf(one), one]) : entriesOf(value, 256);

/** The entries of an object, at most so many; no entries for any other value. */
export const entriesOf = (value: unknown, most = 10_000): readonly (readonly [string, unknown])[] =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value).slice(0, most) : [];

/** The fields of an object; none for anything else. */
export const fieldsIn = (value: unknown): Readonly<Record<string, unknown>> => Object.fromEntries(entriesOf(value));

/** The numbers of a list, of a list of rows, or of an OpenCV matrix (its `data`), as one flat list; `undefined` for anything else. */
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
