import { caught } from "../../../core/caught.ts";
import { short } from "../../../core/check.ts";
import { SourceError } from "../../../core/source.ts";
import type { Decoder } from "../../decode/index.ts";
import { isColorPng, pngSize } from "../../decode/pngSize.ts";
import { type Files, folderOf, readText } from "../../files/files.ts";
import { DESCRIPTION } from "../../format/description.ts";
import { roleOf } from "../../format/roles.ts";
import { OTHER } from "../beside/notes.ts";
import { entriesOf, parseText } from "../beside/parse.ts";
import { isPng, naturally } from "../color.ts";
import { isDepthFile, readDepthFile } from "../depthFile.ts";
import { globOf } from "../glob.ts";
import type { Chosen } from "./choose.ts";
import { Heads } from "./heads.ts";

/** The number of files read at once; of an archive each is unpacked as a whole. */
const TOGETHER = { folder: 32, archive: 4 } as const;

/** The depth images that `recording.json` names, ordered by the numbers in their names. Throws a `SourceError` where there are none. */
export async function imagesNamed(files: Files, path: string, warnings: string[]): Promise<readonly string[]> {
  const starsIn = globOf(path);
  const found = (await files.list()).filter((name) => isDepthFile(name) && starsIn(name));
  if (found.length > 0) return onlyDepth(files, naturally(found), warnings);
  throw new SourceError(
    `${files.name}/${DESCRIPTION}: no image is named ${short(path, 100)}; correct "depth" (a path relative to this file's folder)`,
  );
}

/** The images of a series; a warning names the PNGs among and beside them that are not 16-bit greyscale, and adds them to `passed`. */
export async function imagesOf(
  files: Files,
  { names, asked }: Chosen,
  warnings: string[],
  passed: string[],
): Promise<readonly string[]> {
  if (asked || !isPng(names[0])) return names;
  const own = new Set(names);
  const folder = folderOf(names[0]);
  const beside = (await files.list()).filter(
    (name) => folderOf(name) === folder && isPng(name) && !own.has(name) && ["unnamed", "other"].includes(roleOf(name)),
  );
  const depth = new Set(await onlyDepth(files, naturally([...names, ...beside]), warnings, passed));
  const left = names.filter((name) => depth.has(name));
  return left.length > 0 ? left : names;
}

/**
 * Leaves out the PNGs whose head says that they are not depth. If no PNG is depth, this function leaves out none; the error that comes when
 * one is read says why. In a long recording it examines only the first PNG of each kind of name: "0007.png" and "0008.png" are one kind,
 * "preview.png" is another.
 */
async function onlyDepth(
  files: Files,
  names: readonly string[],
  warnings: string[],
  passed: string[] = [],
): Promise<readonly string[]> {
  const heads = new Heads(files);
  const { most } = heads;
  const kindOf = (name: string) => (names.length <= most ? name : name.replace(/\d+/g, "#"));
  const firstOf = new Map(names.toReversed().map((name) => [kindOf(name), name]));
  const others = new Set<string>();
  const firsts = [...firstOf].slice(-most);
  // Where the names are all of one kind, either all images are depth or none is.
  if (firsts.length === 1) return names;
  const together = files.file ? TOGETHER.folder : TOGETHER.archive;
  for (let i = 0; i < firsts.length; i += together) {
    const checks = firsts.slice(i, i + together).map(async ([key, first]) => {
      const head = await heads.of(first);
      if (head && pngSize(head)?.depth === false) others.add(key);
    });
    await Promise.all(checks);
  }
  if (others.size === 0) return names;
  const isDepth = (name: string) => !others.has(kindOf(name));
  const depth = names.filter(isDepth);
  if (depth.length === 0) return names;
  passed.push(...names.filter((name) => !isDepth(name)));
  const list = passed.slice(0, 4).join(", ") + (passed.length > 4 ? " …" : "");
  const [count, are] = passed.length === 1 ? ["1 PNG", "is"] : [`${passed.length} PNGs`, "are"];
  warnings.push(
    `${files.name}: ${count} ${are} not 16-bit greyscale and so not depth: left out (${list}); move them elsewhere, or name the depth images in ${DESCRIPTION}`,
  );
  return depth;
}

/**
 * What the first depth image that can be read tells of all: its size, and, if it is no PNG, its kind and its floats. A PNG's head is read
 * only when the size is asked for; other images are decoded at once. Throws a `SourceError` where none of the first can be read.
 */
export async function firstImage(files: Files, names: readonly string[], decoder: Decoder) {
  if (isPng(names[0])) {
    const head = (await new Heads(files).of(names[0])) ?? new Uint8Array();
    // Colours of 8 bits are depth only where their program is told: the first image says so at once.
    if (isColorPng(head)) {
      const maker = await makerBeside(files, names[0]);
      const image = await readDepthFile(files, names[0], decoder, maker?.name);
      return { image, size: async () => image, maker };
    }
    // Grey of 8 bits is no depth: the first image says so before anything else is looked at.
    const size = pngSize(head);
    if (size?.depth === false) await readDepthFile(files, names[0], decoder);
    return { size: async () => size ?? { width: 640, height: 480 } };
  }
  let failure: unknown;
  for (const name of names.slice(0, TRIED)) {
    const image = await readDepthFile(files, name, decoder).catch(
      caught(SourceError, (error) => {
        failure ??= error;
      }),
    );
    if (image) return { image, size: async () => image };
  }
  throw failure;
}

/** The number of first images to try, since some may be damaged. */
const TRIED = 3;

const TEXT = /\.(json|txt|ya?ml|ini|cfg|csv)$/i;
const PICKLE = /(^|\/)meta\/[^/]+\.(pkl|pickle)$/i;
/** The most texts that are looked into, and the most bytes of one. */
const [MOST, LONGEST] = [16, 2 ** 18];

/** A program that packed depth into the bytes of colours, and the file that tells it. */
interface Maker {
  readonly name: string;
  readonly from: string;
}

/**
 * The program that packed depth into the bytes of colours, where a file beside the image `first` tells it. CARLA's depth camera is told by
 * a text with the field `sensor.camera.depth` (its recorders write a sensor's type so), HO-3D by a file `meta/*.pkl` whose bytes contain
 * the names of its fields. A pickle is searched for these, and never unpickled.
 */
async function makerBeside(files: Files, first: string): Promise<Maker | undefined> {
  const names = await files.list();
  const own = folderOf(first);
  const isNear = (name: string) => [own, folderOf(own), ""].includes(folderOf(name));
  for (const name of names.filter((one) => TEXT.test(one) && !OTHER.test(one) && isNear(one)).slice(0, MOST))
    if (hasCarla(parseText(await textOf(files, name)).value)) return { name: "carla", from: name };
  const meta = names.find((name) => PICKLE.test(name) && folderOf(folderOf(name)) === folderOf(own));
  if (meta === undefined) return undefined;
  const text = new TextDecoder("latin1").decode((await files.read(meta)).subarray(0, LONGEST));
  const isHands = ["camMat", "objTrans", "handJoints3D"].every((field) => text.includes(field));
  return isHands ? { name: "HO-3D", from: meta } : undefined;
}

/** Whether a field is CARLA's depth camera: a sentence that mentions the camera tells nothing of these images. */
const hasCarla = (value: unknown, level = 0): boolean =>
  value === "sensor.camera.depth" ||
  (level < 8 &&
    (Array.isArray(value) ? value : entriesOf(value).map(([, one]) => one)).some((one) => hasCarla(one, level + 1)));

const textOf = (files: Files, name: string): Promise<string> =>
  readText(files, name, LONGEST).catch(caught(SourceError, () => ""));
