// Extensions, in lower case and without the dot, of the formats in recorded/formats/files.ts. This module imports nothing, so that a page
// can ask for them without loading a reader. Extensions serve messages and names; a file's content decides which format it has.

/** Extensions of the files in which rosbag2 keeps a recording. */
export const ros2Extensions: readonly string[] = ["db3", "mcap"];
export const sensExtensions: readonly string[] = ["sens"];
/** Extensions of recordings in one file. (RTAB-Map's ".db" is that of databases of all kinds, so that only the contents tell.) */
export const recordingExtensions: readonly string[] = ["mcap", "bag", "db3", "mkv", "oni", ...sensExtensions];
/** Extensions of files with one depth image. */
export const depthImageExtensions: readonly string[] = ["png", "tif", "tiff", "exr", "pgm", "pfm"];
/** Extensions of files that hold one frame or an array of frames, or a zip of arrays; a recording in a folder has many such files. */
export const imageExtensions: readonly string[] = ["npy", "npz", ...depthImageExtensions];
/** Extensions of archives, whose contents decide on the format. */
export const archives = ["zip", "tgz", "tar.gz", "tar"] as const;
/** The ending of a file that zstd compresses as a whole, behind the file's own extension. */
const PACKED = "(\\.zstd?)?";

/** Matches names that end in one of `extensions`, in upper or lower case; `packed`: compressed by zstd as a whole, too. */
export function named(extensions: readonly string[], { packed = false } = {}): RegExp {
  const endings = extensions.map((extension) => extension.replaceAll(".", "\\.")).join("|");
  return new RegExp(`\\.(${endings})${packed ? PACKED : ""}$`, "i");
}
