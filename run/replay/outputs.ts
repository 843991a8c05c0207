import { checkFolderName } from "../report/folderName.ts";
import type { Output } from "./output.ts";
import { OutputFile } from "./outputFile.ts";
import { OutputFolder } from "./outputFolder.ts";
import type { ReplayRequest } from "./request.ts";

/**
 * The output that a run is asked for: an .mcap file, else a folder. Throws a `RequestError` where results must not be written. Changes
 * nothing yet.
 */
export async function outputOf(request: ReplayRequest): Promise<Output | undefined> {
  const { out } = request;
  if (out === undefined) return undefined;
  if (/\.mcap$/i.test(out)) return OutputFile.check(request, out);
  const folder = await OutputFolder.check(request, out);
  checkFolderName(out, "give the name of a folder, or one that ends with .mcap");
  return folder;
}
