import { naturally } from "../../color.ts";
import { DESCRIPTION } from "../../description.ts";
import { type Files, folderOf } from "../../files/files.ts";

/** Names of folders that people keep colour in beside `depth/`, the surest first. */
const FOLDERS: readonly string[] = ["rgb", "color", "colour", "image", "images"];

/** Colour images that lie beside depth without a `recording.json` that says so, in the order of the numbers in their names. */
export async function colorBeside(files: Files): Promise<readonly string[]> {
  const images = (await files.list()).filter((name) => /\.(png|jpe?g)$/i.test(name));
  const folder = FOLDERS.find((one) => images.some((name) => folderOf(name) === one));
  return folder === undefined ? [] : naturally(images.filter((name) => folderOf(name) === folder));
}

/**
 * Pairs each depth image with a colour image: the one of the same name, else the one whose name has the same first number, else the one at
 * the same position where both lists are equally long. A warning says which way was taken.
 */
export function pairBeside(
  files: Files,
  depth: readonly string[],
  colors: readonly string[],
  warnings: string[],
): readonly (string | undefined)[] {
  const folder = folderOf(colors[0]);
  const tell = (how: string) =>
    warnings.push(
      `${files.name}: the images in ${folder}/ are used as the colour of depth, paired ${how}, as if registered to it; to be sure, set "color" and "registered" in ${DESCRIPTION}`,
    );
  for (const [keyOf, how] of [
    [stemOf, "by their names"],
    [firstNumber, "by the first number in their names"],
  ] as const) {
    const keyed = new Map(colors.map((name) => [keyOf(name), name]));
    const isUnique = keyed.size === colors.length && new Set(depth.map(keyOf)).size === depth.length;
    const partners = depth.map((name) => keyed.get(keyOf(name)));
    const found = partners.filter((name) => name !== undefined).length;
    if (!isUnique || 2 * found < Math.min(depth.length, colors.length)) continue;
    tell(found === depth.length ? how : `${how} (${found} of ${depth.length} depth images have one)`);
    return partners;
  }
  if (colors.length === depth.length) {
    tell("in their order");
    return colors;
  }
  warnings.push(
    `${files.name}: the ${colors.length} images in ${folder}/ have no names in common with the ${depth.length} depth images: frames go without colour; rename them, or pair them in ${DESCRIPTION} ("color")`,
  );
  return [];
}

/** A name without its folder and extension; leading zeros of numbers do not count. */
const stemOf = (name: string) =>
  name
    .slice(folderOf(name).length)
    .replace(/^\/|\.(png|jpe?g)$/gi, "")
    .replace(/\d+/g, (digits) => digits.replace(/^0+(?=.)/, ""));

/** The first number in a name without its folder; the name itself where it has none. */
const firstNumber = (name: string) => /\d+/.exec(stemOf(name))?.[0] ?? name;
