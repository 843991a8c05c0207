import { folderOf, onlyFolder, within } from "../../files/files.ts";
import type { Format } from "../../format.ts";

const INFO = /(^|\/)meta\/info\.json$/;

/**
 * A data set of LeRobot, version 2 or 3: `meta/info.json`, which names the depth features, tables in Parquet, and depth as images in the
 * tables or as films. An episode is a recording; the first one is opened unless the topic names another.
 */
export const lerobot: Format = {
  name: "lerobot",
  sign: "meta/info.json of LeRobot",
  mark: INFO,
  async open(input, options, decoder) {
    if (input.kind !== "files") return undefined;
    const found = (await input.files.list()).filter((name) => INFO.test(name));
    const root = onlyFolder(
      input.files,
      found.map((name) => folderOf(folderOf(name))),
    );
    if (root === undefined) return undefined;
    const { openDataSet } = await import("./frames.ts");
    return openDataSet(within(input.files, root), options, decoder);
  },
};
