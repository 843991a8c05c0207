import { baseOf } from "../../files/files.ts";
import { isNamedAfter, wordsOf as plainWordsOf } from "../../format/roles.ts";

/** Sides of a rig that exclude each other, and words for cameras with a number. */
const SIDES = {
  left: "across",
  lcam: "across",
  right: "across",
  rcam: "across",
  front: "along",
  back: "along",
  rear: "along",
};
const ALIKE: Readonly<Record<string, string>> = { lcam: "left", rcam: "right", rear: "back" };
const SIDE = new RegExp(`(?<![a-z])(${Object.keys(SIDES).join("|")})(?![a-z])`, "g");
const NUMBERED =
  /(?<![a-z])(cam|kinect|sensor|dev|realsense|orbbec|k4a)(?:era|ice)?(?:[-_ ](?:depth|colou?r|rgb|ir))?[-_ ]?(\d{1,3})(?!\d)/g;
/** A serial number, where all images have it. */
const SERIAL = /(?<!\d)\d{9,16}(?!\d)/g;

/** The words of a name that tell the cameras of a rig apart, by their kind: of one camera, words of one kind are the same. */
function wordsOf(name: string): Map<string, string[]> {
  const text = name.toLowerCase();
  const words = new Map<string, string[]>();
  const add = (kind: string, word: string) => words.set(kind, [...(words.get(kind) ?? []), word]);
  for (const [side] of text.matchAll(SIDE)) add(SIDES[side as keyof typeof SIDES], ALIKE[side] ?? side);
  for (const [, kind, number] of text.matchAll(NUMBERED)) add(kind, String(Number(number)));
  for (const [serial] of text.matchAll(SERIAL)) add(`${serial.length} digits`, serial);
  return words;
}

/** Depth that was chosen, and the names of all depth of its rank: "front_depth_*.png", "top_depth_*.png". */
export interface Ranked {
  readonly name: string;
  readonly topics: readonly { readonly name: string }[];
}

/**
 * What tells one series from another: words that say no role, serial numbers ("f1120593_depth/*.png"), and all numbers in the name of
 * a file that has no frame's number.
 */
function tokensOf(name: string, numbered: boolean): Set<string> {
  // The 2 of "c2w" is no number.
  const plain = name.replace(/\.\w+$/, "").replace(/(?<=[cwmd])2(?=[cw])/gi, "_");
  const words = plainWordsOf(plain).filter((word) => !isNamedAfter([word]));
  const numbers = numbered ? baseOf(plain).match(/\d+/g) : plain.toLowerCase().match(/\p{L}+\d+/gu);
  return new Set([...words, ...(numbers ?? [])]);
}

/** Tells which names have a word of another series of the `chosen` one's rank ("top_rgb_0.png"), and none of its own. */
function ofOtherSeries({ name, topics }: Ranked): (name: string) => boolean {
  const isNumbered = !baseOf(name).includes("*");
  const own = tokensOf(name, isNumbered);
  const others = topics.filter((one) => one.name !== name).map((one) => tokensOf(one.name, isNumbered));
  const mine = [...own].filter((token) => !others.every((other) => other.has(token)));
  const theirs = others.flatMap((other) => [...other].filter((token) => !own.has(token)));
  return (given) => {
    const tokens = tokensOf(given, isNumbered);
    return theirs.some((token) => tokens.has(token)) && !mine.some((token) => tokens.has(token));
  };
}

/**
 * Tells, for the images `depth`, which names belong to another camera: names that have words of a kind that depth's names have, too, but
 * none of depth's own words of that kind ("depth_right/0.png", "pose_left.txt"; "cam1/depth/0.png", "camera_0.json"), and those that have
 * words of another series of the `chosen` one's rank.
 */
export function othersThan(depth: readonly string[], chosen?: Ranked): (name: string) => boolean {
  const [own, last] = [wordsOf(depth[0]), wordsOf(depth[depth.length - 1])];
  const kept = [...(depth.length > 1 ? own : [])].flatMap(([kind, words]) => {
    const inBoth = words.filter((word) => last.get(kind)?.includes(word));
    return inBoth.length > 0 ? [[kind, inBoth] as const] : [];
  });
  const isOfSeries = chosen && chosen.topics.length > 1 ? ofOtherSeries(chosen) : () => false;
  return (name) => {
    const words = wordsOf(name);
    return isOfSeries(name) || kept.some(([kind, mine]) => words.get(kind)?.every((word) => !mine.includes(word)));
  };
}

/** Names in the order in which they are asked: those named after depth first, those named after colour last. */
export const depthFirst = (name: string): number =>
  /depth|aligned/i.test(name) ? 0 : /colou?r|rgb/i.test(name) ? 2 : 1;
