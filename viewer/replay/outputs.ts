import type { Output } from "./output.ts";
import { OutputFile } from "./outputFile.ts";
import { OutputFolder } from "./outputFolder.ts";
import type { ReplayRequest } from "./request.ts";

/** What `--out` names: an .mcap file, else a folder. Throws a `UsageError` if the results must not go there. Changes nothing yet. */
export async function outputOf(request: ReplayRequest): Promise<Output | undefined> {
  if (request.out === undefined) return undefined;
  return /\.mcap$/i.test(request.out)
    ? OutputFile.check(request, request.out)
    : OutputFolder.check(request, request.out);
}
