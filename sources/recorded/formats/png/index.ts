import { SourceError } from "../../../../core/source.ts";
import { type Files, folderOf, onlyFolder, within } from "../../../files/files.ts";
import { depthFormatOf, type FormatDefaults, rateOf } from "../../../format/depthFormat.ts";
import { DESCRIPTION, readDescription } from "../../../format/description.ts";
import type { Format, Origin } from "../../../format/format.ts";
import { raysTold } from "../../../format/rays.ts";
import { roleOf } from "../../../format/roles.ts";
import { camerasBeside } from "../../beside/camera.ts";
import { colorBeside, pairBeside, photoSize } from "../../beside/color.ts";
import { confidenceBeside } from "../../beside/confidence.ts";
import { rateBeside, timesBeside } from "../../beside/frameTimes.ts";
import { readInPart } from "../../beside/inPart.ts";
import { isAlone, notesBeside, relative } from "../../beside/notes.ts";
import { ownLenses } from "../../beside/ownLens.ts";
import { type Poses, posesBeside } from "../../beside/poses.ts";
import { areRaysSaid, raysBeside } from "../../beside/rays.ts";
import { stepsDoubt } from "../../beside/steps.ts";
import { timesIn } from "../../beside/times.ts";
import { timesNamed } from "../../beside/timesFile.ts";
import { unusedBeside } from "../../beside/unused.ts";
import { othersThan } from "../../beside/whose.ts";
import { colorAsked, colorsOf } from "../../color.ts";
import { likelyUnitIn, unitOfKind } from "../../depthFile.ts";
import { pngFrames } from "../../pngFrames.ts";
import { withArrays } from "../../series/arrays.ts";
import { type Chosen, chooseSeries } from "../../series/choose.ts";
import { firstImage, imagesNamed, imagesOf } from "../../series/only.ts";
import { dataSetOf, defaultsOf } from "./dataSets.ts";
import { missingNumbers } from "./gaps.ts";

/**
 * A folder of depth images, one a file, in itself or in a folder named after depth, in the order of the numbers in their names: 16-bit PNGs
 * or PGMs, TIFFs, OpenEXR or .npy. `recording.json` beside them gives their meaning (unit, invalid values, frame rate, intrinsics) and
 * names the colour images. Properties that it leaves open come from the texts beside depth (lens, unit, poses), from the names (times), and
 * from images whose names pair with depth's (colour). Properties that are still missing are assumed, with a warning.
 */
