import { open, stat } from "node:fs/promises";
import { UsageError } from "./failure.ts";
import { isWithin, realPlace } from "./ownFolder.ts";

/** Bytes at the start of a file in which what we write says that it is ours. */
const HEAD = 128;

/** A file for results. */
export interface FileClaim {
  readonly path: string;
  readonly inputs: readonly string[];
  /** Whether it may replace what an earlier run left. */
  readonly force: boolean;
  /** Stands at the start of what an earlier run left. */
  readonly mark: string;
}

/** Throws a `UsageError` if results must not go to that file: it is there and not ours, or is the input or in it. Changes nothing. */
export async function checkOwnFile({ path, inputs, force, mark }: FileClaim): Promise<void> {
  const no = (why: string) => new UsageError(`${path}: ${why}`);
  const place = await realPlace(path);
  for (const input of inputs) {
    const own = await realPlace(input);
    if (own === place) throw no(`this is the input itself (${input}): choose another file`);
    if (isWithin(place, own)) throw no(`this is inside the input (${input}): choose another place`);
  }
  const found = await stat(path).catch(() => undefined);
  if (!found) return;
  if (!found.isFile()) throw no("it is there and is no file: choose another name");
  if (!force) throw no("it is there already; choose another name, or --force, which replaces what depthloom wrote");
  if (!(await headOf(path)).includes(mark)) throw no("it is not depthloom's: move it away, or choose another name");
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
