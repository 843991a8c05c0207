import { caught } from "../../../../core/caught.ts";
import { short } from "../../../../core/check.ts";
import { SeveralTopicsError } from "../../../../core/severalTopics.ts";
import { SourceError } from "../../../../core/source.ts";
import { namesMeant } from "../../../../core/starred.ts";
import { type Files, folderOf } from "../../../files/files.ts";
import type { FormatLens } from "../../../format/depthFormat.ts";
import type { Frames, OpenOptions, WithOrigin } from "../../../format/format.ts";
import { DEPTH_ROLES, roleOf, SCALE } from "../../../format/roles.ts";
import { lensesIn, scaleIn } from "../../beside/lens.ts";
import { posesBeside } from "../../beside/poses.ts";
import { timesFrom } from "../../beside/times.ts";
import { someOf } from "../../beside/unused.ts";
import { depthFirst, othersThan } from "../../beside/whose.ts";
import type { Colors } from "../../fileFrames.ts";
import { bitsOf, Heads } from "../../series/heads.ts";
import { type NpyArray, readNpyHeader } from "./array.ts";
import { colorsOf } from "./color.ts";
import { npyFrames } from "./frames.ts";
import { rowsIn } from "./rows.ts";

/** Names of arrays that contain intrinsics. */
export const LENS = /(^|\/)(\w*intrinsics?(_matrix)?|K|camera_matrix|cam_?K)\.npy$/i;
const TIMES = /(^|[/_])(time_?stamps?|times?|ts)\.npy$/i;
const POSES = /(pose|traj|c2w|cam2world|w2c|world_?2_?cam|view_?mat|extrinsics?)[^/]*\.npy$/i;
const OF_COLOR = /colou?r|rgb/i;
const COLOR = /(^|\/)(images?|imgs?|frames)\.npy$/i;

/**
 * Opens a .npz file by its keys. Depth is the array whose name says depth most surely, chosen as series of images are; lens, unit, times,
 * poses and colour come from other arrays. Throws `SeveralTopicsError` where several arrays are of one rank and `options.topic` names none.
 * An array is unpacked as a whole and kept, since a compressed file in a zip has no random access.
 */