export const png: Format = {
  name: "png",
  sign: "PNG",
  mark: /(^|\/)recording\.json$/,
  async open(given, options, decoder) {
    if (given.kind !== "files") return undefined;
    if (/\.npz$/i.test(given.files.name)) return undefined;
    const input = { files: await withArrays(given.files) };
    const names = await input.files.list();
    const described = names.filter((name) => name === DESCRIPTION || name.endsWith(`/${DESCRIPTION}`));
    const top = onlyFolder(input.files, described.map(folderOf));
    const warnings: string[] = [];
    const said = top === undefined ? undefined : await readDescription(within(input.files, top), warnings);
    const isNamed = said?.depth !== undefined && options.topic === undefined;
    const chosen = isNamed ? undefined : await chooseSeries(within(input.files, top ?? ""), options.topic, decoder);
    if (!isNamed && chosen === undefined) return nothingIn(within(input.files, top ?? ""), said !== undefined);
    const topics = chosen && chosen.topics.length > 1 ? chosen.topics : undefined;
    const root = top ?? chosen?.root ?? "";
    const files = within(input.files, root);
    const passed: string[] = [];
    const found =
      isNamed && said?.depth !== undefined
        ? await imagesNamed(files, said.depth, warnings)
        : chosen === undefined
          ? []
          : await imagesOf(files, top === undefined ? withoutRoot(chosen) : chosen, warnings, passed);
    if (await isStack(files, found)) return undefined;
    const role = chosen?.role ?? roleOf(found[0]);
    const listed = said?.times === undefined ? undefined : await timesNamed(files, said.times, found.length);
    const timed = (listed ? undefined : timesIn(found))?.map((time, i) => ({ time, name: found[i] }));
    timed?.sort((a, b) => a.time - b.time);
    const depth = timed?.map(({ name }) => name) ?? found;

    const first = await firstImage(files, depth, decoder);
    const { image } = first;
    const maker = "maker" in first ? first.maker : undefined;
    const isOthers = othersThan(
      depth.map((name) => `${root}/${name}`),
      chosen,
    );
    const notes = await notesBeside(input.files, root, depth, warnings, isOthers);
    const timesTold = listed || timed ? undefined : await timesBeside(notes, depth);
    const times = listed?.times ?? timed?.map(({ time }) => time) ?? timesTold?.times;
    const beside = said?.color === undefined ? await colorBeside(files, depth, isOthers) : [];
    const isAligned = role === "aligned";
    const {
      defaults: camera,
      color,
      used,
    } = await camerasBeside(notes, first.size, files.name, warnings, isAligned, () => photoSize(files, beside));
    const farther =
      camera.lens || camera.intrinsics ? {} : await camerasAround(input.files, depth, first.size, warnings, isOthers);
    const { lens, intrinsics, metresPerUnit } = { ...farther, ...camera };
    const rays = await raysBeside(files, depth, first.size, warnings);
    const rate = times && rateOf(times);
    const rateTold = rateBeside(notes);
    const layout = dataSetOf(input.files, names, depth[0]);
    const likelyFloat = image && likelyUnitIn(image);
    if (image?.doubt) warnings.push(image.doubt);
    const confidence = await confidenceBeside(files, depth, options.minConfidence, isOthers);
    const defaults: FormatDefaults = {
      ...(image?.kind === "NumPy" && { invalid: { value: [], from: "NumPy default" } }),
      likelyFloat,
      ...((topics || chosen?.asked) && { topics: true as const }),
      confidence: confidence !== undefined,
      ...defaultsOf(layout, notes, files.name),
      ...(image && unitOfKind(image)),
      ...(maker && { metresPerUnit: { value: 0.001, from: `file ${maker.from}` } }),
      ...(metresPerUnit && (likelyFloat !== undefined || !(image?.data instanceof Float32Array)) && { metresPerUnit }),
      ...(rate ? { fps: { value: rate, from: "files" } } : rateTold && { fps: rateTold }),
      ...(lens && { lens }),
      ...(intrinsics && { intrinsics }),
      ...(rays?.lens && !lens && !intrinsics && { intrinsics: rays.lens }),
    };
    const meaning = depthFormatOf(options, said, defaults, warnings);
    const missing = times ? undefined : missingNumbers(depth, meaning.fps);
    if (missing) warnings.push(`${files.name}: ${missing}`);
    const asked = colorAsked(said?.color !== undefined || beside.length > 0, options, said, warnings);
    const colors = await (!asked.read
      ? []
      : said?.color !== undefined
        ? colorsOf(files, depth, said, said.color, warnings)
        : pairBeside(files, depth, beside, warnings));
    // The poses of `times` in recording.json are in metres.
    const isOwn = listed?.poses.some((pose) => pose !== undefined);
    const poses: Poses | undefined = isOwn
      ? { from: said?.times ?? "", of: async (index: number) => listed?.poses[index] }
      : await posesBeside(notes, depth, times);
    if (poses?.warning) warnings.push(poses.warning);
    const doubt = poses && !isOwn && (await stepsDoubt(poses, depth.length, times));
    if (doubt) warnings.push(doubt);
    // Where photos are fewer than depth, a frame has the colour of the nearest one, seen from its own place by the poses.
    const isLent = poses !== undefined && color !== undefined;
    const lent = depth.map((_, i) =>
      isLent && colors[i] === undefined ? NEAR.map((by) => i + by).find((one) => colors[one] !== undefined) : undefined,
    );
    const lentCount = lent.filter((of) => of !== undefined).length;
    if (lentCount > 0)
      warnings.push(
        `${files.name}: ${lentCount} of ${depth.length} frames have no image of colour: they have that of the nearest frame that has one, set in its place by the poses; what moved in between has wrong colours`,
      );
    const frames = depth.map((name, i) => ({
      depth: name,
      color: colors[lent[i] ?? i],
      colorOf: lent[i],
      confidence: confidence?.[i],
      timestamp: times ? times[i] : (i * 1000) / meaning.fps,
    }));
    const sure = confidence?.flat().map(({ name }) => name) ?? [];
    const read = [
      ...depth,
      ...beside,
      ...sure,
      ...used,
      poses?.from,
      poses?.placeFrom,
      rays?.name,
      maker?.from,
      timesTold?.from,
      // Images that a warning names already, and other depth that can be chosen.
      ...passed,
      ...(chosen ? withoutRoot(chosen).images : []),
    ].filter((name) => name !== undefined);
    const {
      unit,
      intrinsics: lensBy,
      fps,
    } = Object.fromEntries(meaning.facts.map(({ what, from }) => [what, takenBy(from)]));
    const { distortion } = meaning.intrinsics(1, 1);
    const taken = {
      lens: lensBy,
      unit,
      poses: poses?.from,
      times: (times && timesTold?.from) || fps,
      distortion: typeof lensBy === "string" && !distortion ? undefined : lensBy,
      place: colors.length > 0 ? undefined : (true as const),
    };
    const isRay = role === "ray" || layout?.areRays === true;
    if (isRay && !rays?.along)
      warnings.push(raysTold(`${files.name}/${depth[0]}`, role === "ray" ? undefined : layout?.name));
    if (!said) warnings.push(...(await readInPart(files.name, notes, taken)));
    const isTold = (name: string) => warnings.some((one) => one.startsWith(`${files.name}/${name}: `));
    const inside = new Set(await files.list());
    const isOne = isAlone(await input.files.list(), root);
    const around = isOne ? await input.files.list() : notes.singles.map(({ name }) => name);
    const outside = around.filter((name) => !inside.has(name) && !name.startsWith(`${root}/`));
    const isKnown = (name: string) => (topics && isOthers(name)) || isTold(name);
    const apart = [...new Set([...used, poses?.from, timesTold?.from])].filter((name) => notes.farther.has(name ?? ""));
    if (apart.length > 0)
      warnings.push(
        `${files.name}: ${apart.join(", ")} beside its folder is taken for this recording's, since no other is there; open its folder alone to leave it out`,
      );
    read.push(...notes.paired([...used, poses?.from, timesTold?.from, poses?.placeFrom]));
    const unused = said ? undefined : await unusedBeside(files, read, isKnown, outside, isOne);
    if (unused) warnings.push(unused);
    const colorFrom = asked.read && beside.length === 0 ? DESCRIPTION : asked.from;
    const made = pngFrames({
      ...{ files, decoder, frames, meaning, colorFrom, warnings },
      pose: poses?.of,
      color,
      lensOf: await ownLenses(
        notes,
        depth,
        typeof lensBy === "string" ? lensBy : undefined,
        (lens ?? intrinsics)?.value,
      ),
      along: rays?.along,
      maker: maker?.name,
      isRay: isRay || (await areRaysSaid(notes)),
    });
    return chosen && topics ? { ...made, topics, topic: chosen.name } : made;
  },
};

