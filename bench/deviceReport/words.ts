import type { Answer, AnswerCase } from "../study.ts";

/** Ratios as a range: "0.70 to 66.57"; as one number where they look alike. */
export function rangeWords(ratios: readonly number[]): string {
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
  return least === most ? String(least) : `${least} to ${most}`;
}

/** The ends of a list of shares: "2 % (track) to 75 % (threshold)". */
export function endsWords(shares: readonly { readonly name: string; readonly share: number }[]): string {
  const sorted = [...shares].sort((a, b) => a.share - b.share);
  const ends = [...new Set([sorted[0], sorted.at(-1)])].flatMap((one) => one ?? []);
  return ends.map(({ name, share }) => `${shareWords(share)} (${name})`).join(" to ");
}

/** A share with two digits: "76 %", "0.81 %". */
export const shareWords = (share: number): string => `${Number((share * 100).toPrecision(2))} %`;

/** What was found in several cases: summed up, and each; of one alone what was found there. */
export function summedUp(found: string, cases: readonly AnswerCase[]): Pick<Answer, "found" | "cases"> {
  const [only] = cases;
  return cases.length === 1 && only ? { found: `${only.name}: ${only.found}` } : { found, cases };
}

/** The part of an answer that lists its cases: nothing if one alone is summed up. */
export const casesOf = (cases: readonly AnswerCase[]): { readonly cases?: readonly AnswerCase[] } =>
  cases.length > 1 ? { cases } : {};
