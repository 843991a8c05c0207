import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { isRemote } from "../../core/address.ts";
import { SourceError } from "../../core/source.ts";
import { openRecording } from "../../sources/index.ts";
import { MARKER, placeOf, readDone } from "../batch/job/place.ts";
import { tableName } from "../batch/quality/files.ts";
import { addressOf, hasPicture, POLICY, pageOf, THUMBNAIL } from "../batch/quality/page.ts";
import { isRow, type Row } from "../batch/quality/row.ts";
import { type Extras, hasLinks, type OnDisk, recordingPath } from "./page.ts";

/** The path of the table's page. */
export const TABLE = "/table.html";

/** Whether a path is that of a folder with the results of `depthloom batch`. */
export const isResults = (path: string): boolean => existsSync(join(path, MARKER));

/**
 * The quality table of a folder with results, whose rows lead to the viewer, and the recordings that they are of, where these lie. The
 * folder may come from anybody. Therefore nothing else is served: pictures that lie in the folder itself, and recordings of which the
 * folder has a result, and only if a format recognises them when they are asked for. A recording at an `https:` address is fetched by the
 * page itself; one that has links leads nowhere, since links are not followed. Throws a `SourceError` where the folder has no table, or one
 * that batch did not write.
 */
export async function tableOf(folder: string): Promise<Required<Extras>> {
  const rows = rowsIn(join(folder, `${tableName("")}.jsonl`));
  const disk = new Map<string, OnDisk>();
  const links = new Map<string, string>();
  for (const [index, row] of rows.entries()) {
    const { recording, input } = row;
    const picture = join(placeOf({ out: folder, key: recording }), THUMBNAIL);
    if (hasPicture(row) && isWithin(folder, picture))
      disk.set(`/${addressOf(recording)}/${THUMBNAIL}`, { path: picture });
    if (isRemote(input)) {
      if (input.startsWith("https:")) links.set(recording, input);
      continue;
    }
    if (!(await hasResult(folder, row))) continue;
    if (statSync(input).isDirectory() && hasLinks(input)) continue;
    // The server sends a folder as a .zip, so the folder's address ends in .zip.
    const path = recordingPath(statSync(input).isFile() ? input : `${basename(input)}.zip`, `${index}/`);
    disk.set(path, { path: input, refusal: () => refusalOf(input) });
    links.set(recording, path);
  }
  const linkOf = ({ recording }: Row) => {
    const link = links.get(recording);
    return link === undefined ? undefined : `/?source=${encodeURIComponent(link)}&table`;
  };
  return { disk, pages: new Map([[TABLE, { bytes: Buffer.from(pageOf(rows, linkOf)), policy: POLICY }]]) };
}

/** Whether the folder has the result of this row's recording, and the recording is as large as it was then. */
async function hasResult(folder: string, { recording, input, bytes }: Row): Promise<boolean> {
  const there = statSync(input, { throwIfNoEntry: false });
  const isSame = there?.isDirectory() || (there?.isFile() && there.size === bytes);
  const done = isSame ? await readDone({ out: folder, key: recording }) : undefined;
  return done?.result.recording === recording && done.result.bytes === bytes;
}

/** Whether a file is there and, with all links followed, lies in the folder. */
const isWithin = (folder: string, path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true &&
  realpathSync(path).startsWith(`${realpathSync(folder)}${sep}`);

async function refusalOf(input: string): Promise<string | undefined> {
  try {
    await (await openRecording(input)).close();
    return undefined;
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return "no format recognises this file as a recording";
  }
}

/** The most bytes of a table, which is read as a whole. */
const MOST_TABLE = 2 ** 26;

function rowsIn(path: string): Row[] {
  let text: string;
  try {
    const found = statSync(path);
    // What no run writes, such as a pipe, might be read without end.
    if (!found.isFile() || found.size > MOST_TABLE) throw new Error("no table");
    text = readFileSync(path, "utf8");
  } catch {
    throw new SourceError(`${path}: there is no quality table; run the same "depthloom batch" again, which writes it`);
  }
  const lines = text.split("\n").flatMap((line, i) => (line.trim() === "" ? [] : [{ line, number: i + 1 }]));
  return lines.map(({ line, number }) => {
    const row = parsed(line);
    if (isRow(row)) return row;
    throw new SourceError(`${path}: line ${number} is no row of a table; run "depthloom batch" again`);
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
