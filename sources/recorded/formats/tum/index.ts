import { associate, nearest } from "../../../../core/associate.ts";
import { SourceError } from "../../../../core/source.ts";
import {
  DamagedArchive,
  type Files,
  folderOf,
  LONGEST_LIST,
  onlyFolder,
  readText,
  within,
} from "../../../files/files.ts";
import { depthFormatOf, type FormatDefaults, rateOf } from "../../../format/depthFormat.ts";
import { DESCRIPTION, readDescription } from "../../../format/description.ts";
import type { Format, Pose } from "../../../format/format.ts";
import { camerasBeside } from "../../beside/camera.ts";
import { notesBeside } from "../../beside/notes.ts";
import { posesBeside } from "../../beside/poses.ts";
import { fewPosed } from "../../beside/times.ts";
import { colorAsked } from "../../color.ts";
import { checkNamed, pngFrames } from "../../pngFrames.ts";
import { firstImage } from "../../series/only.ts";
import { imagesIn, type Line, readImage, readList, readPose, stampedFolders, time } from "./lists.ts";

const POSES = "groundtruth.txt";
/** The largest difference in seconds between paired images and poses, that of the benchmark's own tools. */
const MAX_DIFFERENCE = 0.02;
const from = "TUM default";
const DEFAULTS: FormatDefaults = {
  metresPerUnit: { value: 1 / 5000, from },
  invalid: { value: [], from },
  intrinsics: {
    value: { fx: 525, fy: 525, cx: 319.5, cy: 239.5 },
    from,
    warning:
      "no intrinsics are given: those that TUM's benchmark uses for all its cameras are assumed (fx 525, fy 525, cx 319.5, cy 239.5 at 640×480)",
  },
};

/**
 * A sequence of the TUM RGB-D benchmark (Sturm et al., IROS 2012): `depth.txt` and `rgb.txt` list times and images, `groundtruth.txt`
 * poses. A metre is 5000 units and 0 is "no measurement". The intrinsics are ROS' defaults, which the benchmark recommends; a sequence's
 * own calibration comes from `recording.json` or the user.
 *
 * Opening a .tgz or .tar waits until `depth.txt`, `rgb.txt` and `recording.json` have been found, or to its end where one of them is
 * missing. Copies often lack the lists; then the names of the images give the times.
 */
export const tum: Format = {
  name: "tum",
  sign: "depth.txt",
  mark: /(^|\/)depth\.txt$/,
  async open(input, options, decoder) {
    if (input.kind !== "files") return undefined;
    const warnings: string[] = [];
    const found = await findLists(input.files, warnings, options.format === "tum");
    if (!found) return undefined;
    const { files, images, colors } = found;
    const colorOf = pairing(images.map(time), colors.map(time));
    const said = await readCalibration(files, warnings);
    const names = images.map(({ value }) => value);
    const first = async () => (await firstImage(files, names, decoder)).size();
    // An archive without a table of contents would have to be read to its end for them.
    const notes = files.indexed ? await notesBeside(withoutLists(files), "", names, warnings) : undefined;
    const beside = notes && (await camerasBeside(notes, first, files.name, warnings));
    const times = images.map(({ seconds }) => 1000 * seconds);
    const posed = notes && !(await files.has(POSES)) ? await posesBeside(notes, names, times) : undefined;
    if (posed?.warning) warnings.push(posed.warning);
    const asked = colorAsked(colors.length > 0, options, said, warnings);
    const frames = images.map(({ seconds, value, line }, i) => ({
      depth: value,
      color: asked.read ? colors[colorOf(i)]?.value : undefined,
      timestamp: seconds * 1000,
      ...(line !== undefined && { namedBy: `depth.txt, line ${line}` }),
    }));
    if (asked.read && frames.every(({ color }) => color === undefined))
      warnings.push(
        `${files.name}: the ${colors.length} colour images have no times in common with the depth images (none within ${1000 * MAX_DIFFERENCE} ms): frames go without colour`,
      );
    await checkNamed(files, frames, warnings);
    const rate = rateOf(frames.map(({ timestamp }) => timestamp));
    const defaults: FormatDefaults = {
      ...DEFAULTS,
      ...beside?.defaults,
      ...(rate && { fps: { value: rate, from: "files" } }),
    };
    const meaning = depthFormatOf(options, said, defaults, warnings);

    let poses: Promise<{ list: Line<Pose>[]; times: number[] }> | undefined;
    const readPoses = async () => {
      const list = (await posesGoBy(files)) ? await readList(files, POSES, readPose, warnings) : [];
      const times = list.map(time);
      const found = images.filter(({ seconds }) => nearest(times, seconds, MAX_DIFFERENCE) >= 0).length;
      if (list.length > 0 && 2 * found < images.length)
        warnings.push(`${files.name}/${POSES}: ${fewPosed(found, images.length, 1000 * MAX_DIFFERENCE)}`);
      return { list, times };
    };
    const pose = async (index: number) => {
      if (posed) return posed.of(index);
      poses ??= readPoses();
      const { list, times } = await poses;
      return list[nearest(times, images[index].seconds, MAX_DIFFERENCE)]?.value;
    };
    return pngFrames({ files, decoder, frames, meaning, colorFrom: asked.from, warnings, pose });
  },
};

