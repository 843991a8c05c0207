import { refused } from "../report/failure.ts";
import { checkFolderName } from "../report/folderName.ts";

/** The kinds of recording that `convert` writes. */
export const KINDS = ["mcap", "tum", "png", "zip", "npy", "ply", "tiff", "pcd", "lerobot"] as const;
export type Kind = (typeof KINDS)[number];

/** The names at the top of each kind of folder. */
export const NAMES = {
  tum: ["recording.json", "depth.txt", "rgb.txt", "groundtruth.txt", "depth", "rgb"],
  png: ["recording.json", "times.csv", "depth", "color"],
  npy: ["recording.json", "times.csv", "depth", "color"],
  tiff: ["recording.json", "times.csv", "depth", "color"],
  ply: ["times.csv", "points"],
  pcd: ["times.csv", "points"],
  lerobot: ["meta", "data", "videos"],
} as const;

const NAMES_IT = "give a name that ends with .mcap or .zip, or that of a folder";

/** The kind that was asked for, else the kind that the result's name implies. */
export function kindOf(out: string, asked: Kind | undefined): Kind {
  const ending = out.match(/\.(mcap|zip)$/i)?.[1]?.toLowerCase() as "mcap" | "zip" | undefined;
  if (asked === undefined) {
    if (ending !== undefined) return ending;
    checkFolderName(out, NAMES_IT, "to");
    return "tum";
  }
  const isFile = asked === "mcap" || asked === "zip";
  if (isFile ? ending === asked : ending === undefined) return asked;
  throw refused(
    "to",
    asked,
    isFile
      ? `this kind is a file: give it a name that ends with .${asked}`
      : `this kind is a folder: leave out .${ending}`,
  );
}
