import type { Answer, AnswerCase } from "../../bench/deviceReport/study.ts";

// Reports that were kept before an answer had its cases apart list them in one long sentence. They cannot be measured again at will, so
// that sentence is taken apart here.

/** A longer sentence does not fit the cell of a table. */
const LONG = 100;
/** How many cases stand for all where they cannot be compared. */
const SOME = 3;
/** What a case tells: a ratio, a share, perhaps with how many pixels or outputs take it. */
const VALUE = /(?:\d+ in )?(\d+(?:\.\d+)?)(?= %| ms| µs| ns| [TGM](?:op|B)\/s)|(?:\d+ in )?(\d+\.\d+)/;

/** An answer whose sentence fits the cell of a table; what it listed is in its cases. */
export function shortened(answer: Answer): Answer {
  if (answer.cases || answer.found.length <= LONG) return answer;
  const { lead, items } = itemsOf(answer.found);
  const told = items.map(caseOf);
  const values = told.map(({ value }) => value);
  const isComparable =
    values.every((value) => !Number.isNaN(value)) && new Set(told.map(({ unit }) => unit)).size === 1;
  const sorted = [...told].sort((a, b) => a.value - b.value);
  const ends = [sorted[0], sorted.at(-1)].flatMap((one) => (one ? [`${one.brief} (${one.name})`] : []));
  const some = items.slice(0, SOME).join(", ");
  // Three that cannot be summed up need not be listed again.
  if (!isComparable && items.length <= SOME) return answer;
  const found = `${lead && `${lead}: `}${isComparable ? ends.join(" to ") : some}`;
  return { ...answer, found, cases: told.map(({ name, found }) => ({ name, found })) };
}

/** A list with its lead-in, if it has one: "at 640 × 480: a 5 %, b 6 %". */
function itemsOf(sentence: string): { readonly lead: string; readonly items: readonly string[] } {
  const by = (separator: string) => sentence.split(new RegExp(`${separator}(?![^(]*\\))`));
  const semicolons = by("; ");
  const isList = semicolons.length > 2;
  const [first = "", second = "", ...rest] = isList ? semicolons : by(", ");
  const colons = (text: string) => text.split(": ").length;
  const cut = colons(first) > colons(second) ? first.indexOf(": ") : -1;
  if (cut < 0) return { lead: "", items: [first, second, ...rest] };
  return { lead: first.slice(0, cut), items: [first.slice(cut + 2), second, ...rest] };
}

interface LongCase extends AnswerCase {
  readonly value: number;
  /** What follows the value: the unit, for what has one. */
  readonly unit: string;
  /** What it found, without remarks. */
  readonly brief: string;
}

function caseOf(item: string): LongCase {
  const match = VALUE.exec(item);
  const at = match?.index ?? item.indexOf(": ") + 2;
  const name = item
    .slice(0, at)
    .trim()
    .replace(/(: one output takes|[:,])$/, "");
  const found = item.slice(at);
  const value = Number(match?.[1] ?? match?.[2] ?? Number.NaN);
  const unit = match?.[1] === undefined ? "" : (/^\S+ \S+/.exec(found)?.[0].split(" ")[1] ?? "");
  return { name, found, value, unit, brief: found.split(/ \(|,| with /)[0] ?? "" };
}
