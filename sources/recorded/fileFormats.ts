import { bag } from "./bag.ts";
import { db3 } from "./db3.ts";
import type { Format } from "./format.ts";
import { image } from "./image.ts";
import { mcap } from "./mcap.ts";
import { mkv } from "./mkv.ts";
import { npy } from "./npy.ts";
import { oni } from "./oni.ts";
import { sens } from "./sens.ts";

/**
 * Every format that is one file with many frames in it. Their readers are large: each looks at the file's first bytes and
 * imports its own then. In a page this list is a worker's business, and no part of the page itself.
 */
export const fileFormats: readonly Format[] = [mcap, bag, db3, mkv, oni, sens, npy, image];
