import { short } from "../../core/check.ts";
import { type Files, folderOf } from "../files/files.ts";
import { DESCRIPTION, type Description } from "../format/description.ts";
import type { OpenOptions, Origin } from "../format/format.ts";
import { globOf } from "./glob.ts";

/** Decides whether to read the colour that is `there`, and tells whose word decides. */
export function colorAsked(
  there: boolean,
  options: OpenOptions,
  said: Description | undefined,
  warnings: string[],
): { read: boolean; from: Origin } {
  if (options.color === false) return { read: false, from: "option" };
  if (!there || said?.registered !== false) return { read: there, from: "files" };
  warnings.push(
    `${DESCRIPTION} says that colour is not registered to depth: frames go without colour (write "registered": true once it is)`,
  );
  return { read: false, from: DESCRIPTION };
}

/**
 * Pairs each depth image with a colour image by the text that the stars stand for in both names ("depth/007.png" and "color/7.png"). Where
 * no two names share such a text and both lists are equally long, the order pairs them. Colour is optional: faults become warnings.
 */
export async function colorsOf(
  files: Files,
  depth: readonly string[],
  said: Description,
  colorPath: string,
  warnings: string[],
): Promise<(string | undefined)[]> {
  const none = depth.map(() => undefined);
  const goWithout = (reason: string) => {
    warnings.push(`${files.name}/${DESCRIPTION}: ${reason}; frames go without colour`);
    return none;
  };
  const starsIn = globOf(colorPath);
  const named = (await files.list()).filter((name) => starsIn(name));
  if (named.length === 0) return goWithout(`no file is named ${short(colorPath, 100)}: correct "color"`);
  const colors = named.filter((name) => /\.(png|jpe?g)$/i.test(name));
  const [other] = named;
  if (colors.length === 0)
    return goWithout(`colour is read from PNGs and JPEGs, and ${other} is neither: convert them`);
  if (said.registered === undefined)
    warnings.push(
      `${files.name}/${DESCRIPTION}: the recording does not say whether colour is registered to depth; it is used as if it were`,
    );
  const depthStars = said.depth === undefined ? undefined : globOf(said.depth);
  const keyed = new Map(colors.map((name) => [keyOf(starsIn(name) ?? []), name]));
  const partners = depth.map((name) => keyed.get(keyOf(depthStars?.(name) ?? [stemOf(name)])));
  if (partners.some((name) => name !== undefined)) return partners;
  if (colors.length === depth.length) return naturally(colors);
  return goWithout(`of ${depth.length} depth and ${colors.length} colour images no two have matching names`);
}

export const isPng = (name: string): boolean => /\.png$/i.test(name);

const stemOf = (name: string) => name.slice(folderOf(name).length).replace(/^\/|\.(png|jpe?g)$/gi, "");

const keyOf = (stars: readonly string[]) => withoutZeros(stars.join("/"));

/** Makes "007" and "7" equal: leading zeros do not count. */
export const withoutZeros = (name: string): string => name.replace(/\d+/g, (digits) => digits.replace(/^0+(?=.)/, ""));

/** Sorts names so that 2 comes before 10. */
export function naturally(names: readonly string[]): string[] {
  const keyed = names.map((name) => [name.replace(/\d+/g, (digits) => digits.padStart(20, "0")), name] as const);
  return keyed.sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x < y ? -1 : 1)).map(([, name]) => name);
}
