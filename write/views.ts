import { isBent } from "../core/calibration/lens.ts";
import type { Intrinsics } from "../core/frame.ts";
import { SourceError } from "../core/source.ts";
import { quaternionOf } from "./quaternion.ts";

/** A picture of a scan, for programs that make splats or photogrammetry. */
export interface View {
  /** The name of its files in `images/` and `depth/`. */
  readonly name: string;
  /** Maps its camera (x right, y down, z forward) to the world: the upper three rows of a 4 × 4 matrix, row by row, in metres. */
  readonly toWorld: ArrayLike<number>;
}

/** Points with which such a program begins: three numbers a point, in m in the world, and three of 0 to 255. */
export interface Seeds {
  readonly positions: Float32Array;
  /** Empty where nothing has a colour. */
  readonly colours: Uint8Array;
}

/** The kinds of folders that `viewFiles` makes. */
export const VIEW_FORMATS = ["colmap", "nerfstudio"] as const;
/** One of `VIEW_FORMATS`. */
export type ViewFormat = (typeof VIEW_FORMATS)[number];

/** COLMAP's names of the coefficients, in the order of its camera models; both programs mean OpenCV's of these names. */
const BENT = "k1 k2 p1 p2 k3 k4 k5 k6".split(" ");
/** nerfstudio has OpenCV's first five; its own k4 belongs to another polynomial. */
const MOST_BENT = { colmap: BENT.length, nerfstudio: 5 };
/** The most numbers of OpenCV's short model. */
const SHORT = 4;
/** Both programs have the centre of the first pixel at one half, where `Intrinsics` has it at 0. */
const HALF = 0.5;

/**
 * The texts beside `images/NAME.png` and `depth/NAME.png` (16 bits, mm), by their names: a sparse model of COLMAP (cameras.txt, images.txt
 * and points3D.txt in `sparse/0`), or `transforms.json` and `points.ply` as nerfstudio has them. Throws a `SourceError` for a lens that
 * the program does not know.
 */
export function viewFiles(
  format: ViewFormat,
  lens: Intrinsics,
  views: readonly View[],
  seeds: Seeds,
): ReadonlyMap<string, string> {
  const { width, height, fx, fy, cx, cy } = lens;
  const bent = bentOf(format, lens);
  const [x, y] = [cx + HALF, cy + HALF];
  if (format === "nerfstudio") {
    const distortion = Object.fromEntries(bent.map((value, i) => [BENT[i], value]));
    const frames = views.map(({ name, toWorld }) => ({
      file_path: `images/${name}.png`,
      depth_file_path: `depth/${name}.png`,
      transform_matrix: upright(toWorld),
    }));
    const camera = { camera_model: "OPENCV", w: width, h: height, fl_x: fx, fl_y: fy, cx: x, cy: y, ...distortion };
    return new Map([
      ["transforms.json", `${JSON.stringify({ ...camera, ply_file_path: "points.ply", frames }, null, 1)}\n`],
      ["points.ply", plyOf(seeds)],
    ]);
  }
  const model = bent.length === 0 ? "PINHOLE" : bent.length <= SHORT ? "OPENCV" : "FULL_OPENCV";
  const wide = bent.length === 0 ? [] : filled(bent, bent.length <= SHORT ? SHORT : BENT.length);
  const camera = [1, model, width, height, fx, fy, x, y, ...wide].join(" ");
  return new Map([
    ["sparse/0/cameras.txt", `# id model width height parameters\n${camera}\n`],
    [
      "sparse/0/images.txt",
      `# id qw qx qy qz tx ty tz camera name, world to camera; then its points\n${imagesOf(views)}`,
    ],
    ["sparse/0/points3D.txt", `# id x y z r g b error track\n${pointsOf(seeds)}`],
  ]);
}

const filled = (values: readonly number[], length: number) => Array.from({ length }, (_, i) => values[i] ?? 0);

/** The coefficients of OpenCV's models; empty for a lens that bends nothing. */
function bentOf(
  format: ViewFormat,
  { distortion = [], distortionModel = "brown-conrady" }: Intrinsics,
): readonly number[] {
  const bent = distortion.slice(0, 1 + distortion.findLastIndex((value) => value !== 0));
  if (!isBent({ distortion, distortionModel })) return [];
  const isKnown = distortionModel === "brown-conrady" || distortionModel === "rational";
  if (isKnown && bent.length <= MOST_BENT[format]) return bent;
  throw new SourceError(
    `the lens is bent as "${distortionModel}" says with ${bent.length || distortion.length} coefficients, which ${format} does not know: add the stage undistort`,
  );
}

/** The camera as nerfstudio has it, with y up and looking along −z: a 4 × 4 matrix, in rows. */
const upright = (m: ArrayLike<number>) => [
  ...[0, 4, 8].map((row) => [m[row], -m[row + 1], -m[row + 2], m[row + 3]]),
  [0, 0, 0, 1],
];

/** A line for each view from the world to its camera, and an empty one, since no points are followed from view to view. */
const imagesOf = (views: readonly View[]) =>
  views
    .map(({ name, toWorld: m }, i) => {
      const [qx, qy, qz, qw] = quaternionOf([m[0], m[4], m[8], 0, m[1], m[5], m[9], 0, m[2], m[6], m[10], 0]);
      const shift = [0, 1, 2].map((k) => -(m[k] * m[3] + m[k + 4] * m[7] + m[k + 8] * m[11]));
      return `${[i + 1, ...[qw, qx, qy, qz, ...shift].map((value) => value.toFixed(9)), 1, `${name}.png`].join(" ")}\n\n`;
    })
    .join("");

const GREY = 128;
const eachSeed = ({ positions, colours }: Seeds, line: (place: string, colour: string, i: number) => string) =>
  Array.from({ length: positions.length / 3 }, (_, i) => {
    const place = [0, 1, 2].map((k) => positions[3 * i + k].toFixed(5)).join(" ");
    return line(place, [0, 1, 2].map((k) => colours[3 * i + k] ?? GREY).join(" "), i);
  }).join("");

const pointsOf = (seeds: Seeds) => eachSeed(seeds, (place, colour, i) => `${i + 1} ${place} ${colour} 0\n`);

const plyOf = (seeds: Seeds) =>
  [
    ...["ply", "format ascii 1.0", `element vertex ${seeds.positions.length / 3}`],
    ...["x", "y", "z"].map((name) => `property float ${name}`),
    ...["red", "green", "blue"].map((name) => `property uchar ${name}`),
    `end_header\n${eachSeed(seeds, (place, colour) => `${place} ${colour}\n`)}`,
  ].join("\n");
