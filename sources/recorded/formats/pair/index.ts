import { image, type StereoPair } from "../../../../core/frame.ts";
import { SourceError } from "../../../../core/source.ts";
import type { Decoder } from "../../../decode/index.ts";
import { PNG_HEAD, pngSize } from "../../../decode/pngSize.ts";
import { type Files, markedFolder } from "../../../files/files.ts";
import { depthFormatOf, rateOf } from "../../../format/depthFormat.ts";
import { DESCRIPTION, type Description, readDescription } from "../../../format/description.ts";
import { type Fact, type Format, type Frames, type Origin, warnOnce } from "../../../format/format.ts";
import { rectifier } from "../../../format/rectify.ts";
import { timesIn } from "../../beside/times.ts";
import { naturally, withoutZeros } from "../../color.ts";
import { isDepthFile } from "../../depthFile.ts";
import { globOf } from "../../glob.ts";
import { depthSeriesIn } from "../../series/choose.ts";
import { png } from "../png/index.ts";
import { CALIBRATIONS, isPairFolder, type Known, knownLayout, rootOfPair } from "./layouts.ts";

const MARK = /(^|\/)recording\.json$/;

/** The unit of depth that is matched from a pair, m. Filters work in whole units: steps of 0.2 mm, up to 13 m. */
const UNIT_M = 0.0002;
const from = "pair default" as const;

interface Named {
  readonly left: string;
  readonly right: string;
}

/**
 * A folder whose `recording.json` names a `pair`, or that has the names of Middlebury's, KITTI's or EuRoC's data sets (layouts.ts): the
 * images of two cameras side by side, rectified, or rectified on reading by their calibration, and their distance. Each left image belongs
 * to the right one of the same number. The camera's own depth, where there is some, is read as the format `png` reads it, and paired with
 * the images at the same positions; else frames have no valid pixel, and the stage `stereo` matches them.
 */
