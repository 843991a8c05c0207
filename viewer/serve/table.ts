import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { SourceError } from "../../sources/index.ts";
import { isRemote } from "../../sources/recorded/files/remote.ts";
import { MARKER, placeOf } from "../batch/job/place.ts";
import { tableName } from "../batch/quality/files.ts";
import { addressOf, hasPicture, pageOf, THUMBNAIL } from "../batch/quality/page.ts";
import type { Row } from "../batch/quality/row.ts";
import { type Extras, recordingPath } from "./page.ts";

/** The path of the table's page. */
export const TABLE = "/table.html";

/** Whether a path is that of a folder with the results of `depthloom batch`. */
export const isResults = (path: string): boolean => existsSync(join(path, MARKER));

/**
 * The quality table of a folder with results, whose rows lead to the viewer, and the recordings that they are of, where these lie. A
 * recording at an `https:` address is fetched by the page itself. Throws a `SourceError` where the folder has no table.
 */
export function tableOf(folder: string): Required<Extras> {
  const rows = rowsIn(join(folder, `${tableName("")}.jsonl`));
  const disk = new Map<string, string>();
  const links = new Map<string, string>();
  for (const [index, row] of rows.entries()) {
    const { recording, input } = row;
    if (hasPicture(row))
      disk.set(`/${addressOf(recording)}/${THUMBNAIL}`, join(placeOf({ out: folder, key: recording }), THUMBNAIL));
    if (isRemote(input)) {
      if (input.startsWith("https:")) links.set(recording, input);
      continue;
    }
    const there = statSync(input, { throwIfNoEntry: false });
    if (!there) continue;
    // The server sends a folder as a .zip, so the folder's address ends in .zip.
    const path = recordingPath(there.isFile() ? input : `${basename(input)}.zip`, `${index}/`);
    disk.set(path, input);
    links.set(recording, path);
  }
  const linkOf = ({ recording }: Row) => {
    const link = links.get(recording);
    return link === undefined ? undefined : `/?source=${encodeURIComponent(link)}`;
  };
  return { disk, pages: new Map([[TABLE, Buffer.from(pageOf(rows, linkOf))]]) };
}

function rowsIn(path: string): Row[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new SourceError(`${path}: there is no quality table; run the same "depthloom batch" again, which writes it`);
  }
  return text
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line, i) => {
      try {
        return JSON.parse(line) as Row;
      } catch {
        throw new SourceError(`${path}: line ${i + 1} is no row of a table; run "depthloom batch" again`);
      }
    });
}
