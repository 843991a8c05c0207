import { extrinsicsFrom } from "../../../../core/calibration/extrinsics.ts";
import type { Intrinsics } from "../../../../core/frame.ts";
import { compose, invert, type Rigid, rigid } from "../../../../core/pose.ts";
import { SourceError } from "../../../../core/source.ts";
import type { Size } from "../../../../core/view.ts";
import { MAX_PIXELS } from "../../../decode/png.ts";
import { type Files, folderOf, readText } from "../../../files/files.ts";
import type { FormatDefaults } from "../../../format/depthFormat.ts";
import type { Description } from "../../../format/description.ts";
import { bouguet, type Rectification } from "../../../format/rectify.ts";
import { lensesIn } from "../../beside/lens.ts";
import { fieldsIn, numberOf, numbersOf, parseText } from "../../beside/parse.ts";
import { matrix } from "../../beside/transforms.ts";
import { isPng, naturally } from "../../color.ts";

/** The most bytes of a file of calibration. */
const LONGEST = 2 ** 16;
/** How far two focal lengths or principal points of a rectified pair may differ, px. */
const ALIKE = 0.01;
/** The farthest that principal points may lie apart along the rows, px. */
const FARTHEST = 4096;

/** What is known of a folder whose images and calibration have the names of a data set. */
export interface Known extends Pick<Description, "pair"> {
  readonly defaults: Pick<FormatDefaults, "lens" | "fps">;
  /** How images become rectified ones, where they are not. */
  readonly rectified?: { readonly cameras: readonly [Intrinsics, Intrinsics]; readonly by: Rectification };
}

/** The files that a data set has its calibration in. */
export const CALIBRATIONS =
  /(^|\/)(calib\.txt|calib_cam_to_cam\.txt|cam0\/sensor\.yaml|[^/]*camchain[^/]*\.yaml|([^/]+_)?calib\/[^/]+_left\.yaml)$/;
/** The name of RTAB-Map's calibration files, one for each image. */
const RTABMAP = /^((?:[^/]+_)?)calib\/[^/]+_left\.yaml$/;

/** For each data set, names of which the folder of a pair without depth has all. */
const SIGNS: readonly (readonly RegExp[])[] = [
  [/^(cam0\/sensor|[^/]*camchain[^/]*)\.yaml$/, /^cam0\/(data\/)?[^/]+\.png$/, /^cam1\/(data\/)?[^/]+\.png$/],
  [RTABMAP, /^([^/]+_)?left\/[^/]+$/, /^([^/]+_)?right\/[^/]+$/],
  [/^calib\.txt$/, /^im0\.png$/, /^im1\.png$/],
  [/^calib\.txt$/, /^image_[02]\/[^/]+\.png$/, /^image_[13]\/[^/]+\.png$/],
  [/^calib_cam_to_cam\.txt$/, /^image_0[02]\/data\//, /^image_0[13]\/data\//],
];

/** Whether names are those of a known layout in this folder. */
export const isPairFolder = (names: readonly string[]): boolean =>
  SIGNS.some((signs) => signs.every((sign) => names.some((name) => sign.test(name))));

/** The recording's folder, from the name of a file of calibration in it. */
export const rootOfPair = (calibration: string): string =>
  folderOf(calibration.replace(/(?<![^/])(cam0|[^/]*calib)\/(?=[^/]*\.yaml$)/, ""));

/**
 * The layout of a folder: that of Middlebury's stereo pairs (2014 and later: im0.png, im1.png, calib.txt), of KITTI's (calib.txt of a
 * sequence, or calib_cam_to_cam.txt of a raw drive, and the grey or else the colour images), of EuRoC's (cam0/ and cam1/, each with data/
 * and sensor.yaml), of Kalibr's (cam0/, cam1/ and camchain.yaml), or of RTAB-Map's exports (left/, right/ and calib/, perhaps with a common
 * beginning of their names); `undefined` if it is none. Throws a `SourceError` where calibration says that the two images are no pair.
 */
export async function knownLayout(
  files: Files,
  sizeOf: (names: readonly string[]) => Promise<Size>,
): Promise<Known | undefined> {
  const list = await files.list();
  const calibration = list.find((name) => CALIBRATIONS.test(name) && rootOfPair(name) === "");
  if (calibration === undefined) return undefined;
  if (RTABMAP.test(calibration)) return rtabmapIn(files, list, calibration, sizeOf);
  if (/\.yaml$/.test(calibration)) return rigIn(files, list, calibration);
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
    const other = numbers("cam1");
    const value = lensOf(where, baselineMm, cam, other, [2, 4, 5], true);
    const doffsPx = (other?.[2] ?? Number.NaN) - value.cx;
    const [[doffs] = [doffsPx], width, height] = ["doffs", "width", "height"].map(numbers);
    if (!(Math.abs(doffs - doffsPx) <= 1))
      throw new SourceError(
        `${where}: its doffs, ${doffs}, is not cx of cam1 less cx of cam0, ${doffsPx}; correct what is wrong`,
      );
    if (width && height) checkSize(where, await sizeOf(["im0.png"]), { width: width[0], height: height[0] });
    return {
      pair: { left: "im0.png", right: "im1.png", baselineMm, ...(doffsPx !== 0 && { doffsPx }) },
      defaults: { lens: { value, from: "files" } },
    };
  }
  for (const [left, right, names, folder] of KITTI) {
    const [one, other] = names.map(numbers);
    const images = [left, right].map((name) => `${name}${folder}/*.png`);
    if (one?.length !== 12 || other?.length !== 12 || ![left, right].every((name) => has(`${name}${folder}/`)))
      continue;
    const pair = { left: images[0] ?? "", right: images[1] ?? "", baselineMm: (1000 * (one[3] - other[3])) / one[0] };
    const value = lensOf(where, pair.baselineMm, one, other, [2, 5, 6]);
    const defaults = { lens: { value, from: "files" }, fps: { value: 10, from: "KITTI default" } } as const;
    const size = folder === "" ? undefined : await sizeOf(firstIn(list, `${left}${folder}/`));
    const rectified = size && kittiRaw(numbers, names, value, size, pair.baselineMm);
    const [width, height] = numbers(left.replace("image", "S_rect")) ?? [];
    if (size && !rectified && width > 0 && height > 0) checkSize(where, size, { width, height });
    return { pair, defaults, ...(rectified && { rectified }) };
  }
  return undefined;
}

