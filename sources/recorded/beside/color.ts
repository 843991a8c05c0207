import { jpegSize } from "../../decode/jpeg.ts";
import { isColorPng, PNG_HEAD, pngSize } from "../../decode/pngSize.ts";
import { baseOf, type Files, folderOf } from "../../files/files.ts";
import { DESCRIPTION } from "../../format/description.ts";
import { type Role, roleOf } from "../../format/roles.ts";
import { naturally } from "../color.ts";
import { isInArrays } from "../series/arrays.ts";
import { grouped } from "../series/group.ts";
import { relative } from "./notes.ts";
import { haveOneName, kindsOf, type Pairs, pairByNames } from "./pair.ts";
import { othersThan } from "./whose.ts";

/** Names of folders that people keep colour in beside `depth/`, the surest first. */
const FOLDERS: readonly string[] = ["rgb", "color", "colour", "image", "images"];
const IMAGE = /\.(png|jpe?g)$/i;
const COLOR = /colou?r|rgb|image|img|frame|cam|wide|left/i;
/** The roles that colour may have by its name, the surest first: "processed/" may be photos, too, unless it says depth. */
const [SURE, UNSURE]: (readonly Role[])[] = [
  ["unnamed", "color"],
  ["filled", "ray", "truth"],
];
/** How many kinds of images are looked into, by the first image of each. */
const MOST_KINDS = 16;

/**
 * Colour images beside depth that no `recording.json` names, in the order of the numbers in their names: those of a folder named after
 * colour, else 8-bit colour images whose names pair with depth's, in the recording's folder, in depth's or in another one.
 */
export async function colorBeside(
  files: Files,
  depth: readonly string[],
  isOthers = othersThan(depth),
): Promise<readonly string[]> {
  const used = new Set(depth);
  const arrays = (await files.list()).filter((name) => isInArrays(name) && roleOf(name) === "color" && !isOthers(name));
  if (arrays.length > 0) return naturally(arrays);
  const images = (await files.list()).filter((name) => IMAGE.test(name) && !used.has(name) && !isOthers(name));
  const folder = FOLDERS.find((one) => images.some((name) => folderOf(name) === one));
  if (folder !== undefined) return naturally(images.filter((name) => folderOf(name) === folder));
  const own = folderOf(depth[0]);
  // EuRoC keeps the images of each camera in "cam0/data".
  const top = (name: string) => folderOf(folderOf(name.replace(/\/data(?=\/[^/]+$)/, "")));
  // "rgb/wrist/0.png" is the colour of "depth/wrist/0.png".
  const parts = own.split("/");
  const isAlike = (other: readonly string[]) =>
    other.length === parts.length && other.filter((part, i) => part !== parts[i]).length === 1;
  const isNear = (name: string) =>
    [own, ""].includes(folderOf(name)) || top(name) === "" || isAlike(folderOf(name).split("/"));
  const near = images.filter(isNear).map((name) => ({ name, said: relative(name, own) }));
  const sure = near.filter(({ said }) => SURE.includes(roleOf(said)));
  const unsure = near.filter(({ said }) => !/depth/i.test(said) && UNSURE.includes(roleOf(said)));
  const kinds = kindsOf([...sure, ...unsure].map(({ name }) => name));
  let best: { names: readonly string[]; pairs: Pairs; worth: number } | undefined;
  // BridgeData numbers its cameras' folders, "images0/im_0.jpg", and TransCG a frame's images, "0/rgb1.png".
  const all = [...kinds].slice(0, MOST_KINDS).flatMap(([kind, names]) => {
    const parts = pairByNames(depth, names)
      ? [names]
      : [folderOf, baseOf].flatMap((of) => [...grouped(names, of).values()]);
    return parts.map((one) => [kind, one] as const);
  });
  for (const [kind, names] of all.slice(0, MOST_KINDS)) {
    const pairs = pairByNames(depth, names);
    if (!pairs || 2 * pairs.found < depth.length || !(await isColor(files, names[0]))) continue;
    const worth = pairs.found + (COLOR.test(kind) ? depth.length : 0);
    if (worth > (best?.worth ?? 0)) best = { names, pairs, worth };
  }
  return naturally(best?.names ?? []);
}

/** The size in pixels of the first photograph; `undefined` where there is none. */
export async function photoSize(files: Files, [name]: readonly string[]) {
  if (name === undefined) return undefined;
  const bytes = await files.read(name);
  return pngSize(bytes) ?? jpegSize(bytes);
}

/** Whether an image is a JPEG or a PNG of 8 bits in colour. */
async function isColor(files: Files, name: string): Promise<boolean> {
  if (!/\.png$/i.test(name)) return true;
  const file = await files.file?.(name);
  const head = await (file ? file.read(0, PNG_HEAD) : files.read(name));
  await file?.close();
  return isColorPng(head);
}

/**
 * Pairs each depth image with a colour image by their names (`pairByNames`), else with the one at the same position where both lists are
 * equally long. A warning says which way was taken.
 */
export function pairBeside(
  files: Files,
  depth: readonly string[],
  colors: readonly string[],
  warnings: string[],
): readonly (string | undefined)[] {
  const folder = folderOf(colors[0]);
  const shown = haveOneName(colors) ? `*/${baseOf(colors[0])}` : folder === "" ? "beside depth" : `in ${folder}/`;
  const place = `the images ${shown}`;
  const tell = (how: string) =>
    warnings.push(
      `${files.name}: ${place} are used as the colour of depth, paired ${how}, as if registered to it; to be sure, set "color" and "registered" in ${DESCRIPTION}`,
    );
  const pairs = pairByNames(depth, colors);
  if (pairs) {
    const { found, how, partners } = pairs;
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
