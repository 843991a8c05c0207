// Rules check what callers and files give before any code relies on it, and say in a few words what is wrong.

/** A rule for a value, in words and as a test. */
export interface Rule {
  /** The words, such as "a number above 0": they complete "fps must be …, not …". */
  readonly expects: string;
  holds(value: unknown): boolean;
}

/** Accepts a number from `min` to `max`, both included. */
export const between = (min: number, max: number): Rule => ({
  expects: `a number from ${min} to ${max}`,
  holds: (value) => typeof value === "number" && value >= min && value <= max,
});

/** Accepts a whole number from `min` to `max`, both included. */
export const whole = (min: number, max = Number.MAX_SAFE_INTEGER): Rule => {
  const range = between(min, max);
  return {
    expects: max === Number.MAX_SAFE_INTEGER ? `a whole number from ${min}` : `a whole number from ${min} to ${max}`,
    holds: (value) => Number.isSafeInteger(value) && range.holds(value),
  };
};

/** Accepts any of these texts. */
export const oneOf = (...texts: readonly string[]): Rule => ({
  expects: texts.join(" or "),
  holds: (value) => typeof value === "string" && texts.includes(value),
});

export const flag: Rule = { expects: "true or false", holds: (value) => typeof value === "boolean" };

export const callable: Rule = { expects: "a function", holds: (value) => typeof value === "function" };

/** Accepts an object that has these properties. */
export const having = (expects: string, ...names: readonly string[]): Rule => ({
  expects,
  holds: (value) => typeof value === "object" && value !== null && names.every((name) => name in value),
});

/** Accepts what the given rule accepts, and one further value: `Infinity` for "as many as there are". */
export const or = (rule: Rule, more: unknown): Rule => ({
  expects: `${rule.expects}, or ${String(more)}`,
  holds: (value) => Object.is(value, more) || rule.holds(value),
});

/**
 * Describes the first mistake in the options `given`, a misspelt name or a wrong value; `undefined` if there is none. An option that is
 * `undefined` keeps its default.
 */
export function complaint(given: unknown, rules: Readonly<Record<string, Rule>>): string | undefined {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return `the options must be an object, not ${shown(given)}`;
  for (const [name, rule] of Object.entries(rules)) {
    const value: unknown = Reflect.get(given, name);
    if (value !== undefined && !rule.holds(value)) return mustBe(name, rule, value);
  }
  const stray = Object.entries(given).find(([name, value]) => value !== undefined && !Object.hasOwn(rules, name));
  return stray && `there is no option ${short(stray[0], LONGEST_TEXT)}; there are ${Object.keys(rules).join(", ")}`;
}

export const mustBe = (name: string, { expects }: Rule, value: unknown): string =>
  `${name} must be ${expects}, not ${shown(value)}`;

/** Thrown for an option that is misspelt or out of range; the message names the option, the values it may have and the value given. */
export class OptionError extends Error {
  /** Names the class where `instanceof` cannot: across workers and copies of the library. */
  override readonly name = "OptionError";
  /** As in every `DepthloomError`. */
  readonly code: string = "DEPTHLOOM_OPTION";
}

/** Throws an `OptionError`, headed by the function's name `who`, for the first option that breaks its rule or has none. */
export function checkOptions(who: string, given: unknown, rules: Readonly<Record<string, Rule>>): void {
  const wrong = complaint(given, rules);
  if (wrong) throw new OptionError(`${who}: ${wrong}`);
}

/** Throws an `OptionError`, headed by the function's name `who`, for an argument that breaks its rule. */
export function checkArgument(who: string, name: string, rule: Rule, value: unknown): void {
  if (!rule.holds(value)) throw new OptionError(`${who}: ${mustBe(name, rule, value)}`);
}

const LONGEST_TEXT = 60;
const MOST_PARTS = 6;

/** Writes any value for a message: on one line, and shortened. */
export function shown(value: unknown, levels = 2): string {
  if (typeof value === "string") return JSON.stringify(short(value, LONGEST_TEXT));
  if (typeof value === "bigint" || typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  if (typeof value !== "object" || value === null) return String(value);
  if (ArrayBuffer.isView(value)) return `a ${value.constructor.name} of ${value.byteLength} bytes`;
  const isList = Array.isArray(value);
  const parts: string[] = [];
  // Stops early: writing all keys of a list of millions would take longer than making that list.
  for (const key of isList ? firstOf(value.length) : Object.keys(value)) {
    if (levels === 0 || parts.length === MOST_PARTS) {
      parts.push("…");
      break;
    }
    const part = shown(Reflect.get(value, key), levels - 1);
    parts.push(isList ? part : `${JSON.stringify(short(key, LONGEST_TEXT))}:${part}`);
  }
  return isList ? `[${parts.join(",")}]` : `{${parts.join(",")}}`;
}

const firstOf = (length: number) => Array.from({ length: Math.min(length, MOST_PARTS + 1) }, (_, i) => `${i}`);

/** Cuts out a text's middle where the text is longer than `most` characters. */
export function short(text: string, most: number): string {
  if (text.length <= most) return text;
  const tail = Math.floor(most / 3);
  return `${text.slice(0, most - tail)} … ${text.slice(-tail)}`;
}

/** Control characters, Unicode's line separators, and the marks that reverse the writing direction, by which a name can hide its ending. */
const OBEYED = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Replaces every character that a terminal would obey, line ends included: names in files may hold any. */
export const plain = (text: string): string => text.replace(OBEYED, "\ufffd");

/** "1 frame", "2 frames". */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** Does as `plain` does, but keeps the line ends. */
export const plainLines = (text: string): string => text.split("\n").map(plain).join("\n");
