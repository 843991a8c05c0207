import type { ParquetTable } from "../../../decode/parquet/table.ts";
import type { FormatDefaults } from "../../../format/depthFormat.ts";
import { lensesIn } from "../../beside/lens.ts";
import { type DataSet, INFO } from "./dataSet.ts";

/**
 * The lens of a depth feature. LeRobot itself keeps no lens; people add fields to the feature in `meta/info.json`, or a feature of numbers
 * that is named after intrinsics and the camera. In such a feature the lens stands in the episode's first row.
 */
export async function lensOfFeature(
  { info, features }: DataSet,
  key: string,
  table: ParquetTable | undefined,
  row: number,
): Promise<Pick<FormatDefaults, "lens" | "intrinsics">> {
  const words = key.split(/[._-]/).filter((word) => !/^(observation|images?|depths?)$/i.test(word));
  const isOurs = (name: string) => words.every((word) => name.includes(word));
  const said = lensesIn({ value: info }, INFO);
  const found =
    said.find(({ path }) => path.includes(key)) ??
    (said.length === 1 ? said[0] : said.find(({ path }) => isOurs(path) && !/rgb|colou?r/i.test(path)));
  if (found) {
    const said = { value: found.lens, from: `file ${INFO}` } as const;
    return found.lens.width === undefined ? { lens: said } : { intrinsics: said };
  }
  const names = [...features.keys()].filter((name) => /intrin|(^|[._])k$|camera_matrix/i.test(name));
  const name = names.find(isOurs) ?? (names.length === 1 ? names[0] : undefined);
  const leaf = name === undefined ? undefined : table?.leaf(name);
  if (!leaf || name === undefined) return {};
  const numbers = (await table?.firstList(leaf, row))?.map(Number) ?? [];
  const [one] = lensesIn({ rows: [numbers] }, "intrinsics");
  return one ? { lens: { value: one.lens, from: `topic ${name}` } } : {};
}
