import type { Format } from "../../format/format.ts";
import { bag } from "./bag/index.ts";
import { db3 } from "./db3/index.ts";
import { image } from "./image/index.ts";
import { mcap } from "./mcap/index.ts";
import { mkv } from "./mkv/index.ts";
import { npy } from "./npy/index.ts";
import { oni } from "./oni/index.ts";
import { rtabmap } from "./rtabmap/index.ts";
import { sens } from "./sens/index.ts";

/**
 * All formats that are one file with many frames in it. Their readers are large, so each format looks at the file's first bytes and imports
 * its reader only then. In a page only the reading worker loads this list.
 */
export const fileFormats: readonly Format[] = [mcap, bag, rtabmap, db3, mkv, oni, sens, npy, image];
