import { type Files, folderOf, onlyFolder, readText, within } from "../../../files/files.ts";
import { depthFormatOf, type FormatDefaults } from "../../../format/depthFormat.ts";
import type { Format } from "../../../format/format.ts";
import { colorBeside, pairBeside } from "../../beside/color.ts";
import { lensesIn } from "../../beside/lens.ts";
import { parseText } from "../../beside/parse.ts";
import { colorAsked, isPng, naturally } from "../../color.ts";
import { pngFrames } from "../../pngFrames.ts";

const EXTRINSICS = /(^|\/)extrinsics\/[^/]*\.txt$/;
const from = "SUN default";
const LENS = "intrinsics.txt";
const LONGEST_LENS = 2 ** 16;

/**
 * A sequence of SUN3D (Xiao et al., ICCV 2013) or a scene of SUN RGB-D (Song et al., CVPR 2015). PNGs in `depth/` are in millimetres with
 * their bits rotated by three places, so that viewers show them brighter; `image/` has the registered colour, and `intrinsics.txt` the
 * intrinsics.
 */
export const sun: Format = {
  name: "sun",
  sign: "extrinsics/ and intrinsics.txt beside depth/",
  mark: EXTRINSICS,
  async open(input, options, decoder) {
    if (input.kind !== "files") return undefined;
    const names = await input.files.list();
    const roots = names.filter((name) => EXTRINSICS.test(name)).map((name) => folderOf(folderOf(name)));
    const isSequence = (root: string) => names.includes(root === "" ? "intrinsics.txt" : `${root}/intrinsics.txt`);
    const root = onlyFolder(input.files, roots.filter(isSequence));
    if (root === undefined) return undefined;
    const files = within(input.files, root);
    const depth = await depthOf(files);
    if (depth.length === 0) return undefined;
    const warnings: string[] = [];
    const [found] = lensesIn(parseText(await readText(files, LENS, LONGEST_LENS)), LENS);
    const defaults: FormatDefaults = {
      metresPerUnit: { value: 0.001, from },
      invalid: { value: [], from },
      fps: { value: 30, from },
      ...(found && { lens: { value: found.lens, from: `file ${LENS}` } }),
    };
    const meaning = depthFormatOf(options, undefined, defaults, warnings);
    const beside = await colorBeside(files, depth);
    const asked = colorAsked(beside.length > 0, options, undefined, warnings);
    // The data set's colour is registered, so pairing needs no warning.
    const colors = asked.read ? pairBeside(files, depth, beside, []) : [];
    const frames = depth.map((name, i) => ({ depth: name, color: colors[i], timestamp: (i * 1000) / meaning.fps }));
    return pngFrames(files, decoder, frames, meaning, asked.from, warnings, undefined, {
      meant: (value) => ((value >> 3) | (value << 13)) & 65535,
    });
  },
};

const depthOf = async (files: Files) =>
  naturally((await files.list()).filter((name) => isPng(name) && folderOf(name) === "depth"));