export async function openNpz(files: Files, all: readonly string[], options: OpenOptions): Promise<Frames> {
  const found = await depthIn(files, all);
  const keyOf = (name: string) => name.replace(/\.npy$/i, "");
  const meant = options.topic === undefined ? [] : namesMeant(keyOf(options.topic), all.map(keyOf));
  const [name, ...more] = options.topic === undefined ? found : all.filter((one) => meant.includes(keyOf(one)));
  const keys = all.map(keyOf).slice(0, 8).join(", ");
  if (name === undefined)
    throw new SourceError(
      options.topic === undefined
        ? `${files.name}: none of its arrays (${keys}) is depth by its name; save the one of depth as "depth"`
        : `${files.name}: it has no array ${short(options.topic, 100)}; there are ${keys}`,
    );
  const isOfOther = (depth: string) =>
    othersThan([depth, depth], { name: depth, topics: found.map((one) => ({ name: one })) });
  const isOthers = isOfOther(name);
  // What is not of the other arrays of depth by its name is of this one.
  const others = found.filter((one) => one !== name).map(isOfOther);
  const rank = (one: string) => depthFirst(one) - (others.some((isOther) => isOther(one)) ? 3 : 0);
  // What lies in the folders of other arrays belongs to those.
  const names = all
    .filter((one) => [folderOf(name), ""].includes(folderOf(one)) && !isOthers(one))
    .toSorted((a, b) => rank(a) - rank(b));
  const arrays: { readonly name: string; readonly bytes: Uint8Array; readonly array: NpyArray }[] = [];
  for (const one of more.length > 0 ? [name, ...more] : [name]) {
    const bytes = await files.read(one);
    arrays.push({ name: one, bytes, array: readNpyHeader(bytes, `${files.name}/${one}`) });
  }
  if (more.length > 0)
    throw new SeveralTopicsError(
      files.name,
      arrays.map((one) => ({ name: keyOf(one.name), kind: "NPY", frames: one.array.frames, metresPerUnit: 0.001 })),
    );
  const [{ bytes, array }] = arrays;
  const told: string[] = [];
  const without = caught(SourceError, ({ message }) => void told.push(`${message} (it is not used)`));
  const read = async (other: string) => ({
    name: other,
    rows: rowsIn(await files.read(other), `${files.name}/${other}`),
  });
  const rowsOf = async (wanted: RegExp, first = wanted) => {
    const fit = names.filter((one) => wanted.test(one));
    for (const other of fit.toSorted((a, b) => Number(first.test(b)) - Number(first.test(a)))) {
      const readable = await read(other).catch(without);
      if (readable) return readable;
    }
    return undefined;
  };
  const [stamps, places, scale] = [await rowsOf(TIMES), await rowsOf(POSES), await rowsOf(SCALE)];
  const isAligned = roleOf(name) === "aligned";
  const matrices = await rowsOf(LENS, isAligned ? OF_COLOR : LENS);
  const numbers = stamps?.rows.flat() ?? [];
  const times = numbers.length === array.frames ? timesFrom(numbers) : undefined;
  if (!times && numbers.length > 1)
    told.push(
      `${files.name}/${stamps?.name}: its ${numbers.length} numbers are no times of the ${array.frames} images`,
    );
  const unit = scale && scaleIn({ rows: scale.rows }, scale.name);
  const singles = places?.rows.length ? [{ name: places.name, said: { rows: places.rows } }] : [];
  const none = {
    series: [],
    farther: new Set<string>(),
    paired: () => [],
    isOthers: () => false,
    firsts: async () => [],
    read: async () => undefined,
  };
  const depth = Array.from({ length: array.frames }, (_, i) => String(i));
  const poses = await posesBeside({ ...none, singles }, depth, times);
  if (poses?.warning) told.push(poses.warning);
  const lens = matrices && readLens(matrices, array, files.name, told);
  const colorName = names.find((one) => roleOf(one) === "color") ?? names.find((one) => COLOR.test(one));
  const isColored = options.color !== false && colorName !== undefined;
  const color = isColored ? await colorIn(files, colorName, array) : undefined;
  if (lens && !isAligned && !color && OF_COLOR.test(matrices.name) && depthFirst(matrices.name) > 0)
    told.push(`${files.name}/${matrices.name}: depth's lens is taken from it, though it is named after colour`);
  const used = [name, lens && matrices.name, times && stamps?.name, poses?.from, unit && scale?.name];
  if (color || !isColored) used.push(colorName);
  const isTold = (one: string) => told.some((line) => line.startsWith(`${files.name}/${one}`));
  const left = names.filter((one) => !used.includes(one) && !found.includes(one) && !isTold(one)).map(keyOf);
  if (left.length > 0) told.push(`${files.name}: beside depth lie ${someOf(left)}, which are not read`);
  return npyFrames(
    array,
    `${files.name}/${name}`,
    options,
    bytes.length,
    async (from, length) => bytes.subarray(from, from + length),
    {
      lens,
      unit: unit === undefined || !scale ? undefined : { value: unit, from: `file ${scale.name}` },
      times,
      told,
      pose: poses?.of,
      color,
      isRay: roleOf(name) === "ray",
      asked: options.topic !== undefined,
    },
  );
}

/** The arrays of depth that are of one rank by their names; among those whose names say nothing, those that are images. */
async function depthIn(files: Files, names: readonly string[]): Promise<readonly string[]> {
  const heads = new Heads(files);
  for (const role of DEPTH_ROLES) {
    const found: string[] = [];
    for (const name of names.filter(
      (one) => ![LENS, TIMES, POSES, SCALE].some((other) => other.test(one)) && roleOf(one) === role,
    ))
      if (role !== "unnamed" || (await bitsOf(heads, [name], false)) === "depth") found.push(name);
    if (found.length > 0) return found;
  }
  return [];
}

/** The colours in an array of bytes of depth's size. */
async function colorIn(files: Files, name: string, { frames, width, height }: NpyArray): Promise<Colors | undefined> {
  const found = colorsOf(await files.read(name));
  if (found?.frames !== frames || found.width !== width || found.height !== height) return undefined;
  return { count: frames, kind: "NumPy, as it lies", read: async (index) => found.at(index) };
}

/**
 * The lens in an array of floats: 3×3, 4×4, or fx, fy, cx, cy, of all frames or of each, of which the first counts. Returns `undefined` for
 * anything else.
 */
function readLens(
  { name, rows }: { readonly name: string; readonly rows: number[][] },
  { width, height }: Pick<NpyArray, "width" | "height">,
  where: string,
  told: string[],
): WithOrigin<FormatLens> | undefined {
  const [found] = lensesIn({ rows: rows.slice(0, 1) }, "intrinsics");
  if (rows.some((row) => row.some((value, i) => Math.abs(value - rows[0][i]) > 0.5)))
    told.push(`${where}/${name}: its ${rows.length} lenses differ; the first is taken for all frames`);
  return found && { value: { ...found.lens, width, height }, from: `file ${name}` };
}
