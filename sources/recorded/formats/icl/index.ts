import { SourceError } from "../../../../core/source.ts";
import type { Decoder } from "../../../decode/index.ts";
import { unitsOf } from "../../../decode/pixels.ts";
import { type Files, folderOf, LONGEST_LIST, markedFolder, readText } from "../../../files/files.ts";
import { depthFormatOf, type FormatDefaults, type FormatLens } from "../../../format/depthFormat.ts";
import { DESCRIPTION } from "../../../format/description.ts";
import type { Format, Frames, OpenOptions, WithOrigin } from "../../../format/format.ts";
import { camerasBeside } from "../../beside/camera.ts";
import { notesBeside } from "../../beside/notes.ts";
import { colorAsked, isPng } from "../../color.ts";
import { fileFrames } from "../../fileFrames.ts";
import { checkNamed, pngFrames } from "../../pngFrames.ts";
import { firstImage } from "../../series/only.ts";
import { isTime, rowsOf } from "../tum/lists.ts";

const LIST = /(^|\/)associations?\.txt$/;
const RAYS = /(^|\/)scene_(\d+_)?\d+\.depth$/;
const WIDTH = 640;
const HEIGHT = 480;
const from = "ICL-NUIM default";
/** The data set gives fy = -480, for images whose y axis points up. The images are stored top down, so fy is positive here. */
const LENS: WithOrigin<FormatLens> = {
  value: { fx: 481.2, fy: 480, cx: 319.5, cy: 239.5, width: WIDTH, height: HEIGHT },
  from,
};
const DEFAULTS: FormatDefaults = {
  metresPerUnit: { value: 1 / 5000, from },
  invalid: { value: [], from },
  fps: { value: 30, from },
  intrinsics: LENS,
};

/**
 * A rendered trajectory of ICL-NUIM (Handa et al., ICRA 2014): PNGs in TUM's layout, paired by `associations.txt`, or the renderer's own
 * `scene_00_0000.depth`, text files with the length of each pixel's ray, which is converted to depth along the axis.
 */
export const icl: Format = {
  name: "icl",
  sign: "associations.txt, scene_00_0000.depth",
  mark: new RegExp(`${LIST.source}|${RAYS.source}`),
  async open(input, options, decoder) {
    const rendered = await markedFolder(input, RAYS);
    if (rendered) {
      const rays = (await rendered.list()).filter((name) => RAYS.test(name) && folderOf(name) === "");
      return rayFrames(rendered, rays, options);
    }
    const files = await markedFolder(input, LIST);
    if (!files) return undefined;
    const list = (await files.list()).find((name) => LIST.test(name)) ?? "";
    const pairs = await readPairs(files, list);
    // Other recorders have such lists, too. In ICL-NUIM's the images' names are their numbers, and no other file says more.
    const isNumbered = ({ depth, count }: (typeof pairs)[number]) => new RegExp(`(^|/)0*${count}\\.png$`).test(depth);
    if (pairs.length === 0 || !pairs.every(isNumbered)) return undefined;
    if (options.format !== "icl" && (await isDescribed(files, pairs[0].depth, decoder))) return undefined;
    const warnings: string[] = [];
    if (options.format !== "icl" && !/icl|living_?room|office|traj/i.test(files.name))
      warnings.push(
        `${files.name}: ${list} counts images by their names, as ICL-NUIM's does: they are read in ICL-NUIM's unit of 1/5000 m and with its lens (the options metresPerUnit and intrinsics, or fields in ${DESCRIPTION}, name others)`,
      );
    const meaning = depthFormatOf(options, undefined, DEFAULTS, warnings);
    const asked = colorAsked(true, options, undefined, warnings);
    const frames = pairs.map(({ depth, color, line, count }) => ({
      depth,
      color: asked.read ? color : undefined,
      timestamp: (count * 1000) / meaning.fps,
      namedBy: `${list}, line ${line}`,
    }));
    await checkNamed(files, frames, warnings);
    return pngFrames({ files, decoder, frames, meaning, colorFrom: asked.from, warnings });
  },
};

/** Whether recording.json or a text with a lens or a unit says what the images mean. */
async function isDescribed(files: Files, first: string, decoder: Decoder): Promise<boolean> {
  if (await files.has(DESCRIPTION)) return true;
  const size = async () => (await firstImage(files, [first], decoder)).size();
  const { defaults } = await camerasBeside(await notesBeside(files, "", [first], []), size, files.name, []);
  return Object.keys(defaults).length > 0;
}

/** Reads lines such as "0 depth/0.png 0 rgb/0.png". */
async function readPairs(files: Files, list: string) {
  const pairs: { depth: string; color: string | undefined; count: number; line: number }[] = [];
  for await (const { words, line } of rowsOf(files, list)) {
    const [count, images] = [Number(words[0]), words.filter(isPng)];
    const depth = images.find((name) => /depth/i.test(name));
    if (depth === undefined || !isTime(count)) continue;
    pairs.push({ depth, color: images.find((name) => name !== depth), count, line });
  }
  return pairs;
}

function rayFrames(files: Files, names: readonly string[], options: OpenOptions): Frames {
  const warnings: string[] = [];
  const meaning = depthFormatOf(options, undefined, DEFAULTS, warnings);
  const { fx, fy, cx, cy } = LENS.value;
  // The living room is in metres, and its file names have two numbers; the office is in centimetres.
  const scales = names.map((name) => (/scene_\d+_\d+/.test(name) ? 1 : 0.01));
  return fileFrames({
    width: WIDTH,
    height: HEIGHT,
    meaning,
    warnings,
    times: names.map((_, i) => (i * 1000) / meaning.fps),
    async depth(index) {
      const where = `${files.name}/${names[index]}`;
      const words = (await readText(files, names[index], LONGEST_LIST)).trim().split(/\s+/, WIDTH * HEIGHT + 1);
      if (words.length !== WIDTH * HEIGHT)
        throw new SourceError(
          `${where}: it has ${words.length} values, and 640×480 need ${WIDTH * HEIGHT}; copy or unpack it again`,
        );
      return Uint16Array.from(words, (word, i) => {
        const [x, y] = [((i % WIDTH) - cx) / fx, (Math.floor(i / WIDTH) - cy) / fy];
        return unitsOf((Number(word) * scales[index]) / Math.sqrt(x * x + y * y + 1), meaning.metresPerUnit);
      });
    },
    color: options.color === false ? false : undefined,
  });
}
