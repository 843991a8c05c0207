import { SourceError } from "../../../../core/source.ts";
import { type Files, folderOf, markedFolder, readText } from "../../../files/files.ts";
import { depthFormatOf, type FormatDefaults, type FormatLens, rateOf } from "../../../format/depthFormat.ts";
import { DESCRIPTION, readDescription } from "../../../format/description.ts";
import type { Format, Pose, WithOrigin } from "../../../format/format.ts";
import { colorBeside, pairBeside } from "../../beside/color.ts";
import { confidenceBeside } from "../../beside/confidence.ts";
import { lensesIn, matrixOf } from "../../beside/lens.ts";
import { parseText } from "../../beside/parse.ts";
import { timesIn } from "../../beside/times.ts";
import { matrix } from "../../beside/transforms.ts";
import { colorAsked, isPng, naturally } from "../../color.ts";
import { isDepthFile } from "../../depthFile.ts";
import { type More, pngFrames } from "../../pngFrames.ts";
import { isTime, LONGEST_LINE, readPose, rowsOf } from "../tum/lists.ts";

/** What the files of a recording say beside depth; lists are in the order of the depth images. */
interface Own {
  readonly defaults: FormatDefaults;
  /** In ms. */
  readonly times?: readonly number[] | undefined;
  readonly colors?: readonly (string | undefined)[];
  /** The warning where colour is used though the recorder does not register it to depth. */
  readonly unregistered?: string;
  readonly pose?: (index: number) => Promise<Pose | undefined>;
}

/** A data set or an app whose recordings are folders of depth images in millimetres, always with the same file names. */
interface Layout extends Pick<Format, "name" | "sign" | "begins"> {
  readonly mark: RegExp;
  /** Gives the recording's folder from a file that `mark` matches; that file's folder if not given. */
  readonly rootOf?: (marked: string) => string;
  readonly from: `${string} default`;
  readonly invalid?: readonly number[];
  readonly fps: number;
  readonly more?: More;
  isDepth(name: string): boolean;
  look(files: Files, depth: readonly string[], warnings: string[]): Promise<Own>;
}

const layoutOf = ({ mark, rootOf, from, invalid = [], fps, more, isDepth, look, ...names }: Layout): Format => ({
  ...names,
  mark,
  async open(input, options, decoder) {
    const files = await markedFolder(input, mark, rootOf);
    const all = (await files?.list()) ?? [];
    if (!files || names.begins?.(all) === false) return undefined;
    const depth = naturally(all.filter(isDepth));
    if (depth.length === 0)
      throw new SourceError(
        `${files.name}: this recording, which has ${names.sign}, has no image in depth/; export it again with depth`,
      );
    const warnings: string[] = [];
    const said = all.includes(DESCRIPTION) ? await readDescription(files, warnings) : undefined;
    const { defaults, times, colors = [], unregistered, pose } = await look(files, depth, warnings);
    const confidence = await confidenceBeside(files, depth, options.minConfidence);
    const habits = {
      confidence: confidence !== undefined,
      metresPerUnit: { value: 0.001, from },
      invalid: { value: invalid, from },
      fps: { value: fps, from },
      ...defaults,
    };
    const meaning = depthFormatOf(options, said, habits, warnings);
    const hasColor = colors.some((name) => name !== undefined);
    const asked = colorAsked(hasColor, options, said, warnings);
    if (asked.read && unregistered && said?.registered !== true) warnings.push(unregistered);
    const frames = depth.map((name, i) => ({
      depth: name,
      color: asked.read ? colors[i] : undefined,
      confidence: confidence?.[i],
      timestamp: times?.[i] ?? (i * 1000) / meaning.fps,
    }));
    return pngFrames({ files, decoder, frames, meaning, colorFrom: asked.from, warnings, pose, ...more });
  },
});

