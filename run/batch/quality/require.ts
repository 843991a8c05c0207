import { counted } from "../../../core/check.ts";
import { refused } from "../../report/failure.ts";
import { NUMBERS } from "./columns.ts";
import type { Row } from "./row.ts";

/** Something that is required of every recording, such as `valid>0.7`. */
export interface Requirement {
  readonly text: string;
  /** Whether the row meets the requirement. An unknown figure does not meet a requirement. */
  readonly holds: (row: Row) => boolean;
}

const COMPARE: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "=": (a, b) => a === b,
};

/** Parses requirements, separated by spaces or commas. Throws a `RequestError` that names the columns if one is malformed. */
export function requirementsOf(text: string): readonly Requirement[] {
  const joined = text.replace(/\s*(<=|>=|<|>|=)\s*/g, "$1");
  return joined
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(one);
}

function one(text: string): Requirement {
  const [, name = "", how = "", number = ""] =
    text.match(/^(\w+)(<=|>=|<|>|=)([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)$/i) ?? [];
  const column = NUMBERS.find((candidate) => candidate.name === name);
  const compare = COMPARE[how];
  if (!column || !compare) {
    const names = NUMBERS.map((candidate) => candidate.name).join(", ");
    throw refused(
      "require",
      text,
      `it must be a column, <, <=, >, >= or =, and a number, such as valid>0.7; there are ${names}`,
    );
  }
  const least = Number(number);
  return {
    text,
    holds(row) {
      const value = row[column.name];
      return typeof value === "number" && compare(value, least);
    },
  };
}

/** Faults that warnings name, and that no good recording has. */
const FAULTS = [
  [/clock leaps|time stamps leap/, "its clock leaps"],
  [/have no (names|times) in common .*frames go without colour/, "its colour does not pair with its depth"],
] as const;

/**
 * The row, with the requirements that it does not meet. A recording without a valid pixel, with frames that cannot be read, with a clock
 * that leaps, or whose colour pairs with no depth, counts as meeting no requirement. A recording that meets all requirements is not called
 * good, either, if opening it gave a warning.
 */
export function judged(row: Row, requirements: readonly Requirement[]): Row {
  if (row.state === "failed") return row;
  const short = requirements.filter(({ holds }) => !holds(row)).map(({ text }) => text);
  const { frames = 0, empty = 0, unreadable = 0 } = row;
  const faults = FAULTS.filter(([words]) => row.warnings?.some((line) => words.test(line))).map(([, why]) => why);
  const why = [
    ...(frames > 0 && empty === frames ? ["no valid pixel in any frame"] : []),
    ...(unreadable > 0 ? [`${counted(unreadable, "frame")} could not be read`] : []),
    ...faults,
    ...(short.length > 0 ? [short.join(" ")] : []),
  ].join(", ");
  if (why !== "") return { ...row, state: "short", why };
  const { warned = 0, warnings: [first = ""] = [] } = row;
  return warned > 0 ? { ...row, state: "warned", why: first } : row;
}
