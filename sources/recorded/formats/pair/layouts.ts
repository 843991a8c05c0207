import { SourceError } from "../../../../core/source.ts";
import { type Files, readText } from "../../../files/files.ts";
import type { FormatDefaults } from "../../../format/depthFormat.ts";
import type { Description } from "../../../format/description.ts";

/** The most bytes of a file of calibration. */
const LONGEST = 2 ** 16;
/** How far two focal lengths or principal points of a rectified pair may differ, px. */
const ALIKE = 0.01;

/** What is known of a folder whose images and calibration have the names of a data set. */
interface Known extends Pick<Description, "pair"> {
  readonly defaults: Pick<FormatDefaults, "lens" | "fps">;
}

/** The files that a data set has its calibration in. */
export const CALIBRATIONS = /(^|\/)(calib|calib_cam_to_cam)\.txt$/;

/**
 * A folder of Middlebury's stereo pairs (2014 and later: im0.png, im1.png, calib.txt) or of KITTI's (calib.txt of a sequence, or
 * calib_cam_to_cam.txt of a raw drive, and the grey or else the colour images); `undefined` if it is neither. Throws a `SourceError` where
 * calibration says that the two images' rows or columns are not those of one lens.
 */
export async function knownLayout(files: Files): Promise<Known | undefined> {
  const list = await files.list();
  const calibration = list.find((name) => CALIBRATIONS.test(name) && !name.includes("/"));
  if (calibration === undefined) return undefined;
  const where = `${files.name}/${calibration}`;
  const text = await readText(files, calibration, LONGEST);
  const has = (name: string) => list.some((one) => one.startsWith(name));
  const numbers = (key: string) => {
    const line = new RegExp(`^${key}\\s*[:=](.*)$`, "m").exec(text);
    return line?.[1]?.match(/[-+.\d]+(e[-+]?\d+)?/gi)?.map(Number);
  };
  const cam = numbers("cam0");
  const [baselineMm = 0] = numbers("baseline") ?? [];
  if (cam?.length === 9 && has("im0.png")) {
    const pair = { left: "im0.png", right: "im1.png", baselineMm };
    return {
      pair,
      defaults: { lens: { value: lensOf(where, baselineMm, cam, numbers("cam1"), [2, 4, 5]), from: "files" } },
    };
  }
  for (const [left, right, names, folder] of KITTI) {
    const [one, other] = names.map(numbers);
    const images = [left, right].map((name) => `${name}${folder}/*.png`);
    if (one?.length !== 12 || other?.length !== 12 || ![left, right].every((name) => has(`${name}${folder}/`)))
      continue;
    const pair = { left: images[0] ?? "", right: images[1] ?? "", baselineMm: (1000 * (one[3] - other[3])) / one[0] };
    const lens = { value: lensOf(where, pair.baselineMm, one, other, [2, 5, 6]), from: "files" } as const;
    return { pair, defaults: { lens, fps: { value: 10, from: "KITTI default" } } };
  }
  return undefined;
}

/** The folders of left and right images, the names of their projections, and where the images lie in the folders. */
const KITTI = [
  ["image_0", "image_1", ["P0", "P1"], ""],
  ["image_2", "image_3", ["P2", "P3"], ""],
  ["image_00", "image_01", ["P_rect_00", "P_rect_01"], "/data"],
  ["image_02", "image_03", ["P_rect_02", "P_rect_03"], "/data"],
] as const;

/**
 * The left camera's lens of two matrices by rows, in which `at` says where cx, fy and cy stand. Throws where they are none of one rectified
 * pair, or have no distance.
 */
function lensOf(
  where: string,
  baselineMm: number,
  one: readonly number[],
  other: readonly number[] | undefined,
  at: readonly number[],
) {
  const [fx = 0, cx = 0, fy = 0, cy = 0] = [0, ...at].map((i) => one[i]);
  if (!([fx, fy, baselineMm].every((value) => value > 0 && value < 1e6) && [cx, cy].every(Number.isFinite)))
    throw new SourceError(
      `${where}: its focal lengths and the cameras' distance are no positive numbers; correct them`,
    );
  const apart = [0, ...at].find((i) => !(Math.abs((other?.[i] ?? Number.NaN) - (one[i] ?? 0)) <= ALIKE));
  if (apart !== undefined)
    throw new SourceError(
      `${where}: the two cameras' ${apart === 0 || apart === at[1] ? "focal lengths" : "principal points"} differ, so that a disparity is no distance; rectify both images to one lens, and name them in recording.json`,
    );
  return { fx, fy, cx, cy };
}
