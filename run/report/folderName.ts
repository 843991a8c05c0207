import { archives, imageExtensions, named, recordingExtensions } from "../../sources/format/extensions.ts";
import { RequestError, type RunHelp } from "./failure.ts";

const FILE = named([...recordingExtensions, ...imageExtensions, ...archives, "ply"], { packed: true });

/** Throws a `RequestError` if a folder's name is one for a file, since "out.bag" asks for no folder. `instead` says what to do. */
export function checkFolderName(name: string, instead: string, helps?: RunHelp): void {
  const [ending] = name.match(FILE) ?? [];
  if (ending !== undefined) throw new RequestError(`${name}: no ${ending} file is written; ${instead}`, helps);
}
