import { baseOf, folderOf } from "../../files/files.ts";
import { levelOfRole, type Role, roleOf } from "../../format/roles.ts";
import { isDepthFile } from "../depthFile.ts";

/** Files whose names differ in numbers alone: the images of one camera of one kind. */
export interface Series {
  /** The names with a star for each number: "depth/left_*.png". By this name a user chooses the series. */
  readonly name: string;
  readonly role: Role;
  /** The recording's folder: the one around those that are named after depth, or that stand for one frame each. */
  readonly root: string;
  readonly names: readonly string[];
}

/** Numbers in names, with their decimals. */
const NUMBER = /\d+(?:\.\d+)?/g;
/** Words before a number that counts cameras, and digits of a camera's serial number. */
const CAMERA =
  /(?:cam(?:era)?|kinect|sensor|dev(?:ice)?|view|rs|realsense|orbbec|k4a|azure|master|sub|serial|sn|(?<![a-z])k)[-_]?$/i;
const SERIAL = /^\d{8,16}$/;
/** A number that is a camera's, or a time of day. */
const SHORT_SERIAL = /^\d{6,7}$/;
const MOST_CAMERAS = 16;
/** The most cameras that a number without a word may count. */
const MOST_COUNTED = 4;
/** The end of a name before such a number, unlike that of "depth_part0_0001" or "depth_12_30_00". */
const KIND = /(?:^|[/_.-])(?:\w*depth|rgb|colou?r|ir|infra(?:red)?|images?|img)[-_.]?$/i;
/** The most characters of a word. */
const LONGEST_WORD = 16;
/** A folder that stands for one frame: "0001", "frame_0001". */
const FRAME_FOLDER = /^(?:(?:frame|img|image|f|view|shot|step|t)[-_]?)?\d+(?:\.\d+)?$/i;
/** Arrays, which may be stacks of images, and images in the folders of recordings of their own. */
const IN_TAKE =
  /\.npy$|(scene|seq\w{0,8}|ep(isode)?|take|demo|traj\w{0,8}|session|run|scan|rec\w{0,8}|video|clip|subject|trial)[-_]?\d+\/[^/]*$/i;
/** Unity's SOLO: "sequence.7/step0.camera.Depth.exr". */
const UNITY = /^sequence\.\d+$/;
/** If a folder has at least so many kinds of names, each with few files, the words in names are taken for frames' own (hashes). */
const MANY_KINDS = 8;

