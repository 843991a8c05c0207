import type { Output } from "./output.ts";
import { OutputFile } from "./outputFile.ts";
import { OutputFolder } from "./outputFolder.ts";
import type { ReplayRequest } from "./request.ts";

/**
 * The output that `--out` names: an .mcap file, else a folder. Throws a `UsageError` where results must not be written. Changes nothing
 * yet.
 */
export async function outputOf(request: ReplayRequest): Promise<Output | undefined> {
  if (request.out === undefined) return undefined;
  return /\.mcap$/i.test(request.out)
    ? OutputFile.check(request, request.out)
    : OutputFolder.check(request, request.out);
}
