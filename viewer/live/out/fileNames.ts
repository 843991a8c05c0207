import { archives, imageExtensions, named, recordingExtensions } from "../../../sources/format/extensions.ts";
import type { Source } from "../../../sources/index.ts";

/** The stem of the files that are saved of a source: its name, without characters that file systems forbid. */
export function stemOf(source: Pick<Source, "name"> | null): string {
  if (!source) return "recording";
  const bare = source.name
    .replace(/^wss?:\/\//i, "")
    .replace(named([...recordingExtensions, ...imageExtensions, ...archives], { packed: true }), "");
  const name = bare.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[-.]+|[-.]+$/g, "");
  return name.slice(0, 80) || "recording";
}

/** Example: "office-000012-depth.png". */
export const frameFile = (stem: string, index: number, end: string): string =>
  `${stem}-${String(index).padStart(6, "0")}${end}`;
