import { SourceError } from "../../../core/source.ts";
import type { Decoder } from "../../decode/index.ts";
import type { Files } from "../../files/files.ts";
import { type DepthFile, decodeDepthFile } from "../depthFile.ts";

/** Two values differ where they are farther apart than this share of the larger one. */
const FAR = 0.1;
/** The share of pixels that differ between images that have to do with each other at most, and between others at least. */
const ALIKE = 0.3;
const UNLIKE = 0.7;
/** The fewest pixels, and the smallest share of them, that both images need for a comparison. */
const FEWEST = 64;
const LEAST = 0.02;

/**
 * Whether every second image of a series has nothing to do with the one before and much with the one before that: then two kinds of images
 * take turns in it, which their names do not tell apart. Looks at the first four; what cannot be read or compared tells nothing.
 */
export async function takesTurns(files: Files, names: readonly string[], decoder: Decoder): Promise<boolean> {
  if (names.length < 4) return false;
  const images: DepthFile[] = [];
  for (const name of names.slice(0, 4)) {
    const image = await imageOf(files, name, decoder);
    if (!image) return false;
    images.push(image);
  }
  const apart = (i: number, k: number) => differing(images[i], images[k]);
  const far = [apart(0, 1), apart(1, 2), apart(2, 3)];
  return [apart(0, 2), apart(1, 3)].every((share) => share < ALIKE) && far.every((share) => share > UNLIKE);
}

async function imageOf(files: Files, name: string, decoder: Decoder): Promise<DepthFile | undefined> {
  try {
    return await decodeDepthFile(await files.read(name), `${files.name}/${name}`, decoder);
  } catch (error) {
    if (error instanceof SourceError) return undefined;
    throw error;
  }
}

/** The share of the pixels with values in both images whose values differ; 1 for images of two sizes, NaN where too few have values. */
function differing(a: DepthFile, b: DepthFile): number {
  if (a.width !== b.width || a.height !== b.height) return 1;
  let [both, far] = [0, 0];
  for (let i = 0; i < a.data.length; i++) {
    const [x, y] = [a.data[i], b.data[i]];
    if (!(x > 0 && y > 0)) continue;
    both++;
    if (Math.abs(x - y) > FAR * Math.max(x, y)) far++;
  }
  return both >= Math.max(FEWEST, LEAST * a.data.length) ? far / both : Number.NaN;
}
