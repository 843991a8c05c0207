// What comes from callers and files is checked by rules like these before it is believed, and told shortly where it is wrong.

/** What a value may be, in words and as a test. */
export interface Rule {
  /** "a number above 0": the middle of "fps must be …, not …". */
  readonly expects: string;
  holds(value: unknown): boolean;
}

/** A number between two others, both included. */
export const between = (min: number, max: number): Rule => ({
  expects: `a number from ${min} to ${max}`,
  holds: (value) => typeof value === "number" && value >= min && value <= max,
});

/** A whole number between two others, both included. */
export const whole = (min: number, max = Number.MAX_SAFE_INTEGER): Rule => {
  const range = between(min, max);
  return {
    expects: max === Number.MAX_SAFE_INTEGER ? `a whole number from ${min}` : `a whole number from ${min} to ${max}`,
    holds: (value) => Number.isSafeInteger(value) && range.holds(value),
  };
};

/** One of a few texts. */
export const oneOf = (...texts: readonly string[]): Rule => ({
  expects: texts.join(" or "),
  holds: (value) => typeof value === "string" && texts.includes(value),
});

export const flag: Rule = { expects: "true or false", holds: (value) => typeof value === "boolean" };

export const callable: Rule = { expects: "a function", holds: (value) => typeof value === "function" };

/** A rule that a further value meets too: `Infinity` for "as many as there are". */
export const or = (rule: Rule, more: unknown): Rule => ({
  expects: `${rule.expects}, or ${String(more)}`,
  holds: (value) => Object.is(value, more) || rule.holds(value),
});

/** What is wrong with the options `given`, the first of it: a misspelt name, or a value. What is `undefined` is left to its default. */
export function complaint(given: unknown, rules: Readonly<Record<string, Rule>>): string | undefined {
  if (typeof given !== "object" || given === null) return `the options must be an object, not ${shown(given)}`;
  for (const [name, rule] of Object.entries(rules)) {
    const value: unknown = Reflect.get(given, name);
    if (value !== undefined && !rule.holds(value)) return mustBe(name, rule, value);
  }
  const stray = Object.entries(given).find(([name, value]) => value !== undefined && !Object.hasOwn(rules, name));
  return stray && `there is no option ${short(stray[0], LONGEST_TEXT)}; there are ${Object.keys(rules).join(", ")}`;
}

export const mustBe = (name: string, { expects }: Rule, value: unknown): string =>
  `${name} must be ${expects}, not ${shown(value)}`;

/** An option of a function that cannot be as it was given; the message names it, what it may be and what it was. */
export class OptionError extends Error {
  override readonly name = "OptionError";
}

/** Throws an `OptionError` for the first option that breaks its rule, or has none. */
export function checkOptions(who: string, given: unknown, rules: Readonly<Record<string, Rule>>): void {
  const wrong = complaint(given, rules);
  if (wrong) throw new OptionError(`${who}: ${wrong}`);
}

const LONGEST_TEXT = 60;
const MOST_PARTS = 6;

/** Any value for a message: on one line, and short whatever it is. */
export function shown(value: unknown, levels = 2): string {
  if (typeof value === "string") return JSON.stringify(short(value, LONGEST_TEXT));
  if (typeof value === "bigint" || typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  if (typeof value !== "object" || value === null) return String(value);
  if (ArrayBuffer.isView(value)) return `a ${value.constructor.name} of ${value.byteLength} bytes`;
  const isList = Array.isArray(value);
  const parts: string[] = [];
  // Never all keys: of a list of millions, to name them takes longer than to have it.
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

/** A text without its middle, where it is long. */
export function short(text: string, most: number): string {
  if (text.length <= most) return text;
  const tail = Math.floor(most / 3);
  return `${text.slice(0, most - tail)} … ${text.slice(-tail)}`;
}

/** A text on one line, with nothing in it that a terminal would obey: names in files may be anything. */
export const plain = (text: string): string => text.replace(/\p{Cc}/gu, "\ufffd");
