import { SourceError } from "../../../../core/source.ts";
import {
  type Files,
  folderOf,
  LONGEST_LIST,
  markedFolder,
  mostLines,
  readText,
  tooManyLines,
} from "../../../files/files.ts";
import { depthFormatOf, type FormatDefaults, type FormatLens, rateOf } from "../../../format/depthFormat.ts";
import type { Format, Pose } from "../../../format/format.ts";
import { confidenceBeside } from "../../beside/confidence.ts";
import { isDepthFile } from "../../depthFile.ts";
import { pngFrames } from "../../pngFrames.ts";
import { isTime, LONGEST_LINE, linesOf, readPose } from "../tum/lists.ts";

const ODOMETRY = /(^|\/)odometry\.csv$/;
const from = "Stray Scanner default";
/** The rate of the device's camera, by which frames are timed where odometry.csv does not do so. */
const CAMERA_FPS = 60;

/**
 * A scan of Stray Scanner (iPhone or iPad with LiDAR): `depth/000000.png` (older ones: `.npy`) in millimetres, `odometry.csv` with times
 * and poses, and `camera_matrix.csv`, the intrinsics at the size of the film. The film itself (`rgb.mp4`) is not read.
 */
export const stray: Format = {
  name: "stray",
  sign: "odometry.csv",
  mark: ODOMETRY,
  async open(input, options, decoder) {
    const files = await markedFolder(input, ODOMETRY);
    if (!files) return undefined;
    const names = (await files.list()).filter((name) => isDepthFile(name) && folderOf(name) === "depth");
    if (names.length === 0) {
      throw new SourceError(
        `${files.name}: this Stray Scanner scan has no image in depth/; export it again with depth`,
      );
    }
    const warnings: string[] = [];
    const moments = await readOdometry(files);
    const lens = await readLens(files);
    const found = names.map((name) => moments.get(numberOf(name))?.time);
    const times = found.filter((time) => time !== undefined);
    const timed = times.length === names.length;
    const rate = timed ? rateOf(times) : undefined;
    const confidence = await confidenceBeside(files, names, options.minConfidence);
    const defaults: FormatDefaults = {
      confidence: confidence !== undefined,
      metresPerUnit: { value: 0.001, from },
      invalid: { value: [], from },
      fps:
        rate === undefined
          ? { value: CAMERA_FPS, from, ...untimed(files, names.length - times.length, names.length) }
          : { value: rate, from: "files" },
      ...(lens && { intrinsics: { value: lens, from: "file camera_matrix.csv" } }),
    };
    const meaning = depthFormatOf(options, undefined, defaults, warnings);
    if (await files.has("rgb.mp4"))
      warnings.push(
        `${files.name}: the film rgb.mp4 is not read: frames go without colour, and are drawn by depth or as clay`,
      );
    const frames = names.map((depth, i) => ({
      depth,
      confidence: confidence?.[i],
      timestamp: timed ? times[i] : (i * 1000) / meaning.fps,
    }));
    const pose = async (index: number) => moments.get(numberOf(names[index]))?.pose;
    return pngFrames(files, decoder, frames, meaning, options.color === false ? "option" : "files", warnings, pose);
  },
};

const numberOf = (name: string) => Number(/(\d{1,15})\.\w+$/.exec(name)?.[1]);

/** The warning where odometry.csv lacks the times of some images: all are timed by the camera's rate then. */
function untimed({ name }: Files, without: number, all: number) {
  const warning = `${name}/odometry.csv: it has no time for ${without} of ${all} depth images: all are timed at ${CAMERA_FPS} frames per second`;
  return without > 0 ? { warning } : {};
}

/** Reads "timestamp, frame, x, y, z, qx, qy, qz, qw", one line for each frame. */
async function readOdometry(files: Files): Promise<Map<number, { readonly time: number; readonly pose: Pose }>> {
  const moments = new Map<number, { time: number; pose: Pose }>();
  const most = mostLines(files);
  for (const { text, line } of linesOf(await readText(files, "odometry.csv", LONGEST_LIST))) {
    const words = text
      .slice(0, LONGEST_LINE)
      .split(",")
      .map((word) => word.trim());
    if (words.length < 9 || !isTime(Number(words[0]))) continue;
    const pose = readPose(words.slice(2, 9), `${files.name}/odometry.csv, line ${line}`);
    if (moments.size === most) throw tooManyLines(`${files.name}/odometry.csv, line ${line}`, most);
    moments.set(Number(words[1]), { time: Number(words[0]) * 1000, pose });
  }
  return moments;
}

/** Reads the film's intrinsics for its width of 1920 pixels. Depth shows the same view at a smaller size. */
async function readLens(files: Files): Promise<FormatLens | undefined> {
  if (!(await files.has("camera_matrix.csv"))) return undefined;
  const text = await readText(files, "camera_matrix.csv", LONGEST_LINE);
  const numbers = text
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const [fx, , cx, , fy, cy] = numbers;
  if (numbers.length === 9 && numbers.every(Number.isFinite) && fx > 0 && fy > 0)
    return { fx, fy, cx, cy, width: 1920, height: 1440 };
  throw new SourceError(
    `${files.name}/camera_matrix.csv: a 3×3 matrix of numbers is expected; correct or remove the file`,
  );
}
