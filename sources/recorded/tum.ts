import { SourceError } from "../source.ts";
import { associate, nearest } from "./associate.ts";
import { colorAsked } from "./color.ts";
import { DESCRIPTION, readDescription } from "./description.ts";
import { DamagedArchive, type Files, folderOf, onlyFolder, within } from "./files/files.ts";
import type { Format, Pose } from "./format.ts";
import { type Habits, meaningOf } from "./meaning.ts";
import { checkNamed, pngFrames } from "./pngFrames.ts";
import { imagesIn, type Line, readImage, readList, readPose, stampedFolders, time } from "./tumLists.ts";

/** Images and poses further apart than this, in seconds, do not belong together (the benchmark's own tools say so). */
const MAX_DIFFERENCE = 0.02;
const from = "TUM default";
const HABITS: Habits = {
  metresPerUnit: { value: 1 / 5000, from },
  invalid: { value: [], from },
  intrinsics: {
    value: { fx: 525, fy: 525, cx: 319.5, cy: 239.5 },
    from,
    warning:
      "nothing says what lens it was: the one that TUM's benchmark takes for all its cameras is assumed (fx 525, fy 525, cx 319.5, cy 239.5 at 640×480)",
  },
};

/**
 * A sequence of the TUM RGB-D benchmark (Sturm et al., IROS 2012): `depth.txt` and `rgb.txt` list times and images,
 * `groundtruth.txt` poses. 5000 units are a metre and 0 is "no measurement". The camera is the ROS default, which the
 * benchmark recommends; a sequence's own calibration comes from `recording.json` or the user.
 *
 * Of a .tgz or .tar, opening waits until `depth.txt`, `rgb.txt` and `recording.json` have gone by: to its end where one of
 * the three is missing. Copies often come without the lists: then names tell the times, the rest is as ever.
 */
export const tum: Format = {
  name: "tum",
  sign: "depth.txt",
  mark: /(^|\/)depth\.txt$/,
  async open(input, options, decoder) {
    if (input.kind !== "files") return undefined;
    const warnings: string[] = [];
    const found = await findLists(input.files, warnings);
    if (!found) return undefined;
    const { files, images, colors } = found;
    const colorOf = pairing(images.map(time), colors.map(time));
    const said = await readCalibration(files, warnings);
    const asked = colorAsked(colors.length > 0, options, said, warnings);
    const frames = images.map(({ seconds, value, line }, i) => ({
      depth: value,
      color: asked.read ? colors[colorOf(i)]?.value : undefined,
      timestamp: seconds * 1000,
      ...(line !== undefined && { namedBy: `depth.txt, line ${line}` }),
    }));
    await checkNamed(files, frames);
    const meaning = meaningOf(options, said, { ...HABITS, ...usualRate(images.map(time)) }, warnings);

    let poses: Promise<{ list: Line<Pose>[]; times: number[] }> | undefined;
    const readPoses = async () => {
      const there = await files.has("groundtruth.txt");
      const list = there ? await readList(files, "groundtruth.txt", readPose) : [];
      return { list, times: list.map(time) };
    };
    const pose = async (index: number) => {
      poses ??= readPoses();
      const { list, times } = await poses;
      return list[nearest(times, images[index].seconds, MAX_DIFFERENCE)]?.value;
    };
    return pngFrames(files, decoder, frames, meaning, asked.from, warnings, pose);
  },
};

interface Lists {
  readonly files: Files;
  readonly images: readonly Line<string>[];
  readonly colors: readonly Line<string>[];
}

/** The images of depth and colour, by their lists; where one is missing by the names in `depth/` or `rgb/`, with a warning. */
async function findLists(all: Files, warnings: string[]): Promise<Lists | undefined> {
  const listed = await findRoot(all);
  const root = listed ?? onlyFolder(all, stampedFolders(await all.list(), "depth").map(folderOf));
  if (root === undefined) return undefined;
  const files = within(all, root);
  const missing: string[] = [];
  const byNames = async (folder: string) => {
    const images = imagesIn(await files.list(), folder);
    if (images.length > 0) missing.push(`${folder}.txt`);
    return images;
  };
  if (listed === undefined && (await describesDepth(files))) return undefined;
  const images = await (listed === undefined ? byNames("depth") : readList(files, "depth.txt", readImage));
  if (images.length === 0)
    throw new SourceError(`${files.name}/depth.txt: it lists no image; copy or export the recording again`);
  const colors = await ((await files.has("rgb.txt")) ? readList(files, "rgb.txt", readImage) : byNames("rgb"));
  if (missing.length > 0) {
    const folders = missing.map((name) => name.replace(".txt", "/")).join(" and ");
    warnings.push(
      `${files.name}: there is no ${missing.join(" and no ")}: the images in ${folders} have times for names, so they are taken for TUM's, at those times`,
    );
  }
  return { files, images, colors };
}

async function findRoot(files: Files): Promise<string | undefined> {
  const isList = (name: string) => name === "depth.txt" || name.endsWith("/depth.txt");
  if (files.indexed) return onlyFolder(files, (await files.list()).filter(isList).map(folderOf));
  const found = await files.find(isList);
  return found === undefined ? undefined : folderOf(found);
}

/** Whether a `recording.json` says which images are depth: then it is a folder of PNGs, whatever their names. */
async function describesDepth(files: Files): Promise<boolean> {
  return (await files.has(DESCRIPTION)) && (await readDescription(files, [])).depth !== undefined;
}

/**
 * Pairs as the benchmark's associate.py makes them. It gives an image away once only, which leaves gaps where the two
 * cameras run half a period apart; a depth image in such a gap shares its nearest colour image, so that colour stays on.
 */
function pairing(depth: readonly number[], color: readonly number[]): (index: number) => number {
  const partners = associate(depth, color, MAX_DIFFERENCE);
  return (i) => (partners[i] >= 0 ? partners[i] : nearest(color, depth[i], MAX_DIFFERENCE));
}

/**
 * `recording.json`, wherever in an archive it comes: the same bytes mean the same, however fast they are read. So of an
 * archive without a list of contents all has to go by where there is none. One that is damaged has none behind that.
 */
async function readCalibration(files: Files, warnings: string[]) {
  const there = await files.has(DESCRIPTION).catch((error) => {
    if (!(error instanceof DamagedArchive)) throw error;
    warnings.push(`${error.message} (a ${DESCRIPTION} behind that place is not known)`);
    return false;
  });
  return there ? readDescription(files, warnings) : undefined;
}

/** Frames per second by the middle one of the steps between times, if they tell. */
function usualRate(seconds: readonly number[]): Pick<Habits, "fps"> {
  const steps = seconds
    .slice(1)
    .map((t, i) => t - seconds[i])
    .sort((a, b) => a - b);
  const rate = 1 / steps[steps.length >> 1];
  if (!(rate > 0 && Number.isFinite(rate))) return {};
  return { fps: { value: rate < 1 ? Number(rate.toPrecision(2)) : Math.round(10 * rate) / 10, from: "files" } };
}
