import { folderOf, markedFolder } from "../../../files/files.ts";
import type { Format } from "../../../format/format.ts";

const INFO = /(^|\/)meta\/info\.json$/;

/**
 * A data set of LeRobot, version 2 or 3: `meta/info.json`, which names the depth features, tables in Parquet, and depth as images in the
 * tables or as films. An episode is a recording; the first one is opened unless the topic names another.
 */
export const lerobot: Format = {
  name: "lerobot",
  sign: "meta/info.json of LeRobot",
  mark: INFO,
  begins: (names) => names.includes("meta/info.json"),
  async open(input, options, decoder) {
    const files = await markedFolder(input, INFO, (name) => folderOf(folderOf(name)));
    if (!files) return undefined;
    const { openDataSet } = await import("./frames.ts");
    return openDataSet(files, options, decoder);
  },
};
