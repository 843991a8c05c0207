import { extensions as bag } from "./extensions/bag.ts";
import { extensions as db3 } from "./extensions/db3.ts";
import { extensions as image } from "./extensions/image.ts";
import { extensions as mcap } from "./extensions/mcap.ts";
import { extensions as mkv } from "./extensions/mkv.ts";
import { extensions as npy } from "./extensions/npy.ts";
import { extensions as oni } from "./extensions/oni.ts";
import { extensions as rtabmap } from "./extensions/rtabmap.ts";
import { extensions as sens } from "./extensions/sens.ts";

/**
 * Extensions, in lower case and without the dot, of the formats in files.ts. Each format declares its own in a module that imports nothing,
 * so that a page can ask for them without loading a reader. They serve messages and names: which format a file has, its content decides.
 */
export const recordingExtensions: readonly string[] = [...mcap, ...bag, ...rtabmap, ...db3, ...mkv, ...oni, ...sens];
/** Extensions of files that hold one frame or an array of frames; a recording in a folder has many of them. */
export const imageExtensions: readonly string[] = [...npy, ...image];
/** Extensions of the files in which rosbag2 keeps a recording. */
export const ros2Extensions: readonly string[] = [...db3, ...mcap];
