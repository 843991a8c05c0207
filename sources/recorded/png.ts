import { short } from "../check.ts";
import { SourceError } from "../source.ts";
import { colorAsked, colorsOf, isPng, naturally } from "./color.ts";
import { DESCRIPTION, type Description, readDescription } from "./description.ts";
import { type Files, folderOf, onlyFolder, within } from "./files/files.ts";
import type { Format } from "./format.ts";
import { globOf } from "./glob.ts";
import { meaningOf } from "./meaning.ts";
import { pngFrames } from "./pngFrames.ts";

/**
 * A folder of 16-bit PNGs, in itself or in `depth/`, in the order of the numbers in their names. `recording.json`
 * beside them says what they mean (units, invalid values, rate, camera) and which images are colour; each thing nobody
 * says is assumed with a warning. Times are `index / fps`.
 */
export const png: Format = {
  name: "png",
  sign: "PNG",
  mark: /(^|\/)recording\.json$/,
  async open(input, options, decoder) {
    if (input.kind !== "files") return undefined;
    const names = await input.files.list();
    const root = findRoot(input.files, names);
    if (root === undefined) return undefined;
    const warnings: string[] = [];
    const files = within(input.files, root);
    const said = (await files.has(DESCRIPTION)) ? await readDescription(files, warnings) : undefined;
    const depth = await depthNames(files, said);
    const meaning = meaningOf(options, said, {}, warnings);
    const asked = colorAsked(said?.color !== undefined, options, said, warnings);
    const colors = asked.read && said?.color ? await colorsOf(files, depth, said, said.color, warnings) : [];
    const frames = depth.map((name, i) => ({
      depth: name,
      color: colors[i],
      timestamp: (i * 1000) / meaning.fps,
    }));
    return pngFrames(files, decoder, frames, meaning, asked.read ? DESCRIPTION : asked.from, warnings);
  },
};

/** Where `recording.json` is, else where the PNGs are; a folder called `depth` belongs to the one around it. */
function findRoot(files: Files, names: readonly string[]): string | undefined {
  const described = names.filter((name) => name === DESCRIPTION || name.endsWith(`/${DESCRIPTION}`));
  if (described.length > 0) return onlyFolder(files, described.map(folderOf));
  const folders = new Set(names.filter(isPng).map(folderOf));
  const depth = [...folders].filter((folder) => /(^|\/)depth$/.test(folder));
  return depth.length > 0 ? onlyFolder(files, depth.map(folderOf)) : onlyFolder(files, folders);
}

async function depthNames(files: Files, said: Description | undefined): Promise<string[]> {
  const names = (await files.list()).filter(isPng);
  if (said?.depth !== undefined) {
    const starsIn = globOf(said.depth);
    const found = names.filter((name) => starsIn(name));
    if (found.length > 0) return naturally(found);
    throw new SourceError(
      `${files.name}/${DESCRIPTION}: no PNG is called ${short(said.depth, 100)}; correct "depth" (it is seen from this file's folder)`,
    );
  }
  const inDepth = names.filter((name) => folderOf(name) === "depth");
  const found = inDepth.length > 0 ? inDepth : names.filter((name) => folderOf(name) === "");
  if (found.length > 0) return naturally(found);
  throw new SourceError(
    `${files.name}: there is no PNG in it or in its depth/; name the files in ${DESCRIPTION} ("depth": "…/*.png")`,
  );
}
