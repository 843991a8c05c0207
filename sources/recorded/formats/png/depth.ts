import { short } from "../../../../core/check.ts";
import { SourceError } from "../../../../core/source.ts";
import type { Decoder } from "../../../decode/index.ts";
import { PNG_HEAD, pngSize } from "../../../decode/pngSize.ts";
import { type Files, folderOf, onlyFolder, within } from "../../../files/files.ts";
import { DESCRIPTION, type Description } from "../../../format/description.ts";
import { isPng, naturally } from "../../color.ts";
import { decodeDepthFile, isDepthFile } from "../../depthFile.ts";
import { globOf } from "../../glob.ts";

/** The most files examined on opening. A PNG's head takes one short read from a folder, but the whole file from an archive. */
const MOST_HEADS = { folder: 1000, archive: 64 } as const;
/** The number of files read at once; of an archive each is unpacked as a whole. */
const TOGETHER = { folder: 32, archive: 4 } as const;
/** The most bytes of a file that is unpacked to be examined. Depth PNGs have less than one megabyte. */
const MOST_UNPACKED = 2 ** 24;

/** Where depth is: in `folder` of the recording's folder `root`, each "" for none. */
export interface DepthFolder {
  readonly root: string;
  readonly folder: string;
}

/** Folders with depth by their names, the surest first; what is aligned to colour goes before what is not. */
const FOLDERS = [/^(aligned_depth|depth_aligned)\w*$/i, /^depth$/i, /depth/i, /^(ground_?truth|gt)$/i];
/** Folders of images that are no depth, whatever their bits. */
const OTHER = /vis|sparse|colou?r|rgb|mask|label|conf|valid|normal|seg|instance|preview/i;

/**
 * Finds the folder with the depth images, and the recording's folder, in which it lies if it is named after depth: else it is the
 * recording's itself. Of several that are not named so, those of 8-bit PNGs are none. Throws a `SourceError` where several are left.
 */
export async function depthPlace(files: Files, described: readonly string[]): Promise<DepthFolder | undefined> {
  const names = (await files.list()).filter(isDepthFile);
  const firsts = new Map(names.toReversed().map((name) => [folderOf(name), name]));
  const root = onlyFolder(files, described.map(folderOf));
  if (root !== undefined) {
    const own = [...new Set((await within(files, root).list()).filter(isDepthFile).map(folderOf))];
    return { root, folder: own.includes("depth") ? "depth" : own.includes("") ? "" : (named(own)[0] ?? "") };
  }
  const [depth, ...more] = named([...firsts.keys()]);
  if (depth !== undefined) {
    const around = onlyFolder(files, [depth, ...more].map(folderOf)) ?? "";
    const folder =
      onlyFolder(
        files,
        [depth, ...more].filter((one) => folderOf(one) === around),
      ) ?? "";
    return { root: around, folder: around === "" ? folder : folder.slice(around.length + 1) };
  }
  const pngs = [...firsts].filter(([, name]) => isPng(name));
  const others = pngs.length > 0 ? pngs : [...firsts];
  const kept: string[] = [];
  if (others.length > 1 && others.length <= MOST_HEADS.archive)
    for (const [folder, name] of others)
      if (!OTHER.test(baseOf(folder)) && !(await isOther(files, name))) kept.push(folder);
  const only = onlyFolder(files, kept.length > 0 ? kept : others.map(([folder]) => folder));
  if (only === undefined) return undefined;
  // Folders of colour beside it belong to the same recording.
  const around = only === "" ? "" : folderOf(only);
  const isBesideColor = (await within(files, around).list()).some((name) =>
    /^(rgb|colou?r|images?)\/[^/]+$/i.test(name),
  );
  return only !== "" && isBesideColor && !/^(rgb|colou?r|images?)$/i.test(baseOf(only))
    ? { root: around, folder: baseOf(only) }
    : { root: only, folder: "" };
}

const baseOf = (folder: string) => folder.slice(folder.lastIndexOf("/") + 1);
const fileOf = baseOf;

/** The folders whose names say depth most surely. */
function named(folders: readonly string[]): readonly string[] {
  for (const pattern of FOLDERS) {
    const found = folders.filter((folder) => pattern.test(baseOf(folder)) && !OTHER.test(baseOf(folder)));
    if (found.length > 0) return found;
  }
  return [];
}

/**
 * The depth images of a folder, in the order of the numbers in their names: those that `recording.json` names, else those in `folder`. PNGs
 * that are not 16-bit greyscale are left out with a warning if there are others. If none is depth, the folder's images of other kinds are:
 * PGM, TIFF, OpenEXR, or .npy. If there is no such image either and the caller has other candidates (`orNone`), the result is empty.
 */