/** The first images of a folder, of which some may be damaged. */
const firstIn = (list: readonly string[], folder: string) =>
  naturally(list.filter((name) => name.startsWith(folder))).slice(0, 3);

function checkSize(where: string, { width, height }: Size, said: Size): void {
  if (width !== said.width || height !== said.height)
    throw new SourceError(
      `${where}: the images are ${width}×${height}, and it is for ${said.width}×${said.height}; use the calibration of these images`,
    );
}

/**
 * KITTI's drives that are not synchronised have the images as they were taken: S is their size, K the lens and D its distortion. R_rect
 * turns them, and P_rect is the lens of the rectified pair, S_rect its size (Geiger et al., IJRR 2013).
 */
function kittiRaw(
  numbers: (key: string) => number[] | undefined,
  names: readonly string[],
  lens: Pick<Intrinsics, "fx" | "fy" | "cx" | "cy">,
  size: Size,
  baselineMm: number,
): Known["rectified"] {
  const cameras: Intrinsics[] = [];
  const turns: (readonly number[])[] = [];
  for (const name of names) {
    const of = (key: string) => numbers(name.replace("P_rect", key)) ?? [];
    const [k, distortion, turn, [width, height]] = [of("K"), of("D"), of("R_rect"), of("S")];
    if (width !== size.width || height !== size.height || k.length !== 9 || turn.length !== 9) return undefined;
    cameras.push({ fx: k[0], fy: k[4], cx: k[2], cy: k[5], width, height, distortion });
    turns.push(turn);
  }
  const [width, height] = numbers(names[0].replace("P_rect", "S_rect")) ?? [];
  if (!(width > 0 && height > 0 && width * height <= MAX_PIXELS)) return undefined;
  const by = { left: turns[0], right: turns[1], lens: { ...lens, width, height }, baselineM: baselineMm / 1000 };
  return { cameras: [cameras[0], cameras[1]], by };
}

/** Models of distortion that `lensesIn` knows by EuRoC's, Kalibr's and ROS' names. */
const BENT = /radial-?tangential|radtan|plumb_bob|equidistant|fisheye|none/i;

const yamlIn = async (files: Files, name: string) => parseText(await readText(files, name, LONGEST)).value;
/** A field as a word; "" for a field that has parts of its own. */
const wordIn = (value: unknown): string => (typeof value === "object" ? "" : String(value));

/**
 * Two cameras whose images are not rectified: EuRoC's (Burri et al., IJRR 2016), of which each has a file with its lens and its place on
 * the body, T_BS, and Kalibr's, whose chain has both lenses and the way from the first camera to the second, T_cn_cnm1.
 */
