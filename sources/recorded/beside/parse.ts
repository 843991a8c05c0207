import { inverse, matrixOf, rotationOf } from "../../../core/calibration/extrinsics.ts";

/** The contents of a text beside depth: rows of numbers, or an object as JSON, YAML or lines of "name: value" give it. */
export interface Said {
  /** The numbers of each line, where every line but a heading consists of numbers. */
  readonly rows?: readonly (readonly number[])[];
  /** The names of the rows' columns, where a heading has as many words. */
  readonly names?: readonly string[];
  readonly value?: unknown;
}

// These texts come from anybody. No pattern here has two parts without a bound that can match the same characters, so that all of them
// take time in proportion to the text.
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const LONGEST_NUMBER = 40;
const isNumber = (word: string) => word.length <= LONGEST_NUMBER && NUMBER.test(word);
const NONE = /^[+-]?(inf(inity)?|nan)$/i;

/** The lines of a text, at most so many. A progress bar ends its lines by "\r" alone. */
const linesOf = (text: string, most?: number) => text.split(/\r\n|\r|\n/, most);

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
  if (/^VERTEX_SE3:QUAT /m.test(text.slice(0, LONGEST_TABLE))) return vertices(text);
  const table = tableOf(text);
  const rows = rowsOf(text);
  return rows || table
    ? { ...rows, ...(table && { value: table }) }
    : { value: /^\s*<\?xml/.test(text) ? xmlOf(text) : (colmapOf(text) ?? colmapImagesOf(text) ?? pairsOf(text)) };
}

const wordsOf = (line: string) =>
  line
    .replace(/[[\](),;]/g, " ")
    .trim()
    .split(/\s+/);

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

/** The poses in a graph of g2o, "VERTEX_SE3:QUAT id x y z qx qy qz qw"; its edges are passed over. */
function vertices(text: string): Said {
  const rows = linesOf(text).flatMap((line) => {
    const [kind, ...words] = line.length > LONGEST_LINE ? [""] : wordsOf(line);
    const numbers = kind === "VERTEX_SE3:QUAT" && words.length === 8 ? numbersIn(words) : undefined;
    return numbers ? [numbers] : [];
  });
  return { rows, names: ["id", "x", "y", "z", "qx", "qy", "qz", "qw"] };
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

const LONGEST_TABLE = 1 << 14;
const cellsOf = (line: string) => line.trim().split(/\s*[,;\t]\s*|\s+/, 65);

/** The parameters of COLMAP's camera models, in their order. */
const COLMAP: Readonly<Record<string, string>> = {
  SIMPLE_PINHOLE: "f cx cy",
  PINHOLE: "fx fy cx cy",
  SIMPLE_RADIAL: "f cx cy k1",
  RADIAL: "f cx cy k1 k2",
  OPENCV: "fx fy cx cy k1 k2 p1 p2",
  OPENCV_FISHEYE: "fx fy cx cy k1 k2 k3 k4",
  FULL_OPENCV: "fx fy cx cy k1 k2 p1 p2 k3 k4 k5 k6",
};

/** COLMAP's `cameras.txt`, "1 PINHOLE 640 480 525 525 320 240", where the centre of the first pixel is at one half. */
function colmapOf(text: string): Node[] | undefined {
  const lines = linesOf(text.slice(0, LONGEST_TABLE)).filter((line) => line.trim() !== "" && !line.startsWith("#"));
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

/** The most characters of a line of COLMAP's `images.txt` that names an image. */
const LONGEST_IMAGE = 400;

/** COLMAP's `images.txt`, "1 qw qx qy qz tx ty tz 1 name", from the world to the camera: its images, each with its pose. */
function colmapImagesOf(text: string): Node | undefined {
  if (!/^(#.*\n)*\d+( \S+){8} \S+\.\w+ *\r?$/m.test(text.slice(0, LONGEST_TABLE))) return undefined;
  const frames = linesOf(text).flatMap((line): Node[] => {
    const [, ...words] = line.length > LONGEST_IMAGE ? [] : line.trim().split(" ");
    const [w, x, y, z, ...t] = words.slice(0, 7).map(Number);
    if (words.length !== 9 || !Number.isFinite(w + x + y + z + t[0] + t[1] + t[2])) return [];
    const pose = matrixOf(inverse({ rotation: rotationOf(x, y, z, w), translation: t }));
    return [{ file_path: words[8], pose }];
  });
  return frames.length > 0 ? { frames } : undefined;
}

/** The words as numbers, words for "none" as NaN; `undefined` if a word is neither. */
function numbersIn(words: readonly string[]): number[] | undefined {
  const numbers: number[] = [];
  for (const word of words) {
    const value = Number(word);
    const isValue = Number.isFinite(value) && !(word[0] === "0" && word.length > 2 && !isNumber(word));
    if (word.length > LONGEST_NUMBER || (!isValue && !NONE.test(word))) return undefined;
    numbers.push(isValue ? value : Number.NaN);
  }
  return numbers;
}

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

type Node = Record<string, unknown>;

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

/** The most lines that are looked into, and the most characters of one. */
const MOST_LINES = 20_000;
const LONGEST_LINE = 10_000;

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

function scalar(text: string): unknown {
  const word = text.trim();
  if (isNumber(word)) return Number(word);
  const words = word
    .replace(/[[\],]/g, " ")
    .trim()
    .split(/\s+/);
  if (words.every(isNumber)) return words.map(Number);
  return word.startsWith("[") ? words : word.replace(/^["']|["']$/g, "");
}

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