export async function depthNames(
  files: Files,
  folder: string,
  said: Description | undefined,
  warnings: string[],
  orNone: boolean,
): Promise<readonly string[]> {
  const names = (await files.list()).filter(isDepthFile);
  if (said?.depth !== undefined) {
    const starsIn = globOf(said.depth);
    const found = names.filter((name) => starsIn(name));
    if (found.length > 0) return onlyDepth(files, naturally(found), warnings);
    throw new SourceError(
      `${files.name}/${DESCRIPTION}: no image is named ${short(said.depth, 100)}; correct "depth" (a path relative to this file's folder)`,
    );
  }
  const found = names.filter((name) => folderOf(name) === folder);
  const kinds = [/\.tiff?$/i, /\.exr$/i, /\.pgm$/i].map((kind) => found.filter((name) => kind.test(name)));
  const others = [...kinds, arraysOf(found)].find((list) => list.length > 0) ?? [];
  const pngs = naturally(found.filter(isPng));
  if (pngs.length > 0) {
    const depth = await onlyDepth(files, pngs, warnings, orNone || others.length > 0);
    if (depth.length > 0) return depth;
  }
  if (found.length > 0) return naturally(others);
  throw new SourceError(
    `${files.name}: there is no depth image in it or in its depth/; name the files in ${DESCRIPTION} ("depth": "…/*.png")`,
  );
}

/** Names of arrays beside depth that are something else. */
const OTHER_ARRAY =
  /mask|valid|conf|normal|label|seman|instance|rgb|colou?r|pose|intrinsic|extrinsic|^(K|cam_K|camera_matrix)\./i;

/** The NumPy arrays that are depth by their names; if no name says depth, the arrays whose names say nothing else. */
function arraysOf(names: readonly string[]): readonly string[] {
  const arrays = names.filter((name) => /\.npy$/i.test(name));
  const depths = arrays.filter((name) => /depth/i.test(fileOf(name)) && !/_mask\.npy$/i.test(name));
  return depths.length > 0 ? depths : arrays.filter((name) => !OTHER_ARRAY.test(fileOf(name)));
}

/**
 * Leaves out the PNGs whose head says that they are not depth. If none is depth it leaves out none, and reading one says why. Of a long
 * recording it examines only the first of each kind of name: "0007.png" and "0008.png" are one kind, "preview.png" is another.
 */
async function onlyDepth(
  files: Files,
  names: readonly string[],
  warnings: string[],
  orNone = false,
): Promise<readonly string[]> {
  const most = files.file ? MOST_HEADS.folder : MOST_HEADS.archive;
  const kindOf = (name: string) => (names.length <= most ? name : name.replace(/\d+/g, "#"));
  const firstOf = new Map(names.toReversed().map((name) => [kindOf(name), name]));
  const others = new Set<string>();
  const firsts = [...firstOf].slice(-most);
  // Where all names are of one kind, the images are all depth or none is.
  if (firsts.length === 1 && !orNone) return names;
  const together = files.file ? TOGETHER.folder : TOGETHER.archive;
  for (let i = 0; i < firsts.length; i += together) {
    const checks = firsts.slice(i, i + together).map(async ([key, first]) => {
      if (await isOther(files, first)) others.add(key);
    });
    await Promise.all(checks);
  }
  if (others.size === 0) return names;
  const isDepth = (name: string) => !others.has(kindOf(name));
  const depth = names.filter(isDepth);
  if (depth.length === 0) return orNone ? [] : names;
  const passed = names.filter((name) => !isDepth(name));
  const list = passed.slice(0, 4).join(", ") + (passed.length > 4 ? " …" : "");
  const [count, are] = passed.length === 1 ? ["1 PNG", "is"] : [`${passed.length} PNGs`, "are"];
  warnings.push(
    `${files.name}: ${count} ${are} not 16-bit greyscale and so not depth: left out (${list}); move them elsewhere, or name the depth images in ${DESCRIPTION}`,
  );
  return depth;
}

/**
 * What the first depth image that can be read says of all: its size, and of other images than PNGs also their kind and floats. A PNG's head
 * is read only when the size is asked for; other images are decoded at once. Throws a `SourceError` where none of the first can be read.
 */
export async function firstImage(files: Files, names: readonly string[], decoder: Decoder) {
  if (isPng(names[0]))
    return { size: async () => pngSize(await headOf(files, names[0])) ?? { width: 640, height: 480 } };
  let failure: unknown;
  for (const name of names.slice(0, TRIED)) {
    try {
      const image = await decodeDepthFile(await files.read(name), `${files.name}/${name}`, decoder);
      return { image, size: async () => image };
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      failure ??= error;
    }
  }
  throw failure;
}

/** The number of first images to try, since some may be damaged. */
const TRIED = 3;

/** Whether a file is a PNG without depth. */
async function isOther(files: Files, name: string): Promise<boolean> {
  const size = pngSize(await headOf(files, name));
  return size !== undefined && !size.depth;
}

async function headOf(files: Files, name: string): Promise<Uint8Array> {
  if ((files.unpackedSize?.(name) ?? 0) > MOST_UNPACKED) return new Uint8Array();
  if (!files.file) return files.read(name).catch(nothing);
  const file = await files.file(name);
  try {
    return await file.read(0, PNG_HEAD);
  } finally {
    await file.close();
  }
}

/** A file that cannot be read is reported when its frame is read. */
function nothing(error: unknown): Uint8Array {
  if (error instanceof SourceError) return new Uint8Array();
  throw error;
}