/** The most bytes of a pose's file, which has 16 numbers, and of a file of intrinsics. */
const LONGEST_POSE = 4096;
const LONGEST_LENS = 2 ** 16;
const LONGEST_POSES = 2 ** 24;
const SCENES = "7-Scenes default";
const STRAY = "Stray Scanner default";
const EXTRINSICS = /(^|\/)extrinsics\/[^/]*\.txt$/;
/** The rate of an iPhone's camera, by which frames are timed where odometry.csv does not do so. */
const CAMERA_FPS = 60;
const isSunDepth = (name: string) => isPng(name) && folderOf(name) === "depth";

/**
 * A sequence of 7-Scenes (Shotton et al., CVPR 2013; Kinect v1): `frame-XXXXXX.depth.png` with 65535 for "no measurement", `.color.png`,
 * and `.pose.txt`, a 4×4 matrix from the camera to the world in metres. The data set gives f = 585 and the centre (320, 240) for both
 * cameras, and no times. BundleFusion and 12-Scenes have the same names, with `.color.jpg`, and intrinsics in `info.txt`, 3DMatch in
 * `camera-intrinsics.txt`.
 */
export const sevenScenes = layoutOf({
  name: "7scenes",
  sign: "frame-000000.depth.png",
  mark: /(^|\/)frame-\d+\.depth\.png$/,
  from: SCENES,
  invalid: [65535],
  fps: 30,
  isDepth: (name) => /^frame-\d+\.depth\.png$/.test(name),
  async look(files, depth) {
    const info = await readInfo(files);
    const there = new Set(await files.list());
    const beside = (name: string, ending: string) => name.replace("depth.png", ending);
    return {
      defaults: info ? { lens: info } : { intrinsics: { value: { fx: 585, fy: 585, cx: 320, cy: 240 }, from: SCENES } },
      colors: depth.map((name) =>
        [beside(name, "color.png"), beside(name, "color.jpg")].find((color) => there.has(color)),
      ),
      ...(!info && { unregistered: "7-Scenes does not register its colour to its depth: edges are some pixels apart" }),
      async pose(index) {
        const name = beside(depth[index], "pose.txt");
        if (!there.has(name)) return undefined;
        const numbers = (await readText(files, name, LONGEST_POSE)).trim().split(/\s+/).map(Number);
        if (numbers.length === 16 && numbers.every(Number.isFinite)) return numbers;
        throw new SourceError(
          `${files.name}/${name}: the pose does not consist of 16 numbers; correct or remove the file`,
        );
      },
    };
  },
});

/**
 * A scan of Stray Scanner (iPhone or iPad with LiDAR): `depth/000000.png` (older ones: `.npy`), `odometry.csv` with times and poses, and
 * `camera_matrix.csv`, the intrinsics at the size of the film. The film itself (`rgb.mp4`) is not read.
 */
export const stray = layoutOf({
  name: "stray",
  sign: "odometry.csv",
  mark: /(^|\/)odometry\.csv$/,
  from: STRAY,
  fps: CAMERA_FPS,
  isDepth: (name) => isDepthFile(name) && folderOf(name) === "depth",
  async look(files, depth, warnings) {
    const moments = await readOdometry(files);
    const lens = await readMatrix(files);
    const own = depth.map((name) => moments.get(Number(/(\d{1,15})\.\w+$/.exec(name)?.[1])));
    const times = own.flatMap((moment) => moment?.time ?? []);
    const without = depth.length - times.length;
    const rate = without === 0 ? rateOf(times) : undefined;
    const warning = `${files.name}/odometry.csv: it has no time for ${without} of ${depth.length} depth images: all are timed at ${CAMERA_FPS} frames per second`;
    if (await files.has("rgb.mp4"))
      warnings.push(
        `${files.name}: the film rgb.mp4 is not read: frames go without colour, and are drawn by depth or as clay`,
      );
    return {
      defaults: {
        ...(without > 0 && { fps: { value: CAMERA_FPS, from: STRAY, warning } }),
        ...(rate !== undefined && { fps: { value: rate, from: "files" } }),
        ...(lens && { intrinsics: { value: lens, from: "file camera_matrix.csv" } }),
      },
      times: without === 0 ? times : undefined,
      pose: async (index) => own[index]?.pose,
    };
  },
});