/**
 * Whether there is a `groundtruth.txt`. In an archive without a table of contents the file counts if it comes no later than the lists of
 * images and the texts behind them. So no frame waits for the archive's end, and the archive means the same however fast it is read.
 */
async function posesGoBy(files: Files): Promise<boolean> {
  if (files.indexed) return files.has(POSES);
  const lists = new Set(["depth.txt", "rgb.txt"]);
  const found = await files.find((name) => {
    lists.delete(name);
    return name === POSES || (lists.size === 0 && !name.endsWith(".txt"));
  });
  return found === POSES;
}

interface Lists {
  readonly files: Files;
  readonly images: readonly Line<string>[];
  readonly colors: readonly Line<string>[];
}

/**
 * The depth and colour images from their lists. Where a list is missing, the names in `depth/` or `rgb/` give the times, with a warning.
 */
async function findLists(all: Files, warnings: string[], wanted: boolean): Promise<Lists | undefined> {
  const listed = await findRoot(all);
  const root = listed ?? onlyFolder(all, stampedFolders(await all.list(), "depth").map(folderOf));
  if (root === undefined) return undefined;
  const files = within(all, root);
  // OpenLORIS' lists have another name for colour, millimetres, and a lens beside them: its folder is one of PNGs.
  if (!wanted && files.indexed && (await files.has("color.txt")) && !(await files.has("rgb.txt"))) return undefined;
  // Many recorders name files by their times, too, and write millimetres: a folder without TUM's marks is one of PNGs.
  if (listed === undefined && !wanted && !(await isOfTum(files))) return undefined;
  const missing: string[] = [];
  const byNames = async (folder: string) => {
    const images = imagesIn(await files.list(), folder);
    if (images.length > 0) missing.push(`${folder}.txt`);
    return images;
  };
  if (listed === undefined && (await describesDepth(files))) return undefined;
  const images = await (listed === undefined ? byNames("depth") : readList(files, "depth.txt", readImage, warnings));
  if (images.length === 0)
    throw new SourceError(`${files.name}/depth.txt: it lists no image; copy or export the recording again`);
  const colors = await ((await files.has("rgb.txt"))
    ? readList(files, "rgb.txt", readImage, warnings)
    : byNames("rgb"));
  if (missing.length > 0) {
    const folders = missing.map((name) => name.replace(".txt", "/")).join(" and ");
    warnings.push(
      `${files.name}: there is no ${missing.join(" and no ")}: the images in ${folders} have times for names, so they are read as a TUM sequence, at those times and in its unit of 1/5000 metre (a depth scale of 0.001 is millimetres)`,
    );
  }
  return { files, images, colors };
}

