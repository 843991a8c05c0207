import type { Intrinsics } from "../../../../core/frame.ts";
import { compose, invert, type Rigid, rigid } from "../../../../core/pose.ts";
import { SourceError } from "../../../../core/source.ts";
import { MAX_PIXELS } from "../../../decode/png.ts";
import { type Files, folderOf, readText } from "../../../files/files.ts";
import type { FormatDefaults } from "../../../format/depthFormat.ts";
import type { Description } from "../../../format/description.ts";
import { bouguet, type Rectification } from "../../../format/rectify.ts";
import { lensesIn } from "../../beside/lens.ts";
import { entriesOf, numbersOf, parseText } from "../../beside/parse.ts";
import { matrix } from "../../beside/transforms.ts";

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
export const CALIBRATIONS = /(^|\/)(calib\.txt|calib_cam_to_cam\.txt|cam0\/sensor\.yaml)$/;

/** Names that the folder of a pair without depth has, of each data set all. */
const SIGNS: readonly (readonly RegExp[])[] = [
  [/^cam0\/sensor\.yaml$/, /^cam1\/sensor\.yaml$/],
  [/^calib\.txt$/, /^im0\.png$/, /^im1\.png$/],
  [/^calib\.txt$/, /^image_[02]\/[^/]+\.png$/, /^image_[13]\/[^/]+\.png$/],
  [/^calib_cam_to_cam\.txt$/, /^image_0[02]\/data\//, /^image_0[13]\/data\//],
];

/** Whether names are those of a known layout in this folder. */
export const isPairFolder = (names: readonly string[]): boolean =>
  SIGNS.some((signs) => signs.every((sign) => names.some((name) => sign.test(name))));

/** The folder of a recording, of a file of calibration in it. */
export const rootOfPair = (calibration: string): string => folderOf(calibration.replace(/cam0\/sensor/, "sensor"));

/**
 * A folder of Middlebury's stereo pairs (2014 and later: im0.png, im1.png, calib.txt), of KITTI's (calib.txt of a sequence, or
 * calib_cam_to_cam.txt of a raw drive, and the grey or else the colour images), or of EuRoC's (cam0/ and cam1/, each with data/ and
 * sensor.yaml); `undefined` if it is none. Throws a `SourceError` where calibration says that the two images are those of no pair.
 */
export async function knownLayout(files: Files, sizeOf: (name: string) => Promise<Size>): Promise<Known | undefined> {
  const list = await files.list();
  const calibration = list.find((name) => CALIBRATIONS.test(name) && rootOfPair(name) === "");
  if (calibration === undefined) return undefined;
  if (/sensor\.yaml$/.test(calibration)) return eurocIn(files, list);
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
    if (width && height) checkSize(where, await sizeOf("im0.png"), { width: width[0], height: height[0] });
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
    const first = list.find((name) => name.startsWith(`${left}${folder}/`)) ?? "";
    const size = folder === "" ? undefined : await sizeOf(first);
    const rectified = size && kittiRaw(numbers, names, value, size, pair.baselineMm);
    const [width, height] = numbers(left.replace("image", "S_rect")) ?? [];
    if (size && !rectified && width > 0 && height > 0) checkSize(where, size, { width, height });
    return { pair, defaults, ...(rectified && { rectified }) };
  }
  return undefined;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function checkSize(where: string, { width, height }: Size, said: Size): void {
  if (width !== said.width || height !== said.height)
    throw new SourceError(
      `${where}: the images are ${width}×${height}, and it is for ${said.width}×${said.height}; use the calibration of these images`,
    );
}

/**
 * KITTI's drives that are not synchronised have the images as they were taken, of the size S (that of rectified ones is S_rect), with the
 * lens K and its distortion D; R_rect turns and P_rect is the lens of the rectified pair (Geiger et al., IJRR 2013).
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

/** EuRoC (Burri et al., IJRR 2016): each camera's lens and its place on the body, T_BS; the images are not rectified. */
async function eurocIn(files: Files, list: readonly string[]): Promise<Known | undefined> {
  const eyes = ["cam0", "cam1"].filter((name) => list.some((one) => one.startsWith(`${name}/data/`)));
  if (eyes.length < 2 || !list.includes("cam1/sensor.yaml")) return undefined;
  const cameras: Intrinsics[] = [];
  const places: Rigid[] = [];
  for (const name of eyes) {
    const said = parseText(await readText(files, `${name}/sensor.yaml`, LONGEST));
    const lens = lensesIn(said, name)[0]?.lens;
    const fields = Object.fromEntries(entriesOf(said.value));
    const place = matrix(numbersOf(fields.T_BS) ?? []);
    if (!lens?.width || !lens.height || !place)
      throw new SourceError(
        `${files.name}/${name}/sensor.yaml: it lacks the lens, its resolution or T_BS; complete it`,
      );
    const [seen, bent] = [String(fields.camera_model ?? "pinhole"), String(fields.distortion_model ?? "none")];
    if (!(seen === "pinhole" && BENT.test(bent)))
      throw new SourceError(
        `${files.name}/${name}/sensor.yaml: its lens is of a model that is not read, ${seen} with ${bent}; calibrate it as pinhole with radial-tangential or equidistant`,
      );
    cameras.push({ ...lens, width: lens.width, height: lens.height });
    places.push(Float64Array.from(place.slice(0, 12)));
  }
  const where = `${files.name}/cam1/sensor.yaml`;
  if (cameras[0].width !== cameras[1].width || cameras[0].height !== cameras[1].height)
    throw new SourceError(`${where}: its resolution is not that of cam0; a pair needs two images of one size`);
  const way = compose(rigid(), invert(rigid(), places[1]), places[0]);
  const rotation = [0, 4, 8].flatMap((row) => [way[row], way[row + 1], way[row + 2]]);
  const by = bouguet(cameras[0], cameras[1], { rotation, translation: [way[3], way[7], way[11]] });
  if (typeof by === "string") throw new SourceError(`${where}: ${by}`);
  return {
    pair: { left: "cam0/data/*.png", right: "cam1/data/*.png", baselineMm: 1000 * by.baselineM },
    defaults: { lens: { value: by.lens, from: "file cam0/sensor.yaml" } },
    rectified: { cameras: [cameras[0], cameras[1]], by },
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
 * The left camera's lens of two matrices by rows, in which `at` says where cx, fy and cy stand. Throws where they are none of one rectified
 * pair, or have no distance.
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
