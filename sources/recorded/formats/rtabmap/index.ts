import type { Format } from "../../../format/format.ts";

const MAGIC = "SQLite format 3\0";

/** A database of RTAB-Map: an SQLite file with the tables Node and Data. */
export const rtabmap: Format = {
  name: "rtabmap",
  sign: "RTAB-Map's .db",
  async open(input, options, decoder) {
    if (input.kind !== "file") return undefined;
    if (new TextDecoder("latin1").decode(input.head.subarray(0, MAGIC.length)) !== MAGIC) return undefined;
    return (await import("./frames.ts")).openRtabmap(input.file, options, decoder);
  },
};
