import { SourceError } from "../source.ts";
import { associate, nearest } from "./associate.ts";
import { DESCRIPTION, readDescription } from "./description.ts";
import { DamagedArchive, type Files, folderOf, onlyFolder, readText, safeName, within } from "./files/files.ts";
import type { Format, Pose } from "./format.ts";
import { type Habits, meaningOf } from "./meaning.ts";
import { checkNamed, pngFrames } from "./pngFrames.ts";

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
 * the three is missing.
 */
export const tum: Format = {
  name: "tum",
  sign: "depth.txt",
  mark: /(^|\/)depth\.txt$/,
  async open(input, options, decoder) {
    if (input.kind !== "files") return undefined;
    const root = await findRoot(input.files);
    if (root === undefined) return undefined;
    const files = within(input.files, root);
    const warnings: string[] = [];
    const images = await readList(files, "depth.txt", readImage);
    if (images.length === 0) throw new SourceError(`${files.name}/depth.txt: it lists no image`);
    const colors = (await files.has("rgb.txt")) ? await readList(files, "rgb.txt", readImage) : [];
    const colorOf = pairing(images.map(time), colors.map(time));
    const frames = images.map(({ seconds, value, line }, i) => ({
      depth: value,
      color: options.color === false ? undefined : colors[colorOf(i)]?.value,
      timestamp: seconds * 1000,
      namedBy: `depth.txt, line ${line}`,
    }));
    await checkNamed(files, frames);
    const said = await readCalibration(files, warnings);
    const fps = usualRate(images.map(time));
    const meaning = meaningOf(options, said, { ...HABITS, fps: { value: fps, from: "files" } }, warnings);

    let poses: Promise<Line<Pose>[]> | undefined;
    const pose = async (index: number) => {
      poses ??= files
        .has("groundtruth.txt")
        .then((there) => (there ? readList(files, "groundtruth.txt", readPose) : []));
      const list = await poses;
      const found = nearest(list.map(time), images[index].seconds, MAX_DIFFERENCE);
      return list[found]?.value;
    };
    const colorFrom = options.color === false ? "option" : "files";
    return pngFrames(files, decoder, frames, meaning, colorFrom, warnings, pose);
  },
};

async function findRoot(files: Files): Promise<string | undefined> {
  const isList = (name: string) => name === "depth.txt" || name.endsWith("/depth.txt");
  if (files.indexed) return onlyFolder(files, (await files.list()).filter(isList).map(folderOf));
  const found = await files.find(isList);
  return found === undefined ? undefined : folderOf(found);
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

interface Line<T> {
  readonly seconds: number;
  readonly value: T;
  readonly line: number;
}

const time = ({ seconds }: Line<unknown>) => seconds;

/** Lines of "time value …" in the order of their times; "#" begins a comment, commas count as spaces. */
async function readList<T>(
  files: Files,
  name: string,
  read: (words: string[], where: string) => T,
): Promise<Line<T>[]> {
  const lines: Line<T>[] = [];
  for (const [i, text] of (await readText(files, name)).split("\n").entries()) {
    const words = text.replaceAll(",", " ").trim().split(/\s+/);
    if (words[0] === "" || words[0].startsWith("#")) continue;
    const where = `${files.name}/${name}, line ${i + 1}`;
    const seconds = Number(words[0]);
    if (!Number.isFinite(seconds)) throw malformed(where, "a time in seconds comes first", text);
    lines.push({ seconds, value: read(words.slice(1), where), line: i + 1 });
  }
  return lines.sort((a, b) => a.seconds - b.seconds);
}

function readImage(words: string[], where: string): string {
  const name = words.length === 1 ? safeName(words[0], where) : undefined;
  if (name === undefined) throw malformed(where, "a time and the name of an image are expected", words.join(" "));
  return name;
}

function readPose(words: string[], where: string): Pose {
  const [tx, ty, tz, qx, qy, qz, qw] = words.map(Number);
  const length = Math.hypot(qx, qy, qz, qw);
  if (words.length !== 7 || ![tx, ty, tz].every(Number.isFinite) || !(length > 0)) {
    throw malformed(where, "a time, tx ty tz and qx qy qz qw are expected", words.join(" "));
  }
  const [x, y, z, w] = [qx / length, qy / length, qz / length, qw / length];
  return [
    ...[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), tx],
    ...[2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), ty],
    ...[2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), tz],
    ...[0, 0, 0, 1],
  ];
}

const malformed = (where: string, expected: string, found: string) =>
  new SourceError(
    `${where}: ${expected}, not ${JSON.stringify(found.trim().slice(0, 60))}; correct or remove the line`,
  );

/** Frames per second by the middle one of the steps between times; 30 if there is no telling. */
function usualRate(seconds: readonly number[]): number {
  const steps = seconds
    .slice(1)
    .map((t, i) => t - seconds[i])
    .sort((a, b) => a - b);
  const step = steps[steps.length >> 1];
  return step > 0 ? Math.round(10 / step) / 10 : 30;
}
