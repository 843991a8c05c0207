import { colorAsked, colorsOf, isPng } from "../../color.ts";
import { DESCRIPTION, type Description, readDescription } from "../../description.ts";
import { type Files, folderOf, onlyFolder, within } from "../../files/files.ts";
import type { Format } from "../../format.ts";
import { lensBeside } from "../../lensFile.ts";
import { type Habits, meaningOf } from "../../meaning.ts";
import { pngFrames } from "../../pngFrames.ts";
import { colorBeside, pairBeside } from "./beside.ts";
import { depthNames } from "./depth.ts";
import { missingNumbers } from "./gaps.ts";

/**
 * A folder of 16-bit PNGs, in itself or in `depth/`, in the order of the numbers in their names. `recording.json` beside them gives their
 * meaning (unit, invalid values, frame rate, intrinsics) and names the colour images; each missing property is assumed with a warning.
 * Images in `rgb/`, `color/`, `colour/`, `image/` or `images/` are colour even without it. Time stamps are `index / fps`.
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
    const depth = await depthNames(files, said, warnings, hasArrays(names));
    if (depth.length === 0) return undefined;
    const meaning = meaningOf(options, said, await habitsOf(files, said, warnings), warnings);
    const missing = missingNumbers(depth, meaning.fps);
    if (missing) warnings.push(`${files.name}: ${missing}`);
    const beside = said?.color === undefined ? await colorBeside(files) : [];
    const asked = colorAsked(said?.color !== undefined || beside.length > 0, options, said, warnings);
    const colors = await (!asked.read
      ? []
      : said?.color !== undefined
        ? colorsOf(files, depth, said, said.color, warnings)
        : pairBeside(files, depth, beside, warnings));
    const frames = depth.map((name, i) => ({
      depth: name,
      color: colors[i],
      timestamp: (i * 1000) / meaning.fps,
    }));
    const colorFrom = asked.read && beside.length === 0 ? DESCRIPTION : asked.from;
    return pngFrames(files, decoder, frames, meaning, colorFrom, warnings);
  },
};

/** Whether depth may be in NumPy arrays beside colour images. */
const hasArrays = (names: readonly string[]) => names.some((name) => /\.npy$/i.test(name));

/** Names of folders with KITTI's depth (Uhrig et al., 3DV 2017). */
const KITTI = /(^|[/\\])(proj_depth|val_selection_cropped|test_depth_completion_anonymous)([/\\]|$)|_drive_\d{4}_sync/;

/** The format's defaults: intrinsics from a file beside the images, and KITTI's unit of 1/256 m. */
async function habitsOf(files: Files, said: Description | undefined, warnings: string[]): Promise<Habits> {
  const lens = said?.intrinsics ? undefined : await lensBeside(files, warnings);
  const isKitti = KITTI.test(files.name);
  const from = "KITTI default";
  return {
    ...(lens && { lens }),
    ...(isKitti && {
      metresPerUnit: { value: 1 / 256, from },
      invalid: { value: [], from },
      fps: { value: 10, from },
      intrinsics: {
        value: { fx: 721.5377, fy: 721.5377, cx: 609.5593, cy: 172.854, width: 1242, height: 375 },
        from,
        warning: `${files.name}: the intrinsics of KITTI's recordings of 26 September 2011 are assumed; those of other days differ`,
      },
    }),
  };
}

/** The recording's folder: that of `recording.json`, else that of the PNGs. A folder called `depth` belongs to the one around it. */
function findRoot(files: Files, names: readonly string[]): string | undefined {
  const described = names.filter((name) => name === DESCRIPTION || name.endsWith(`/${DESCRIPTION}`));
  if (described.length > 0) return onlyFolder(files, described.map(folderOf));
  const folders = new Set(names.filter(isPng).map(folderOf));
  const depth = [...folders].filter((folder) => /(^|\/)depth$/.test(folder));
  return depth.length > 0 ? onlyFolder(files, depth.map(folderOf)) : onlyFolder(files, folders);
}
