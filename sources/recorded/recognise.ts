import { directDecoder } from "../decode/index.ts";
import type { ByteFile } from "../files/files.ts";
import { recordingExtensions, ros2Extensions } from "../format/extensions.ts";
import { fileFormats } from "./formats/files.ts";
import { formats } from "./formats/folders.ts";
import { isPairFolder } from "./formats/pair/layouts.ts";
import { registeredFormats } from "./registered.ts";

/**
 * The names of recordings in one file, and of archives of recordings: a file of such a name is worth opening even if its first bytes are
 * unknown.
 */
const ALL = recordingExtensions.join("|");
const NAMED = new RegExp(`\\.(?:(?:${ALL})(?:\\.zstd?)?|npz|zip|tar|tgz|tar\\.gz)$`, "i");
const ROS2 = new RegExp(`\\.(?:${ros2Extensions.join("|")})(?:\\.zstd?)?$`, "i");

/** The number of first bytes of a file by which its format is recognised. */
export const HEAD_BYTES = 512;

/**
 * Whether a file in a folder of recordings is worth opening: by its name, or because a format recognises its first bytes, `head`. Single
 * images and arrays are not worth opening: beside other files they are frames of a recording, or pictures of something.
 */
export async function isRecordingFile(name: string, size: number, head: Uint8Array): Promise<boolean> {
  if (NAMED.test(name)) return true;
  // A format that goes on to read has recognised what it saw.
  let asked = false;
  const ask = async (): Promise<never> => {
    asked = true;
    throw new Error("only the first bytes are looked at");
  };
  const file: ByteFile = { name, size, read: ask, close: async () => {} };
  for (const format of [...registeredFormats, ...fileFormats].filter(
    (one) => one.name !== "image" && one.name !== "npy",
  )) {
    const opened = await format.open({ kind: "file", file, head }, {}, directDecoder()).catch(() => undefined);
    await opened?.close?.();
    if (opened || asked) return true;
  }
  return false;
}

/** Whether the names in a folder, with "/" between folders and two levels deep, are those of one recording that begins in this folder. */
export function isRecordingFolder(names: readonly string[]): boolean {
  const here = names.filter((name) => !name.includes("/"));
  const marked = [...registeredFormats, ...formats].some(({ mark }) => here.some((name) => mark?.test(name)));
  // ROS 2 writes a bag as a folder of one database or MCAP file and its description.
  const bag = here.includes("metadata.yaml") && here.some((name) => ROS2.test(name));
  const sun = here.includes("intrinsics.txt") && names.some((name) => /^extrinsics\/[^/]+\.txt$/.test(name));
  return marked || bag || sun || names.includes("meta/info.json") || isPairFolder(names);
}