/** The files of a sequence without the lists that this format reads itself. */
const withoutLists = (files: Files): Files => ({
  ...files,
  list: async () => (await files.list()).filter((name) => !LISTS.includes(name)),
});
const LISTS: readonly string[] = ["depth.txt", "rgb.txt", POSES, "accelerometer.txt", "associations.txt"];

/** The benchmark was recorded from May 2011 to July 2012, between these times in seconds. */
const RECORDED = { from: Date.UTC(2011, 4) / 1000, to: Date.UTC(2012, 7) / 1000 } as const;

/**
 * Whether a folder without a list of depth images is the benchmark's nevertheless, since copies often lack that list. The folder's name
 * says so, or the texts beside depth, or the times of all images in depth/ and rgb/, if these lie within the time of the benchmark's
 * recording.
 */
async function isOfTum(files: Files): Promise<boolean> {
  if (/freiburg|rgbd_dataset/i.test(files.name)) return true;
  for (const name of ["rgb.txt", POSES, "accelerometer.txt"]) if (await files.has(name)) return true;
  const names = await files.list();
  const [depth, colors] = [imagesIn(names, "depth"), imagesIn(names, "rgb")];
  const all = [...depth, ...colors].map(time);
  return colors.length > 0 && all.every((seconds) => seconds > RECORDED.from && seconds < RECORDED.to);
}

async function findRoot(files: Files): Promise<string | undefined> {
  const isList = (name: string) => name === "depth.txt" || name.endsWith("/depth.txt");
  if (files.indexed) {
    const names = await files.list();
    const lists: string[] = [];
    for (const name of names.filter(isList)) if (!(await isNote(files, name, names))) lists.push(name);
    return onlyFolder(files, lists.map(folderOf));
  }
  const found = await files.find(isList);
  return found === undefined ? undefined : folderOf(found);
}

/** Whether a depth.txt is a text about depth: no line is a time and a name, and there is no list of colour beside it. */
async function isNote(files: Files, list: string, names: readonly string[]): Promise<boolean> {
  if (names.includes(list.replace(/depth\.txt$/, "rgb.txt"))) return false;
  const text = await readText(files, list, LONGEST_LIST);
  return !/^[ \t]{0,80}[\d.]{1,80}[ \t,]{1,80}[^\s,]{0,1000}?[^\s\d.,+-]/m.test(text);
}

/** Whether a `recording.json` names the depth images: then the folder is one of PNGs, whatever their names. */
async function describesDepth(files: Files): Promise<boolean> {
  return (await files.has(DESCRIPTION)) && (await readDescription(files, [])).depth !== undefined;
}

/**
 * Pairs depth with colour as the benchmark's associate.py does. It pairs each image once, which leaves gaps where the two cameras run half
 * a period apart. A depth image in such a gap shares its nearest colour image, so that colour does not flicker.
 */
function pairing(depth: readonly number[], color: readonly number[]): (index: number) => number {
  const partners = associate(depth, color, MAX_DIFFERENCE);
  return (i) => (partners[i] >= 0 ? partners[i] : nearest(color, depth[i], MAX_DIFFERENCE));
}

/**
 * Reads `recording.json`, wherever in an archive it comes: the same archive must mean the same however fast it is read. So an archive
 * without a table of contents is read to its end where it has no such file. A damaged archive counts as having none behind the damage.
 */
async function readCalibration(files: Files, warnings: string[]) {
  const there = await files.has(DESCRIPTION).catch((error) => {
    if (!(error instanceof DamagedArchive)) throw error;
    warnings.push(`${error.message} (a ${DESCRIPTION} behind that place would not be found)`);
    return false;
  });
  return there ? readDescription(files, warnings) : undefined;
}
