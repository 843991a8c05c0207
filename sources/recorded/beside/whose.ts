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
const NUMBERED = /(?<![a-z])(cam|kinect|sensor|dev|realsense|orbbec|k4a)(?:era|ice)?[-_ ]?(\d{1,2})(?!\d)/g;
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

/**
 * Tells, for the images `depth`, which names belong to another camera: names that have words of a kind that depth's names have, too, but
 * none of depth's own words of that kind ("depth_right/0.png", "pose_left.txt"; "cam1/depth/0.png", "camera_0.json").
 */
export function othersThan(depth: readonly string[]): (name: string) => boolean {
  const [own, last] = [wordsOf(depth[0]), wordsOf(depth[depth.length - 1])];
  const kept = [...(depth.length > 1 ? own : [])].flatMap(([kind, words]) => {
    const inBoth = words.filter((word) => last.get(kind)?.includes(word));
    return inBoth.length > 0 ? [[kind, inBoth] as const] : [];
  });
  return (name) => {
    const words = wordsOf(name);
    return kept.some(([kind, mine]) => words.get(kind)?.every((word) => !mine.includes(word)));
  };
}

/** Names in the order in which they are asked: those named after depth first, those named after colour last. */
export const depthFirst = (name: string): number =>
  /depth|aligned/i.test(name) ? 0 : /colou?r|rgb/i.test(name) ? 2 : 1;