/** The frames whose colour a frame without one may get, counted from it, nearest first. */
const NEAR = [0, -1, 1, -2, 2, -3, 3];

/** The file that a fact is from, or whether it is from anywhere. */
const takenBy = (from: Origin): string | true | undefined =>
  from.startsWith("file ") ? from.slice("file ".length) : from === "assumed" ? undefined : true;

/** What texts in the folder around the opened one say of the camera: Replica's scenes share one. */
async function camerasAround(
  files: Files,
  depth: readonly string[],
  size: Parameters<typeof camerasBeside>[1],
  warnings: string[],
  isOthers: (name: string) => boolean,
) {
  const texts = await files.around?.();
  if (!texts) return {};
  const { defaults } = await camerasBeside(await notesBeside(texts, "", depth, [], isOthers), size, texts.name, []);
  const said = [defaults.lens, defaults.intrinsics, defaults.metresPerUnit].find((one) => one !== undefined);
  if (said) warnings.push(`${files.name}: the camera is that of the folder around it, by ${said.from}`);
  return defaults;
}

/** A series as it is named within the recording's folder. */
const withoutRoot = (chosen: Chosen): Chosen => {
  const named = (names: readonly string[]) => names.map((name) => relative(name, chosen.root));
  return { ...chosen, names: named(chosen.names), images: named(chosen.images) };
};

/** A `recording.json` without depth is an error; a folder without both may be of another format. */
function nothingIn(files: Files, isDescribed: boolean): undefined {
  if (!isDescribed) return undefined;
  throw new SourceError(
    `${files.name}: there is no depth image in it or in its depth/; name the files in ${DESCRIPTION} ("depth": "…/*.png")`,
  );
}

/** Whether depth is one array that is a stack of images, or a .npz, which the format npz reads. */
async function isStack(files: Files, [name, ...more]: readonly string[]): Promise<boolean> {
  if (more.length > 0 || !/\.npy$/i.test(name)) return false;
  const { readNpyHeader } = await import("../npy/array.ts");
  return readNpyHeader(await files.read(name), `${files.name}/${name}`).frames > 1;
}
