import { type Files, folderOf } from "../../files/files.ts";
import { imageExtensions, named } from "../../format/extensions.ts";
import { kindsOf } from "./pair.ts";

const IMAGES = [...imageExtensions, "jpg", "jpeg", "ppm", "bmp"];
const TEXTS = "txt json yml yaml csv traj g2o toro mp4 bin pkl xml toml";
const IMAGE = named(IMAGES);
const WORTH = named([...IMAGES, ...TEXTS.split(" ")]);
const NOTED = /readme|licen[cs]e|recording\.json$/i;
/** The most names in the sentence. */
const MOST = 6;

/**
 * A sentence that names the files and folders beside depth that are neither `used` nor known otherwise (another camera's, or named by
 * another warning); `undefined` where there are none.
 */
export async function unusedBeside(
  files: Files,
  used: readonly string[],
  isKnown: (name: string) => boolean,
): Promise<string | undefined> {
  const taken = new Set(used.flatMap((name) => [name, folderOf(name)]));
  const left = new Set<string>();
  const images: string[] = [];
  for (const name of await files.list()) {
    const [top, ...below] = name.split("/");
    if (!WORTH.test(name) || NOTED.test(name) || taken.has(name) || taken.has(top) || isKnown(name)) continue;
    if (below.length > 0) {
      if (!used.some((one) => one.startsWith(`${top}/`))) left.add(`${top}/`);
    } else if (IMAGE.test(name)) images.push(name);
    else left.add(name);
  }
  // A single image, such as a preview, is no series.
  for (const [kind, { length }] of kindsOf(images)) if (length > 1) left.add(kind.replaceAll("#", "*"));
  if (left.size === 0) return undefined;
  const some = [...left].slice(0, MOST).join(", ") + (left.size > MOST ? " …" : "");
  const hint = [...left].some((name) => /^conf/i.test(name)) ? " (the option minConfidence uses confidence)" : "";
  return `${files.name}: beside depth lie ${some}, which are not read${hint}`;
}