export const pair: Format = {
  name: "pair",
  sign: "a pair of images named by recording.json, or Middlebury's or KITTI's folder",
  mark: MARK,
  begins: isPairFolder,
  async open(input, options, decoder) {
    const described = await markedFolder(input, MARK);
    const files = described ?? (await markedFolder(input, CALIBRATIONS, rootOfPair));
    const warnings: string[] = [];
    const said = described && (await readDescription(described, warnings));
    const sizeOf = (names: readonly string[]) => sizeIn(files as Files, names, decoder);
    const known = described || !files ? undefined : await knownLayout(files, sizeOf);
    const named = said?.pair ?? known?.pair;
    if (!files || !named) return undefined;
    // Depth that lies beside such images is not in the view of the rectified images, so it is read alone.
    if (known?.rectified && (await depthSeriesIn(files)).isDepth) return undefined;
    const names = await namesOf(files, named, described ? `${files.name}/${DESCRIPTION}` : files.name, warnings);
    const { baselineMm, doffsPx } = named;
    const rectify = rectifying(known?.rectified, files.name);
    const read = async (index: number) =>
      rectify({
        ...(await readPair(files, decoder, names[index])),
        baselineM: baselineMm / 1000,
        ...(doffsPx && { doffsPx }),
      });
    const hasDepth =
      said?.depth !== undefined || (await files.list()).some((name) => /^depth\//.test(name) && isDepthFile(name));
    const own = hasDepth ? await png.open(input, options, decoder) : undefined;
    if (!own && !options.pair)
      warnings.push("it has no depth, only a pair of images: frames are empty unless the stage stereo matches them");
    if (own) return beside(own, names, read, `${files.name}/${DESCRIPTION}`);
    const assumed = { metresPerUnit: { value: UNIT_M, from }, invalid: { value: [], from }, ...known?.defaults };
    const times = timesIn(names.map(({ left }) => left));
    const rate = times && rateOf(times);
    const timed = rate ? { ...assumed, fps: { value: rate, from: "files" as const } } : assumed;
    const meaning = depthFormatOf(options, said, timed, warnings);
    const { fps, metresPerUnit, facts } = meaning;
    const timestampOf = (index: number) => times?.[index] ?? (index * 1000) / fps;
    return {
      length: names.length,
      fps,
      warnings,
      timestampOf,
      facts: [
        ...facts,
        { what: "colour", value: "none", from: "files" },
        factOf(names.length, names.length, baselineMm, known && "files", known?.rectified !== undefined),
      ],
      pose: async () => undefined,
      async read(index) {
        const found = await read(index);
        const [height, width] = found.left.shape;
        return {
          depth: image(new Uint16Array(width * height), [height, width]),
          metresPerUnit,
          intrinsics: meaning.intrinsics(width, height),
          pair: found,
          timestamp: timestampOf(index),
          index,
        };
      },
    };
  },
};

const factOf = (some: number, all: number, baselineMm: number, from: Origin = DESCRIPTION, isTurned = false): Fact => ({
  what: "pair",
  value: `${some === all ? "all" : some} frames, baseline ${Number(baselineMm.toFixed(3))} mm${isTurned ? ", rectified by the calibration" : ""}`,
  from,
});

/** Makes the function that rectifies pairs; its tables are made of the first. */
function rectifying(by: Known["rectified"], where: string) {
  let turns: ReturnType<typeof rectifier>[] | undefined;
  return ({ left, right, ...rest }: StereoPair): StereoPair => {
    if (!by) return { left, right, ...rest };
    const [height, width] = left.shape;
    const [one, other] = by.cameras;
    if (width !== one.width || height !== one.height || width !== other.width || height !== other.height)
      throw new SourceError(
        `${where}: its images are ${width}×${height}, and its calibration is for ${one.width}×${one.height}; use the calibration of these images`,
      );
    turns ??= [rectifier(one, by.by.left, by.by.lens), rectifier(other, by.by.right, by.by.lens)];
    return { left: turns[0](left), right: turns[1](right), ...rest };
  };
}

/**
 * Depth's frames with the pair's images at the same positions of their lists; images of another size than depth's are left out, and a
 * warning says so.
 */
function beside(
  own: Frames,
  names: readonly Named[],
  read: (index: number) => Promise<StereoPair>,
  where: string,
): Frames {
  const told: string[] = [];
  if (names.length !== own.length)
    told.push(`${where}: ${own.length} depth images and ${names.length} pairs are paired from the first on`);
  const warn = warnOnce(told);
  return {
    ...own,
    get warnings() {
      return [...own.warnings, ...told];
    },
    async read(index) {
      const frame = await own.read(index);
      if (index >= names.length) return frame;
      const found = await read(index);
      const [height, width] = found.left.shape;
      if (width === frame.intrinsics.width && height === frame.intrinsics.height) return { ...frame, pair: found };
      warn(`${where}: the pair is ${width}×${height} and depth is not; frames go without the pair`);
      return frame;
    },
  };
}

/** The images of the pair by the numbers in their names. An image without its partner is left out with a warning. */
async function namesOf(
  files: Files,
  said: NonNullable<Description["pair"]>,
  where: string,
  warnings: string[],
): Promise<Named[]> {
  const list = await files.list();
  const byKey = (path: string, side: string) => {
    const starsIn = globOf(path);
    const found = naturally(list.filter((name) => starsIn(name)));
    if (found.length === 0)
      throw new SourceError(`${where}: no file is named ${path.slice(0, 100)}; correct "pair.${side}"`);
    return new Map(found.map((name) => [withoutZeros((starsIn(name) ?? []).join("/")), name]));
  };
  const [left, right] = [byKey(said.left, "left"), byKey(said.right, "right")];
  const both = [...left].flatMap(([key, name]) => {
    const other = right.get(key);
    return other === undefined ? [] : [{ left: name, right: other }];
  });
  if (both.length === 0)
    throw new SourceError(`${where}: no left image has a right one of the same number; rename them`);
  const alone = left.size + right.size - 2 * both.length;
  if (alone > 0)
    warnings.push(`${where}: ${alone} of the pair's images have no partner of the same number and are left out`);
  return both;
}

/** The size of the first of a few images that can be read. Throws a `SourceError` where none can. */
async function sizeIn(files: Files, [name, ...more]: readonly string[], decoder: Decoder) {
  try {
    const [height, width] = (await readGrey(files, name, decoder)).shape;
    return { width, height };
  } catch (error) {
    if (!(error instanceof SourceError) || more.length === 0) throw error;
    return sizeIn(files, more, decoder);
  }
}

async function readPair(files: Files, decoder: Decoder, names: Named) {
  const [left, right] = await Promise.all([
    readGrey(files, names.left, decoder),
    readGrey(files, names.right, decoder),
  ]);
  if (left.shape.join() !== right.shape.join())
    throw new SourceError(
      `${files.name}/${names.right}: its size is not that of ${names.left}; a pair needs two images of one size`,
    );
  return { left, right };
}

/** An image as grey: 16 bits as they are, 8 bits of colour by their mean, green twice. */
async function readGrey(files: Files, name: string, decoder: Decoder): Promise<StereoPair["left"]> {
  const where = `${files.name}/${name}`;
  const bytes = await files.read(name);
  if (pngSize(bytes.subarray(0, PNG_HEAD))?.depth) {
    const { width, height, data } = await decoder.depth(bytes, where);
    return image(Uint16Array.from(data), [height, width]);
  }
  const found = await decoder.color(bytes, where);
  if (typeof found === "string") throw new SourceError(found);
  const { width, height, data } = found;
  const grey = new Uint8Array(width * height);
  for (let i = 0; i < grey.length; i++) grey[i] = (data[4 * i] + 2 * data[4 * i + 1] + data[4 * i + 2] + 2) >> 2;
  return image(grey, [height, width]);
}
