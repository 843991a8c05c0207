/** The fields of a text, or of a part of it. */
export type Node = Record<string, unknown>;

// Texts beside depth come from anybody. No pattern here has two parts without a bound that can match the same characters, so that all
// of them take time in proportion to the text.
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const LONGEST_NUMBER = 40;
export const isNumber = (word: string) => word.length <= LONGEST_NUMBER && NUMBER.test(word);
const NONE = /^[+-]?(inf(inity)?|nan)$/i;

/** The lines of a text, at most so many. A progress bar ends its lines by "\r" alone. */
export const linesOf = (text: string, most?: number) => text.split(/\r\n|\r|\n/, most);

export const wordsOf = (line: string) =>
  line
    .replace(/[[\](),;]/g, " ")
    .trim()
    .split(/\s+/);

/** The words as numbers, words for "none" as NaN; `undefined` if a word is neither. */
export function numbersIn(words: readonly string[]): number[] | undefined {
  const numbers: number[] = [];
  for (const word of words) {
    const value = Number(word);
    const isValue = Number.isFinite(value) && !(word[0] === "0" && word.length > 2 && !isNumber(word));
    if (word.length > LONGEST_NUMBER || (!isValue && !NONE.test(word))) return undefined;
    numbers.push(isValue ? value : Number.NaN);
  }
  return numbers;
}

export function scalar(text: string): unknown {
  const word = text.trim();
  if (isNumber(word)) return Number(word);
  const words = word
    .replace(/[[\],]/g, " ")
    .trim()
    .split(/\s+/);
  if (words.every(isNumber)) return words.map(Number);
  return word.startsWith("[") ? words : word.replace(/^["']|["']$/g, "");
}

/** The most characters of a text in which a table is looked for, and of a line. */
export const LONGEST_TABLE = 1 << 14;
export const LONGEST_LINE = 10_000;
