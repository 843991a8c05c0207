import { DESCRIPTION, type Description } from "./description.ts";
import type { Origin } from "./facts.ts";
import { type Files, folderOf } from "./files/files.ts";
import type { OpenOptions } from "./format.ts";
import { globOf } from "./glob.ts";

/** Whether the colour that is `there` is to be read, and who says so. */
export function colorAsked(
  there: boolean,
  options: OpenOptions,
  said: Description | undefined,
  warnings: string[],
): { read: boolean; from: Origin } {
  if (options.color === false) return { read: false, from: "option" };
  if (!there || said?.registered !== false) return { read: there, from: "files" };
  warnings.push(
    `${DESCRIPTION} says that colour is not registered to depth: frames go without it ("registered": true once it is)`,
  );
  return { read: false, from: DESCRIPTION };
}

/**
 * The colour image of each depth image, by what the stars stand for in both names ("depth/007.png" and "color/7.png"); in
 * their order where no two share that and there are as many of both. Colour is optional: what cannot be is a warning.
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
  if (named.length === 0) return goWithout(`no file is called ${colorPath}: correct "color"`);
  const colors = named.filter((name) => /\.(png|jpe?g)$/i.test(name));
  const [other] = named;
  if (colors.length === 0)
    return goWithout(`colour is read from PNGs and JPEGs, and ${other} is neither: convert them`);
  if (said.registered === undefined) {
    warnings.push(`${files.name}/${DESCRIPTION}: nothing says that colour is registered to depth: it is taken to be`);
  }
  const depthStars = said.depth === undefined ? undefined : globOf(said.depth);
  const keyed = new Map(colors.map((name) => [keyOf(starsIn(name) ?? []), name]));
  const partners = depth.map((name) => keyed.get(keyOf(depthStars?.(name) ?? [stemOf(name)])));
  if (partners.some((name) => name !== undefined)) return partners;
  if (colors.length === depth.length) return naturally(colors);
  return goWithout(
    `of ${depth.length} depth and ${colors.length} colour images no two have names that belong together`,
  );
}

export const isPng = (name: string): boolean => /\.png$/i.test(name);

const stemOf = (name: string) => name.slice(folderOf(name).length).replace(/^\/|\.(png|jpe?g)$/gi, "");

/** Numbers count, not how many digits they are written with. */
const keyOf = (stars: readonly string[]) => stars.join("/").replace(/\d+/g, (digits) => digits.replace(/^0+(?=.)/, ""));

/** Sorts so that 2 comes before 10. */
export function naturally(names: readonly string[]): string[] {
  const keyed = names.map((name) => [name.replace(/\d+/g, (digits) => digits.padStart(20, "0")), name] as const);
  return keyed.sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x < y ? -1 : 1)).map(([, name]) => name);
}
