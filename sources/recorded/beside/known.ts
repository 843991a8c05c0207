import { inverse, matrixOf, rotationOf } from "../../../core/calibration/extrinsics.ts";
import { roleOf } from "../../format/roles.ts";
import { LONGEST_LINE, LONGEST_TABLE, linesOf, type Node, numbersIn, scalar, wordsOf } from "./words.ts";

/** The poses in a graph of g2o, "VERTEX_SE3:QUAT id x y z qx qy qz qw"; its edges are passed over. */
export function vertices(text: string) {
  const rows = linesOf(text).flatMap((line) => {
    const [kind, ...words] = line.length > LONGEST_LINE ? [""] : wordsOf(line);
    const numbers = kind === "VERTEX_SE3:QUAT" && words.length === 8 ? numbersIn(words) : undefined;
    return numbers ? [numbers] : [];
  });
  return { rows, names: ["id", "x", "y", "z", "qx", "qy", "qz", "qw"] };
}

/** The parameters of COLMAP's camera models, in their order. */
const COLMAP: Readonly<Record<string, string>> = {
  SIMPLE_PINHOLE: "f cx cy",
  PINHOLE: "fx fy cx cy",
  SIMPLE_RADIAL: "f cx cy k1",
  RADIAL: "f cx cy k1 k2",
  OPENCV: "fx fy cx cy k1 k2 p1 p2",
  OPENCV_FISHEYE: "fx fy cx cy k1 k2 k3 k4",
  FULL_OPENCV: "fx fy cx cy k1 k2 p1 p2 k3 k4 k5 k6",
};

/** COLMAP's `cameras.txt`, "1 PINHOLE 640 480 525 525 320 240", where the centre of the first pixel is at one half. */
export function colmapOf(text: string): Node[] | undefined {
  const lines = linesOf(text.slice(0, LONGEST_TABLE)).filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const cameras = lines.slice(0, 64).flatMap((line) => {
    const [, name, ...words] = line.trim().split(/\s+/);
    const numbers = numbersIn(words);
    if (!Object.hasOwn(COLMAP, name ?? "") || !numbers) return [];
    const [width, height, ...values] = numbers;
    const camera: Node = { model: name, width, height };
    for (const [i, field] of COLMAP[name].split(" ").entries())
      camera[field] = /^c[xy]$/.test(field) ? values[i] - 0.5 : values[i];
    return [camera];
  });
  return cameras.length > 0 && cameras.length === lines.length ? cameras : undefined;
}

/** The most characters of a line of COLMAP's `images.txt` that names an image. */
const LONGEST_IMAGE = 400;

/** COLMAP's `images.txt`, "1 qw qx qy qz tx ty tz 1 name", from the world to the camera: its images, each with its pose. */
export function colmapImagesOf(text: string): Node | undefined {
  if (!/^\d+( \S+){8} \S+\.\w+ *\r?$/m.test(text.slice(0, LONGEST_TABLE))) return undefined;
  const frames = linesOf(text).flatMap((line): Node[] => {
    const [, ...words] = line.length > LONGEST_IMAGE ? [] : line.trim().split(" ");
    const [w, x, y, z, ...t] = words.slice(0, 7).map(Number);
    if (words.length !== 9 || !Number.isFinite(w + x + y + z + t[0] + t[1] + t[2])) return [];
    const pose = matrixOf(inverse({ rotation: rotationOf(x, y, z, w), translation: t }));
    return [{ file_path: words[8], pose }];
  });
  return frames.length > 0 ? { frames } : undefined;
}

/** Matterport3D's `.conf`: a line for each image with its pose, "scan depth.png color.jpg m00 … m33", after one with its lens. */
export function matterportOf(text: string): Node | undefined {
  if (!/^dataset matterport\s*$/m.test(text.slice(0, 100))) return undefined;
  let lens: Node = {};
  const frames = linesOf(text).flatMap((line): Node[] => {
    const [kind, ...words] = line.length > LONGEST_LINE ? [""] : line.trim().split(/\s+/, 20);
    const numbers = numbersIn(words.slice(-16)) ?? [];
    // The images are 1280 × 1024, and the lens counts their rows from below.
    if (kind === "intrinsics_matrix" && words.length === 9)
      lens = { fx: numbers[0], fy: numbers[4], cx: numbers[2], cy: 1023 - numbers[5], width: 1280, height: 1024 };
    return kind === "scan" && words.length === 18 ? [{ file_path: words[0], transform_matrix: numbers, ...lens }] : [];
  });
  return { frames };
}

