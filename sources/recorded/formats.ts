import type { Format } from "./format.ts";
import { icl } from "./icl.ts";
import { fakenect, nyu } from "./kinect.ts";
import { npz } from "./npy.ts";
import { png } from "./png.ts";
import { sevenScenes } from "./sevenScenes.ts";
import { stray } from "./stray.ts";
import { tum } from "./tum.ts";

/** Every format, those with the surest sign first. */
export const formats: readonly Format[] = [tum, sevenScenes, nyu, fakenect, icl, stray, png, npz];
