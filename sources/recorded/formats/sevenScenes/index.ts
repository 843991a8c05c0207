import { SourceError } from "../../../../core/source.ts";
import { type Files, folderOf, markedFolder, readText } from "../../../files/files.ts";
import { depthFormatOf, type FormatDefaults, type FormatLens } from "../../../format/depthFormat.ts";
import { DESCRIPTION, readDescription } from "../../../format/description.ts";
import type { Format, Pose, WithOrigin } from "../../../format/format.ts";
import { colorAsked } from "../../color.ts";
import { pngFrames } from "../../pngFrames.ts";

/** The most bytes of a pose's file, which has 16 numbers. */
const LONGEST_POSE = 4096;
const LONGEST_INFO = 2 ** 16;
const DEPTH = /(^|\/)frame-\d+\.depth\.png$/;
const from = "7-Scenes default";
const DEFAULTS: FormatDefaults = {
  metresPerUnit: { value: 0.001, from },
  invalid: { value: [65535], from },
  fps: { value: 30, from },
  intrinsics: { value: { fx: 585, fy: 585, cx: 320, cy: 240 }, from },
};

/**
 * A sequence of 7-Scenes (Shotton et al., CVPR 2013; Kinect v1): `frame-XXXXXX.depth.png` in millimetres with 65535 for "no measurement",
 * `.color.png`, and `.pose.txt`, a 4×4 matrix from the camera to the world in metres. The data set gives f = 585 and the centre (320, 240)
 * for both cameras, and no times: 30 frames per second. BundleFusion and 12-Scenes have the same names, with `.color.jpg`, and intrinsics
 * in `info.txt`.
 */
export const sevenScenes: Format = {
  name: "7scenes",
  sign: "frame-000000.depth.png",
  mark: DEPTH,
  async open(input, options, decoder) {
    const files = await markedFolder(input, DEPTH);
    if (!files) return undefined;
    const warnings: string[] = [];
    const said = (await files.has(DESCRIPTION)) ? await readDescription(files, warnings) : undefined;
    const info = await readInfo(files);
    const meaning = depthFormatOf(options, said, info ? { ...DEFAULTS, intrinsics: info } : DEFAULTS, warnings);
    const number = (name: string) => Number(/frame-(\d+)/.exec(name)?.[1]);
    const stems = (await files.list())
      .filter((name) => DEPTH.test(name) && folderOf(name) === "")
      .map((name) => name.slice(0, -".depth.png".length))
      .sort((a, b) => number(a) - number(b));
    const frames = [];
    for (const [i, stem] of stems.entries()) {
      const png = `${stem}.color.png`;
      const jpeg = `${stem}.color.jpg`;
      const color = (await files.has(png)) ? png : (await files.has(jpeg)) ? jpeg : undefined;
      frames.push({ depth: `${stem}.depth.png`, color, timestamp: (i * 1000) / meaning.fps });
    }
    const asked = colorAsked(
      frames.some(({ color }) => color),
      options,
      said,
      warnings,
    );
    if (asked.read && said?.registered !== true && !info) {
      warnings.push("7-Scenes does not register its colour to its depth: edges are some pixels apart");
    }
    const pose = async (index: number) => {
      const name = `${stems[index]}.pose.txt`;
      return (await files.has(name))
        ? parsePose(await readText(files, name, LONGEST_POSE), `${files.name}/${name}`)
        : undefined;
    };
    const read = asked.read ? frames : frames.map((frame) => ({ ...frame, color: undefined }));
    return pngFrames(files, decoder, read, meaning, asked.from, warnings, pose);
  },
};

/** Depth's intrinsics from `info.txt`: "m_calibrationDepthIntrinsic = fx 0 cx 0 0 fy cy 0 …"; `undefined` where the file lacks them. */
async function readInfo(files: Files): Promise<WithOrigin<FormatLens> | undefined> {
  if (!(await files.has("info.txt"))) return undefined;
  const text = await readText(files, "info.txt", LONGEST_INFO);
  const numbersOf = (name: string) =>
    (new RegExp(`^${name}\\s*=(.{0,400})`, "m").exec(text)?.[1] ?? "").trim().split(/\s+/).map(Number);
  const [fx, , cx, , , fy, cy] = numbersOf("m_calibrationDepthIntrinsic");
  const [[width], [height]] = [numbersOf("m_depthWidth"), numbersOf("m_depthHeight")];
  const isLens = fx > 0 && fy > 0 && width > 0 && height > 0 && Number.isFinite(cx) && Number.isFinite(cy);
  return isLens ? { value: { fx, fy, cx, cy, width, height }, from: "file info.txt" } : undefined;
}

function parsePose(text: string, where: string): Pose {
  const numbers = text.trim().split(/\s+/).map(Number);
  if (numbers.length === 16 && numbers.every(Number.isFinite)) return numbers;
  throw new SourceError(`${where}: the pose does not consist of 16 numbers; correct or remove the file`);
}
