import { SourceError } from "../../../core/source.ts";
import type { Decoder } from "../../../decode/index.ts";
import { floatScales } from "../../../decode/pixels.ts";
import { naturally } from "../../color.ts";
import { type Colors, fileFrames } from "../../fileFrames.ts";
import type { Files } from "../../files/files.ts";
import type { Frames, OpenOptions } from "../../format.ts";
import { type NpyArray, npyDepth, readNpyHeader } from "./array.ts";
import { npyMeaning } from "./frames.ts";
import { LENS, readLens } from "./npz.ts";

/** Names of arrays beside depth that are something else. */
const OTHER = /mask|valid|conf|normal|label|seman|instance|rgb|colou?r|pose|intrinsic|extrinsic/i;
/** Whether an array is a mask that says which values of another array are valid. */
export const isMask = (name: string) => /_mask\.npy$/i.test(name);

/** The arrays of a folder that are its frames, one image each; none where they are not all depth images. */
export function sequenceOf(names: readonly string[]): string[] {
  const depths = names.filter((name) => /depth/i.test(name) && !isMask(name));
  return naturally(depths.length > 0 ? depths : names.filter((name) => !OTHER.test(name) && !LENS.test(name)));
}

/**
 * Opens `names` of a folder of .npy files, each one image; one of `all` may be the intrinsics. As in DIODE (Vasiljevic et al., 2019), a 0
 * in `NAME_mask.npy` marks that pixel of `NAME.npy` invalid, and `NAME.png` is the colour of `NAME_depth.npy`. Throws a `SourceError` where
 * the first array is no image.
 */
export async function openSequence(
  files: Files,
  all: readonly string[],
  names: readonly string[],
  options: OpenOptions,
  decoder: Decoder,
): Promise<Frames> {
  const warnings: string[] = [];
  const arrayOf = async (name: string) => {
    const bytes = await files.read(name);
    const where = `${files.name}/${name}`;
    const array = readNpyHeader(bytes, where);
    if (array.frames !== 1 || bytes.length < array.start + array.bytesOfFrame)
      throw new SourceError(
        `${where}: it is not a single depth image, as every array of a folder must be; open it alone`,
      );
    return { array, bytes };
  };
  const { array: first } = await arrayOf(names[0]);
  const lensName = all.find((name) => LENS.test(name));
  const lens = lensName === undefined ? undefined : readLens(await files.read(lensName), first, lensName);
  const meaning = npyMeaning(first, options, names.length, warnings, lens);
  const scaleOf = floatScales(options.metresPerUnit, files.name, warnings);
  const depth = async (index: number) => {
    const { array, bytes } = await arrayOf(names[index]);
    if (array.width !== first.width || array.height !== first.height)
      throw new SourceError(
        `${files.name}/${names[index]}: it is ${array.width}×${array.height}, and the first image is ${first.width}×${first.height}; move it elsewhere`,
      );
    const values = npyDepth(bytes.subarray(array.start), array, meaning.metresPerUnit, scaleOf);
    const mask = names[index].replace(/\.npy$/i, "_mask.npy");
    if (await files.has(mask)) forget(values, await files.read(mask));
    return values;
  };
  return fileFrames({
    width: first.width,
    height: first.height,
    meaning,
    warnings,
    times: names.map((_, i) => (i * 1000) / meaning.fps),
    depth,
    color: options.color === false ? undefined : await colorsOf(files, names, first, decoder),
    colorRefused: options.color === false,
  });
}

/** Marks pixels invalid where the mask is 0. The mask's values are the last bytes of its file, whatever their type. */
function forget(values: Uint16Array, mask: Uint8Array): void {
  const head = String.fromCharCode(...mask.subarray(0, 128));
  const bytes = Number(/'descr':\s*'[<>|=]?[a-z](\d)'/.exec(head)?.[1] ?? 1);
  const start = mask.length - values.length * bytes;
  if (start < 0) return;
  for (let i = 0; i < values.length; i++) {
    const from = start + i * bytes;
    if (mask.subarray(from, from + bytes).every((byte) => byte === 0)) values[i] = 0;
  }
}

/** Finds the PNGs of the same names without "_depth". */
async function colorsOf(
  files: Files,
  names: readonly string[],
  { width, height }: NpyArray,
  decoder: Decoder,
): Promise<Colors | undefined> {
  const pairs: (string | undefined)[] = [];
  for (const name of names) {
    const color = name.replace(/(_depth)?\.npy$/i, ".png");
    pairs.push((await files.has(color)) ? color : undefined);
  }
  const count = pairs.filter((name) => name !== undefined).length;
  if (count === 0) return undefined;
  return {
    count,
    kind: "PNG, by its name",
    async read(index) {
      const name = pairs[index];
      if (name === undefined) return undefined;
      const where = `${files.name}/${name}`;
      const image = await decoder.color(await files.read(name), where);
      if (typeof image === "string") return image;
      return image.width === width && image.height === height
        ? image.data
        : `${where} is ${image.width}×${image.height}, and its depth is not`;
    },
  };
}
