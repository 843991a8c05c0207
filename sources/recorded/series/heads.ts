import { caught } from "../../../core/caught.ts";
import { SourceError } from "../../../core/source.ts";
import { isColorPng, PNG_HEAD, pngSize } from "../../decode/pngSize.ts";
import type { Files } from "../../files/files.ts";
import { depthKind } from "../depthFile.ts";
import { readNpyHeader } from "../formats/npy/array.ts";

/** What a file's first bytes say: depth's bits, colour of 8 bits, neither, or nothing, where it cannot be read. */
export type Bits = "depth" | "colour" | "none";

/** The most bytes of a file that is unpacked to be examined. Depth PNGs have less than one megabyte. */
const MOST_UNPACKED = 2 ** 24;
/** The most files examined on opening. A head takes one short read from a folder, but the whole file from an archive. */
const MOST = { folder: 1000, archive: 64 } as const;
/** The first bytes of an array that tell its kind and axes. */
const ARRAY_HEAD = 512;
/** The number of first images to try, since some may be damaged. */
const TRIED = 3;

/** Reads the first bytes of as many files as opening may read. */
export class Heads {
  readonly #files: Files;
  /** The most files that are looked at. */
  readonly most: number;
  #left: number;

  constructor(files: Files) {
    this.#files = files;
    this.most = files.file ? MOST.folder : MOST.archive;
    this.#left = this.most;
  }

  /** The first bytes; `undefined` for what is too large, cannot be read (its frame will say why), or is one too many. */
  async of(name: string): Promise<Uint8Array | undefined> {
    const files = this.#files;
    if (this.#left-- <= 0 || (files.unpackedSize?.(name) ?? 0) > MOST_UNPACKED) return undefined;
    const read = async () => {
      if (!files.file) return files.read(name);
      const file = await files.file(name);
      return file.read(0, /\.npy$/i.test(name) ? ARRAY_HEAD : PNG_HEAD).finally(() => file.close());
    };
    return read().catch(caught(SourceError, () => undefined));
  }
}

/**
 * What the first bytes of a series' images say. Images that cannot be read count as depth, so that reading says why; so do arrays that are
 * named after depth (`isNamed`) but are not depth.
 */
export async function bitsOf(heads: Heads, names: readonly string[], isNamed: boolean): Promise<Bits> {
  for (const name of names.slice(0, TRIED)) {
    const head = await heads.of(name);
    if (!head || head.length === 0) continue;
    const kind = depthKind(head);
    if (kind === "PNG") {
      const size = pngSize(head);
      if (!size) continue;
      if (size.depth) return "depth";
      return isColorPng(head) ? "colour" : "none";
    }
    if (kind !== "NumPy") return "depth";
    return isNamed || isImage(head, name) ? "depth" : "none";
  }
  return "depth";
}

function isImage(head: Uint8Array, name: string): boolean {
  try {
    const { width, height } = readNpyHeader(head, name);
    return width > 4 && height > 4;
  } catch (error) {
    if (error instanceof SourceError) return false;
    throw error;
  }
}