/** Groups the images and arrays among `names` into series. */
export function seriesOf(names: readonly string[]): Series[] {
  const images = names.filter(isDepthFile);
  const siblings = grouped(images, inAnyFrame);
  const inFolders = (file: string) => siblings.get(inAnyFrame(file))?.length ?? 0;
  const named = [...grouped(images, (name) => patternOf(name, inFolders(name) > 2 && !IN_TAKE.test(name)))].flatMap(
    ([pattern, files]) => {
      // Each frame's folder has an image of each of a few cameras: "0/depth1.png", "0/depth2.png" (TransCG). The more images it has, the
      // more folders must have them, too: a few folders of three images may be a few takes of three frames.
      const least = files.length * (files.length - 1);
      const isRig = files.length <= MOST_COUNTED && files.every((file) => inFolders(file) > least);
      return files.map((file) => [inFrame(pattern, file, files.length === 1, isRig), file] as const);
    },
  );
  const groups = new Map(
    [...grouped(named, ([pattern]) => pattern)].map(([pattern, of]) => [pattern, of.map(([, file]) => file)]),
  );
  const byFolder = grouped([...groups.keys()], folderOf);
  const found: Series[] = [];
  for (const [folder, patterns] of byFolder) {
    const all = patterns.reduce((sum, pattern) => sum + (groups.get(pattern)?.length ?? 0), 0);
    const isHashed = patterns.length > MANY_KINDS && 2 * patterns.length > all;
    const kinds = grouped(
      patterns.flatMap((pattern) => (groups.get(pattern) ?? []).map((name) => [pattern, name] as const)),
      // Names without numbers ("first.png"), and names of hashes, tell the images of one kind apart by their words.
      ([pattern, name]) => (isHashed || !pattern.includes("*") ? wordless(folder, name) : pattern),
    );
    // A lone image belongs to the one series of its role beside it.
    const many = [...kinds.values()].filter(({ length }) => length > 1);
    const byRole = grouped(many, ([[, name]]) => wordless(folder, name));
    for (const [key, [lone, ...more]] of kinds) {
      const others = more.length > 0 ? [] : (byRole.get(wordless(folder, lone[1])) ?? []);
      if (others.length !== 1) continue;
      others[0].push(lone);
      kinds.delete(key);
    }
    for (const [key, list] of kinds) {
      const files = list.map(([, name]) => name);
      const pattern = files.length === 1 ? list[0][0] : key;
      for (const [name, part] of perCamera(pattern, files)) found.push(seriesIn(name, part));
    }
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function grouped<T, K>(all: readonly T[], keyOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return groups;
}

const endOf = (name: string) => /\.\w+$/.exec(name)?.[0].toLowerCase() ?? "";

/** The name of a series whose names have only the role, and the side of a pair of cameras, in common. */
function wordless(folder: string, name: string): string {
  const role = roleOf(name);
  const parts = [/(^|[^a-z])(left|right)([^a-z]|$)/i.exec(baseOf(name))?.[2] ?? "", role === "unnamed" ? "" : role];
  return `${folder === "" ? "" : `${folder}/`}${["*", ...parts.filter((part) => part !== "")].join("_")}${endOf(name)}`;
}

function patternOf(name: string, inMany: boolean): string {
  const [folder, file, end] = [folderOf(name), baseOf(name), endOf(name)];
  const stem = file.slice(0, file.length - end.length);
  const starred = stem.replace(NUMBER, "*");
  // Where the images of a frame have a folder of their own, that folder's number is the frame's.
  // A file of arrays is such a folder, too.
  const isFrame =
    (starred === stem && (FRAME_FOLDER.test(baseOf(folder)) || inMany)) ||
    (/^step\d/.test(file) && UNITY.test(baseOf(folder)));
  const own = /\.npz$/i.test(folder)
    ? `${folderOf(folder) && `${folderOf(folder)}/`}${baseOf(folder).replace(NUMBER, "*")}`
    : isFrame
      ? folder.replace(/(?<!\d)\d+(?:\.\d+)?$/, "*")
      : folder;
  return `${own === "" ? "" : `${own}/`}${starred}${end}`;
}

/** A file's name with a star for the number of its folder, which may be a frame's. */
const inAnyFrame = (name: string) => `${folderOf(name).replace(/(?<!\d)\d+(?:\.\d+)?$/, "*")}/${baseOf(name)}`;

/**
 * The pattern of a file in a frame's own folder whose name repeats the frame's number ("0001/0001_depth.png", if it is the `only` one so
 * named there) or counts cameras ("t0001/k0.depth.png", or any images of a frame if it `isRig`); `pattern` itself for any other file.
 */
function inFrame(pattern: string, file: string, only: boolean, isRig: boolean): string {
  const folder = folderOf(pattern);
  const frame = FRAME_FOLDER.test(baseOf(folder)) ? /\d+(?:\.\d+)?$/.exec(folder)?.[0] : undefined;
  if (frame === undefined) return pattern;
  const [own, end] = [baseOf(file), endOf(file)];
  const name = own.slice(0, own.length - end.length).replace(NUMBER, (number, at: number) => {
    if (only && Number(number) === Number(frame)) return "*";
    return isRig || CAMERA.test(own.slice(Math.max(0, at - LONGEST_WORD), at)) ? number : "/";
  });
  return name.includes("/") ? pattern : `${folder.slice(0, -frame.length)}*/${name}${end}`;
}

/**
 * Divides files by a number in their names that tells cameras apart: a number behind a word for cameras, a serial number, or a first
 * number that counts from 0 or 1 ("depth_0_0001.png", "depth_1_0001.png"), or one of six digits, if each value has the same other numbers.
 */
function perCamera(pattern: string, names: readonly string[]): (readonly [string, readonly string[]])[] {
  const literals = pattern.split("*");
  if (literals.length < 3) return [[pattern, names]];
  const numbers = names.map((name) => numbersIn(name, literals.length - 1));
  let found: { readonly at: number; readonly groups: ReadonlyMap<string | undefined, number[]> } | undefined;
  for (let at = 0; at < literals.length - 1; at++) {
    const groups = grouped([...names.keys()], (i) => numbers[i][at]);
    const sizes = [...groups.values()].map(({ length }) => length);
    if (groups.size < 2 || groups.size > MOST_CAMERAS || sizes.some((size) => size < 2)) continue;
    const values = [...groups.keys()].map((number) => number ?? "");
    const counted = values.map(Number).toSorted((a, b) => a - b);
    const isCount = counted.every((number, i) => number === counted[0] + i);
    const isRun = isCount && values.length > MOST_COUNTED;
    if (CAMERA.test(literals[at]) || (!isRun && values.every((number) => SERIAL.test(number)))) {
      found = { at, groups };
      break;
    }
    const isShort = isCount && counted[0] <= 1 && values.every(({ length }) => length === 1);
    const isFirst = at === 0 && isShort && values.length <= MOST_COUNTED && KIND.test(literals[at]);
    if (!isFirst && (isRun || !values.every((number) => SHORT_SERIAL.test(number)))) continue;
    const others = new Set(numbers.map((all) => all.toSpliced(at, 1).join()));
    if (sizes.every((size) => size === others.size && size > values.length)) found = { at, groups };
  }
  if (!found) return [[pattern, names]];
  const { at, groups } = found;
  return [...groups].map(([number, group]) => [
    [...literals.slice(0, at), `${literals[at]}${number}${literals[at + 1]}`, ...literals.slice(at + 2)].join("*"),
    group.map((i) => names[i]),
  ]);
}

/** The last `count` numbers of a name: those of the file's own name, or of its folder's name if that has all of them. */
function numbersIn(name: string, count: number): readonly string[] {
  const file = baseOf(name).replace(/\.[a-z]\w*$/i, "");
  const own = file.match(NUMBER) ?? [];
  return own.length >= count ? own : (name.match(NUMBER) ?? []).slice(-count);
}

function seriesIn(name: string, names: readonly string[]): Series {
  const [first] = names;
  const role = roleOf(first);
  const isPerFrame = /\*(\.npz)?$/i.test(folderOf(name));
  let root = folderOf(first);
  const levels = Math.max(isPerFrame ? 1 : 0, levelOfRole(first));
  for (let i = 0; i < levels; i++) root = folderOf(root);
  return { name, role, root, names };
}