/** AirSim's `airsim_rec.txt`: where the vehicle was, which looks along x with z down, and the images that were taken there. */
export function airsimOf(text: string): Node | undefined {
  if (!text.startsWith("VehicleName\t")) return undefined;
  const [heading, ...lines] = linesOf(text).map((line) =>
    line.length > LONGEST_LINE ? [] : line.trim().split("\t", 64),
  );
  const frames = lines.flatMap((cells): Node[] => {
    const at = (name: string) => cells[heading.indexOf(name)] ?? "";
    const [x, y, z, ...turn] = ["POS_X", "POS_Y", "POS_Z", "Q_X", "Q_Y", "Q_Z", "Q_W"].map((name) => scalar(at(name)));
    const pose = { position: { x, y, z }, rotation: { x: turn[0], y: turn[1], z: turn[2], w: turn[3] } };
    return at("ImageFile")
      .split(";", 16)
      .map((file_path) => ({ file_path, ...pose }));
  });
  return { frames };
}

const IMAGE = /\.(png|jpe?g|tiff?|exr|p[gf]m|npy)$/i;
/** The most columns and characters of a table. */
const [MOST_COLUMNS, LARGEST_TABLE] = [64, 2 ** 21];

/**
 * A table in which a column names each frame's image: a row for each frame, with the other columns as its fields. Images of colour and
 * infrared are not depth's frames. Without a heading a table may have the name and one more column, `second`.
 */
export function imagesTabled(text: string): Node | undefined {
  if (text.length > LARGEST_TABLE) return undefined;
  const lines = linesOf(text.trim());
  const first = lines[1] ?? "";
  const between = [",", ";", "\t"].find((one) => first.slice(0, LONGEST_LINE).includes(one)) ?? /\s+/;
  const cellsIn = (line: string) =>
    line.length > LONGEST_LINE ? [] : line.split(between, MOST_COLUMNS).map((cell) => cell.trim());
  const [heading, sample] = [cellsIn(lines[0].replace(/^# ?/, "")), cellsIn(first)];
  const isHeaded = !heading.some((cell) => IMAGE.test(cell));
  const found = sample.flatMap((cell, i) => (IMAGE.test(cell) ? [i] : []));
  const at = found.find((i) => /depth/i.test(heading[i] ?? "")) ?? found[0] ?? -1;
  if (at < 0 || heading.length !== sample.length || (!isHeaded && sample.length !== 2)) return undefined;
  const names = isHeaded ? heading : heading.map(() => "second");
  const rows = lines.slice(Number(isHeaded)).flatMap((line): Node[] => {
    const cells = cellsIn(line);
    const fields = cells.map((cell, i) => [names[i], scalar(cell)] as const);
    const isOthers = ["color", "infrared"].includes(roleOf(cells[at] ?? ""));
    return cells.length === names.length && !isOthers ? [{ ...Object.fromEntries(fields), file_path: cells[at] }] : [];
  });
  return { rows };
}

/** A camera of MVSNet's: "extrinsic" and 4×4 numbers from the world to the camera, "intrinsic" and 3×3, and the range of depth. */
export function mvsnetOf(text: string): Node | undefined {
  const found = /^extrinsic\s{1,4}([-+.e\d\s]{31,2000})intrinsic\s{1,4}([-+.e\d\s]{17,2000})/.exec(text.slice(0, 4100));
  const [extrinsic, K] = (found?.slice(1) ?? []).map((one) => numbersIn(wordsOf(one)) ?? []);
  return K && { extrinsic: extrinsic.slice(0, 16), K: K.slice(0, 9) };
}

/** Virtual KITTI 2's `extrinsic.txt` (from the world to the camera) or `intrinsic.txt`: a line for each frame of each camera. */
export function virtualKittiOf(text: string): Node | undefined {
  if (!/^frame cameraID (r1,1|K\[0,0\]) /.test(text)) return undefined;
  const frames = linesOf(text).flatMap((line): Node[] => {
    const [frame, camera, ...m] = line.length > LONGEST_LINE ? [] : (numbersIn(wordsOf(line)) ?? []);
    const file_path = `Camera_${camera}/depth_${String(frame).padStart(5, "0")}.png`;
    if (m.length === 16) return [{ file_path, extrinsic: m }];
    return m.length === 4 ? [{ file_path, fx: m[0], fy: m[1], cx: m[2], cy: m[3] }] : [];
  });
  return { frames };
}
