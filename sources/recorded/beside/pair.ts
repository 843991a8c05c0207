import { nearest } from "../../../core/associate.ts";
import { folderOf } from "../../files/files.ts";
import { naturally, withoutZeros } from "../color.ts";
import { grouped } from "../series/group.ts";
import type { Said } from "./parse.ts";
import { timesIn } from "./times.ts";

/** Partners of some names, and how they were found. */
export interface Pairs {
  readonly partners: readonly (string | undefined)[];
  readonly found: number;
  readonly how: string;
}

/** The largest difference of paired times, ms. */
const MAX_DIFFERENCE = 50;

/**
 * Pairs each of `names` with one of `others`: the one of the same name, else the one with the same numbers in its name, else the same first
 * number, else the nearest time. `undefined` where no way finds half of the partners.
 */
export function pairByNames(names: readonly string[], others: readonly string[]): Pairs | undefined {
  const [mine, theirs] = [tellingOf(names), tellingOf(others)];
  for (const [keyOf, how] of [
    [stemOf, "by their names"],
    [numbersOf, "by the numbers in their names"],
    [firstNumber, "by the first number in their names"],
  ] as const) {
    const keyed = new Map(others.map((name, i) => [keyOf(theirs[i]), name]));
    const isUnique = keyed.size === others.length && new Set(mine.map(keyOf)).size === names.length;
    const partners = mine.map((name) => keyed.get(keyOf(name)));
    const found = partners.filter((name) => name !== undefined).length;
    if (!isUnique || found === 0 || 2 * found < Math.min(names.length, others.length)) continue;
    const shifted = found < names.length ? pairByCounts(names, others) : undefined;
    return shifted ?? { partners, found, how };
  }
  return pairByTimes(names, others);
}

/** Pairs two lists as long as each other that both count by one, the one from 0 and the other from 1. */
function pairByCounts(names: readonly string[], others: readonly string[]): Pairs | undefined {
  const [mine, theirs] = [names, others].map((all) => naturally(tellingOf(all)).map(lastNumber));
  const counts = (all: readonly number[]) => all.every((number, i) => number === i + all[0]);
  const isShifted = mine[0] + theirs[0] === 1 && mine.length === theirs.length && counts(mine) && counts(theirs);
  if (!isShifted) return undefined;
  const order = naturally(others);
  const place = new Map(naturally(names).map((name, i) => [name, order[i]]));
  const how = `in their order, as depth's names count from ${mine[0]} and theirs from ${theirs[0]}`;
  return { partners: names.map((name) => place.get(name)), found: names.length, how };
}

/** Names that tell files apart: where all have one file's name ("0001/depth.png"), their folders'. */
export const tellingOf = (names: readonly string[]) =>
  haveOneName(names) ? names.map((name) => folderOf(name)) : names;

/** Whether several files have one name, each in a folder of its own. */
export const haveOneName = ([first, ...more]: readonly string[]): boolean => {
  const own = first?.slice(folderOf(first).length);
  return more.length > 0 && more.every((name) => name.slice(folderOf(name).length) === own);
};

function pairByTimes(names: readonly string[], others: readonly string[]): Pairs | undefined {
  const [mine, theirs] = [timesIn(names), timesIn(others)];
  if (!mine || !theirs) return undefined;
  const order = others.map((name, i) => ({ name, time: theirs[i] })).sort((a, b) => a.time - b.time);
  const times = order.map(({ time }) => time);
  const partners = mine.map((time) => order[nearest(times, time, MAX_DIFFERENCE)]?.name);
  const found = partners.filter((name) => name !== undefined).length;
  return 2 * found >= names.length ? { partners, found, how: "by the times in their names" } : undefined;
}

/**
 * For each image the row whose `id`, the first column of `rows`, is the last number in the image's name; else the rows in their order, if
 * there are as many rows as images. `undefined` where the list, `said`, has no column of that name.
 */
export function rowsById(
  rows: readonly (readonly number[])[],
  { names }: Pick<Said, "names">,
  images: readonly string[],
): readonly (readonly number[] | undefined)[] | undefined {
  if (!names?.includes("id")) return undefined;
  const byId = new Map(rows.map((row) => [row[0], row]));
  const found = tellingOf(images).map((name) => byId.get(lastNumber(name)));
  if (2 * found.filter((row) => row !== undefined).length >= images.length) return found;
  return rows.length === images.length ? rows : undefined;
}

/**
 * Finds the row of each image. That is the row at the image's position. A list of more rows than images is read by the numbers in the
 * images' names, which count rows from 0, or from 1 if the largest number is the number of rows.
 */
export function rowsFor(rows: number, name: string, depth: readonly string[]) {
  if (rows === depth.length) return { rowOf: (index: number) => index };
  const numbers = tellingOf(depth).map(lastNumber);
  const first = numbers.reduce((most, one) => Math.max(most, one), 0) === rows ? 1 : 0;
  const isFit = numbers.every((one) => one >= first && one < rows + first) && new Set(numbers).size === numbers.length;
  const rowOf = (index: number) => (isFit ? numbers[index] - first : index);
  const last = depth.length - 1;
  const how = isFit
    ? `by the numbers in their names (the first row is number ${first})`
    : "in their order, as no numbers in their names tell which";
  const warning = `${name}: it has ${rows} poses for ${depth.length} images, which are taken ${how}: that of ${depth[last]} is the pose in place ${rowOf(last) + 1}`;
  return { rowOf, warning };
}

/** Groups names that differ only in their numbers, by the name with "#" in place of each number. */
export const kindsOf = (names: readonly string[]): Map<string, string[]> =>
  grouped(names, (name) => name.replace(/\d+/g, "#"));

/** A name without its folder and extension; leading zeros of numbers do not count. */
const stemOf = (name: string) => withoutZeros(name.slice(folderOf(name).length).replace(/^\/|\.[a-z]\w{0,6}$/gi, ""));

/** All numbers of a name but an image's size ("640x480"); the name itself where it has none. */
const numbersOf = (name: string) =>
  stemOf(name)
    .replace(/\d{2,5}x\d{2,5}/, "")
    .match(/\d+/g)
    ?.join() ?? name;

/** The last whole number in a name without its folder; NaN where it has none, or a decimal number. */
export const lastNumber = (name: string): number =>
  Number(/(?<![\d.])\d+(?=\D*$)/.exec(name.replace(/^.*\/|\.[a-z]\w*$/gi, ""))?.[0] ?? Number.NaN);

/** The first number in a name without its folder; the name itself where it has none. */
const firstNumber = (name: string) => /\d+/.exec(stemOf(name))?.[0] ?? name;
