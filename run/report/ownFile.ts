import { open, stat } from "node:fs/promises";
import { PAGE_MARK } from "../../core/html.ts";
import { RequestError, type RunHelp } from "./failure.ts";
import { checkLocal, checkWritable } from "./files.ts";
import { isWithin, realPlace } from "./ownFolder.ts";

/** The bytes at the start of a file that contain the mark of files written by depthloom. */
const HEAD = 128;

/** A file for results. */
export interface FileClaim {
  readonly path: string;
  readonly inputs: readonly string[];
  /** Whether it may replace an earlier run's result. */
  readonly force: boolean;
  /** The text at the start of an earlier run's result. */
  readonly mark: string;
}

/**
 * Throws a `RequestError` where results must not be written to that file: it exists and is not depthloom's, or it is the input or inside
 * it. Changes nothing.
 */
export async function checkOwnFile({ path, inputs, force, mark }: FileClaim): Promise<void> {
  checkLocal(path);
  const no = (why: string, helps?: RunHelp) => new RequestError(`${path}: ${why}`, helps);
  const place = await realPlace(path);
  for (const input of inputs) {
    const own = await realPlace(input);
    if (own === place) throw no(`this is the input itself (${input}): choose another file`);
    if (isWithin(place, own)) throw no(`this is inside the input (${input}): choose another place`);
  }
  const found = await stat(path).catch(() => undefined);
  if (!found) return;
  if (!found.isFile()) throw no("it exists and is not a file: choose another name");
  if (!force) throw no("it exists already; choose another name", "force");
  if (found.size > 0 && !(await headOf(path)).includes(mark))
    throw no("this file was not written by depthloom: move it away, or choose another name");
}

/**
 * Checks all files that a command will write at its end, before the work begins: throws what the check of one file throws, and also if a
 * file cannot be written or two paths name one file.
 */
export async function checkOwnFiles(
  paths: readonly (string | undefined)[],
  claim: Omit<FileClaim, "path">,
): Promise<void> {
  const named = paths.filter((path) => path !== undefined);
  const places = await Promise.all(named.map(realPlace));
  for (const [k, path] of named.entries()) {
    if (places.indexOf(places[k]) < k)
      throw new RequestError(`${path}: two results would be this file: name another one`);
    await checkWritable(path);
    await checkOwnFile({ ...claim, path });
  }
}

/** Does as `checkOwnFiles` for a report on what was measured: a page, and a document of JSON. Earlier reports are replaced. */
export async function checkReports(page: string | undefined, json: string | undefined, inputs: readonly string[] = []) {
  await checkOwnFiles([page], {
    inputs: [...inputs, json].filter((path) => path !== undefined),
    force: true,
    mark: PAGE_MARK,
  });
  await checkOwnFiles([json], { inputs, force: true, mark: "{" });
}

async function headOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await file.close();
  }
}
