import { short } from "../../../core/check.ts";
import { SourceError } from "../../../core/source.ts";
import { PNG_HEAD, pngSize } from "../../../decode/pngSize.ts";
import { isPng, naturally } from "../../color.ts";
import { DESCRIPTION, type Description } from "../../description.ts";
import { type Files, folderOf } from "../../files/files.ts";
import { globOf } from "../../glob.ts";

/** The most files examined on opening. A PNG's head takes one short read from a folder, but the whole file from an archive. */
const MOST_HEADS = { folder: 1000, archive: 64 } as const;
/** The number of files read at once; of an archive each is unpacked as a whole. */
const TOGETHER = { folder: 32, archive: 4 } as const;
/** The most bytes of a file that is unpacked to be examined. Depth PNGs have less than one megabyte. */
const MOST_UNPACKED = 2 ** 24;

/**
 * The depth images of a folder, in the order of the numbers in their names: those that `recording.json` names, else those in `depth/`, else
 * those in the folder itself. PNGs that are not 16-bit greyscale are left out with a warning if there are others. If no PNG is depth and
 * the caller has other candidates (`orNone`), the result is empty.
 */
export async function depthNames(
  files: Files,
  said: Description | undefined,
  warnings: string[],
  orNone: boolean,
): Promise<readonly string[]> {
  const names = (await files.list()).filter(isPng);
  if (said?.depth !== undefined) {
    const starsIn = globOf(said.depth);
    const found = names.filter((name) => starsIn(name));
    if (found.length > 0) return onlyDepth(files, naturally(found), warnings);
    throw new SourceError(
      `${files.name}/${DESCRIPTION}: no PNG is named ${short(said.depth, 100)}; correct "depth" (a path relative to this file's folder)`,
    );
  }
  const inDepth = names.filter((name) => folderOf(name) === "depth");
  const found = inDepth.length > 0 ? inDepth : names.filter((name) => folderOf(name) === "");
  if (found.length > 0) return onlyDepth(files, naturally(found), warnings, orNone);
  throw new SourceError(
    `${files.name}: there is no PNG in it or in its depth/; name the files in ${DESCRIPTION} ("depth": "…/*.png")`,
  );
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
