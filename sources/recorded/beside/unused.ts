import { type Files, folderOf } from "../../files/files.ts";
import { imageExtensions, named } from "../../format/extensions.ts";
import { CAMERA } from "./notes.ts";
import { kindsOf } from "./pair.ts";

const IMAGES = [...imageExtensions, "jpg", "jpeg", "ppm", "bmp", "webp", "heic", "avif"];
const OTHERS =
  "txt json jsonl yml yaml csv tsv ini traj pose g2o toro mp4 avi mov mkv webm h5 hdf5 mat bin raw pkl xml toml";
const IMAGE = named(IMAGES);
const OTHER = named(OTHERS.split(" "));
const WORTH = named([...IMAGES, ...OTHERS.split(" ")]);
const ARRAY = /\.np[yz]$/i;
const NOTED = /readme|licen[cs]e|recording\.json$/i;
/** The most names in the sentence. */
const MOST = 6;
export const someOf = (names: readonly string[]): string =>
  names.slice(0, MOST).join(", ") + (names.length > MOST ? " …" : "");

/**
 * A sentence that names the files and folders beside depth that are neither `used` nor known otherwise (another camera's, or named by
 * another warning), and those of files `around` the recording's folder if they are a camera's or all are the recording's (`isOne`);
 * `undefined` where there are none.
 */
export async function unusedBeside(
  files: Files,
  used: readonly string[],
  isKnown: (name: string) => boolean,
  around: readonly string[] = [],
  isOne = false,
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
  for (const [kind, all] of kindsOf(images))
    if (all.length > 1) left.add(kind.replaceAll("#", "*"));
    else if (ARRAY.test(kind)) left.add(all[0]);
  for (const name of around)
    if ((isOne ? OTHER.test(name) && !NOTED.test(name) : CAMERA.test(name)) && !taken.has(name) && !isKnown(name))
      left.add(name);
  if (left.size === 0) return undefined;
  const hint = [...left].some((name) => /^conf/i.test(name)) ? " (the option minConfidence uses confidence)" : "";
  return `${files.name}: beside depth lie ${someOf([...left])}, which are not read${hint}`;
}