/**
 * A sequence of SUN3D (Xiao et al., ICCV 2013) or a scene of SUN RGB-D (Song et al., CVPR 2015). The values of PNGs in `depth/` have their
 * bits rotated by three places, so that viewers show them brighter; `image/` has the registered colour, and `intrinsics.txt` the lens.
 */
export const sun = layoutOf({
  name: "sun",
  sign: "extrinsics/ and intrinsics.txt beside depth/",
  mark: EXTRINSICS,
  rootOf: (name) => folderOf(folderOf(name)),
  begins: (names) =>
    names.includes("intrinsics.txt") &&
    names.some((name) => EXTRINSICS.test(name) && folderOf(name) === "extrinsics") &&
    names.some(isSunDepth),
  from: "SUN default",
  fps: 30,
  more: { meant: (value) => ((value >> 3) | (value << 13)) & 65535 },
  isDepth: isSunDepth,
  async look(files, depth) {
    const name = "intrinsics.txt";
    const [found] = lensesIn(parseText(await readText(files, name, LONGEST_LENS)), name);
    const colors = await colorBeside(files, depth);
    const times = timesIn(depth);
    const rate = times && rateOf(times);
    const poses = await sunPoses(files, depth.length);
    return {
      defaults: {
        ...(found && { lens: { value: found.lens, from: `file ${name}` } }),
        ...(rate && { fps: { value: rate, from: "files" as const } }),
      },
      times,
      pose: async (index) => poses[index],
      // The data set's colour is registered, so pairing needs no warning.
      colors: colors.length > 0 ? pairBeside(files, depth, colors, []) : [],
    };
  },
});

/** SUN3D's poses, three rows of four numbers each, from the camera to the world: those of the last list, which is the newest. */
async function sunPoses(files: Files, count: number): Promise<readonly (Pose | undefined)[]> {
  const lists = (await files.list()).filter((name) => EXTRINSICS.test(name) && folderOf(name) === "extrinsics");
  const numbers = parseText(await readText(files, lists.sort()[lists.length - 1], LONGEST_POSES)).rows?.flat() ?? [];
  // An image of SUN RGB-D has the turn of its room there.
  if (count < 2 || numbers.length !== 12 * count) return [];
  return Array.from({ length: count }, (_, i) => matrix(numbers.slice(12 * i, 12 * i + 12)));
}

/** Depth's intrinsics, in `info.txt` as "m_calibrationDepthIntrinsic = fx 0 cx 0 0 fy cy 0 …"; `undefined` where no file has them. */
async function readInfo(files: Files): Promise<WithOrigin<FormatLens> | undefined> {
  for (const name of ["info.txt", "camera-intrinsics.txt"]) {
    if (!(await files.has(name))) continue;
    const found = lensesIn(parseText(await readText(files, name, LONGEST_LENS)), name);
    const lens = found.find(({ path }) => /depth$|^camera/.test(path))?.lens;
    if (lens) return { value: lens, from: `file ${name}` };
  }
  return undefined;
}

/** Reads "timestamp, frame, x, y, z, qx, qy, qz, qw", one line for each frame: times in ms and poses by the frames' numbers. */
async function readOdometry(files: Files): Promise<Map<number, { readonly time: number; readonly pose: Pose }>> {
  const moments = new Map<number, { time: number; pose: Pose }>();
  for await (const { words, where } of rowsOf(files, "odometry.csv"))
    if (words.length >= 9 && isTime(Number(words[0])))
      moments.set(Number(words[1]), { time: Number(words[0]) * 1000, pose: readPose(words.slice(2, 9), where) });
  return moments;
}

/** Reads the film's intrinsics for its width of 1920 pixels. Depth shows the same view at a smaller size. */
async function readMatrix(files: Files): Promise<FormatLens | undefined> {
  const name = "camera_matrix.csv";
  if (!(await files.has(name))) return undefined;
  const lens = matrixOf(parseText(await readText(files, name, LONGEST_LINE)).rows?.flat() ?? []);
  if (lens) return { ...lens, width: 1920, height: 1440 };
  throw new SourceError(`${files.name}/${name}: a 3×3 matrix of numbers is expected; correct or remove the file`);
}