async function rigIn(files: Files, list: readonly string[], calibration: string): Promise<Known | undefined> {
  const isChain = !calibration.includes("/");
  const folders = ["cam0", "cam1"].map((name) =>
    [`${name}/data`, name].find((folder) => list.some((one) => folderOf(one) === folder && isPng(one))),
  );
  const texts = isChain ? [calibration, calibration] : [calibration, "cam1/sensor.yaml"];
  if (folders.includes(undefined) || !list.includes(texts[1])) return undefined;
  const placeName = isChain ? "T_cn_cnm1" : "T_BS";
  const cameras: Intrinsics[] = [];
  const places: Rigid[] = [];
  for (const [k, name] of texts.entries()) {
    const value = await yamlIn(files, name);
    const fields = fieldsIn(isChain ? fieldsIn(value)[`cam${k}`] : value);
    const lens = lensesIn({ value: fields }, name)[0]?.lens;
    const place = isChain && k === 0 ? rigid() : matrix(numbersOf(fields[placeName]) ?? []);
    const where = `${files.name}/${name}: ${isChain ? `its cam${k}` : "it"}`;
    if (!lens?.width || !lens.height || !place)
      throw new SourceError(`${where} lacks the lens, its resolution or ${placeName}; complete it`);
    const [seen, bent] = [fields.camera_model ?? "pinhole", fields.distortion_model ?? "none"].map(wordIn);
    if (!(seen === "pinhole" && BENT.test(bent)))
      throw new SourceError(
        `${where} has a lens of a model that is not read, ${seen} with ${bent}; calibrate it as pinhole with radial-tangential or equidistant`,
      );
    cameras.push({ ...lens, width: lens.width, height: lens.height });
    places.push(Float64Array.from(place.slice(0, 12)));
  }
  const where = `${files.name}/${texts[1]}`;
  if (cameras[0].width !== cameras[1].width || cameras[0].height !== cameras[1].height)
    throw new SourceError(`${where}: its resolution is not that of cam0; a pair needs two images of one size`);
  const way = isChain ? places[1] : compose(rigid(), invert(rigid(), places[1]), places[0]);
  const by = bouguet(cameras[0], cameras[1], extrinsicsFrom(way));
  if (typeof by === "string") throw new SourceError(`${where}: ${by}`);
  return {
    pair: { left: `${folders[0]}/*.png`, right: `${folders[1]}/*.png`, baselineMm: 1000 * by.baselineM },
    defaults: { lens: { value: by.lens, from: `file ${calibration}` } },
    rectified: { cameras: [cameras[0], cameras[1]], by },
  };
}

/** RTAB-Map's images of a stereo camera are rectified. Each image has the projections of both cameras; those of the first image count. */
async function rtabmapIn(
  files: Files,
  list: readonly string[],
  calibration: string,
  sizeOf: (names: readonly string[]) => Promise<Size>,
) {
  const start = RTABMAP.exec(calibration)?.[1] ?? "";
  const first = firstIn(list, `${start}left/`);
  if (first.length === 0 || !list.some((name) => name.startsWith(`${start}right/`))) return undefined;
  const names = [calibration, calibration.replace(/left\.yaml$/, "right.yaml")];
  const said: Readonly<Record<string, unknown>>[] = [];
  for (const name of names) said.push(list.includes(name) ? fieldsIn(await yamlIn(files, name)) : {});
  const where = `${files.name}/${calibration}`;
  const [one, other] = said.map(({ projection_matrix }) => numbersOf(projection_matrix) ?? []);
  if (one.length !== 12 || other.length !== 12)
    throw new SourceError(
      `${where}: it or the right camera's lacks projection_matrix; export the map's calibrations again`,
    );
  const [width, height] = [numberOf(said[0].image_width), numberOf(said[0].image_height)];
  if (width > 0 && height > 0) checkSize(where, await sizeOf(first), { width, height });
  const ending = first[0].slice(first[0].lastIndexOf("."));
  const baselineMm = (1000 * (one[3] - other[3])) / one[0];
  return {
    pair: { left: `${start}left/*${ending}`, right: `${start}right/*${ending}`, baselineMm },
    defaults: {
      lens: { value: lensOf(where, baselineMm, one, other, [2, 5, 6]), from: `file ${calibration}` as const },
    },
  };
}

/** The folders of left and right images, the names of their projections, and where the images lie in the folders. */
const KITTI = [
  ["image_0", "image_1", ["P0", "P1"], ""],
  ["image_2", "image_3", ["P2", "P3"], ""],
  ["image_00", "image_01", ["P_rect_00", "P_rect_01"], "/data"],
  ["image_02", "image_03", ["P_rect_02", "P_rect_03"], "/data"],
] as const;

/**
 * The left camera's lens, from two matrices row by row in which cx, fy and cy stand where `at` says. Throws where they are not the matrices
 * of a rectified pair, or give no distance.
 */
function lensOf(
  where: string,
  baselineMm: number,
  one: readonly number[],
  other: readonly number[] | undefined,
  at: readonly number[],
  mayShift = false,
) {
  const [fx = 0, cx = 0, fy = 0, cy = 0] = [0, ...at].map((i) => one[i]);
  if (!([fx, fy, baselineMm].every((value) => value > 0 && value < 1e6) && [cx, cy].every(Number.isFinite)))
    throw new SourceError(
      `${where}: its focal lengths and the cameras' distance are no positive numbers; correct them`,
    );
  // Principal points may differ along the rows, which shifts all disparities alike.
  const limit = (i: number) => (mayShift && i === at[0] ? FARTHEST : ALIKE);
  const apart = [0, ...at].find((i) => !(Math.abs((other?.[i] ?? Number.NaN) - (one[i] ?? 0)) <= limit(i)));
  if (apart !== undefined)
    throw new SourceError(
      `${where}: the two cameras' ${apart === 0 || apart === at[1] ? "focal lengths" : "principal points"} differ, so that a disparity is no distance; rectify both images to one lens, and name them in recording.json`,
    );
  return { fx, fy, cx, cy };
}
