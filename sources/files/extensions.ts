/** Extensions of archives, whose contents decide on the format. */
export const archives = ["zip", "tgz", "tar.gz", "tar"] as const;
/** The ending of a file that zstd compresses as a whole, behind the file's own extension. */
const PACKED = "(\\.zstd?)?";

/** Matches names that end in one of `extensions`, in upper or lower case; `packed`: compressed by zstd as a whole, too. */
export function named(extensions: readonly string[], { packed = false } = {}): RegExp {
  const endings = extensions.map((extension) => extension.replaceAll(".", "\\.")).join("|");
  return new RegExp(`\\.(${endings})${packed ? PACKED : ""}$`, "i");
}
