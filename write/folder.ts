import { appendFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { checkArgument, type Rule } from "../core/check.ts";
import { SourceError } from "../core/source.ts";
import { makeFolder, naming } from "./disk.ts";

/** A folder that a recording is written into. Names are paths in it, with slashes. */
export interface Target {
  /** The folder's path, for messages. */
  readonly path: string;
  /** Writes a file. */
  write(name: string, content: Uint8Array | string): Promise<void>;
  /** Appends a line to a file that was written. */
  append(name: string, line: string): Promise<void>;
}

/** Opens the folder at a path, which must be new or empty; returns a given `Target` unchanged. */
export async function targetOf(target: string | Target): Promise<Target> {
  checkArgument("write", "the target", targetRule, target);
  return typeof target === "string" ? Folder.create(target) : target;
}

const pathRule: Rule = { expects: "a folder's path", holds: (value) => typeof value === "string" && value !== "" };
const targetRule: Rule = {
  expects: "a folder's path, or what writes into one",
  holds: (value) => pathRule.holds(value) || typeof (value as Target | null)?.write === "function",
};

/** Writes `recording.json`, which tells readers of the folder what its numbers mean. */
export const describe = (target: Target, description: object): Promise<void> =>
  target.write("recording.json", `${JSON.stringify(description, null, 2)}\n`);

/** A folder that a recording is written to. Each file in it is complete at any time, even when writing is interrupted. */
export class Folder implements Target {
  private constructor(
    /** The folder's path. */
    readonly path: string,
  ) {}

  /** Opens an existing folder, to go on with a recording that was begun there. */
  static async resume(path: string): Promise<Folder> {
    checkArgument("Folder.resume", "the path", pathRule, path);
    await makeFolder(path);
    return new Folder(path);
  }

  /** Makes the folder. Throws a `SourceError` where it has contents: nothing is ever overwritten. */
  static async create(path: string): Promise<Folder> {
    checkArgument("Folder.create", "the path", pathRule, path);
    await makeFolder(path).catch((error) => {
      if (codeOf(error) === "EEXIST") throw new SourceError(`${path}: this is a file; choose a folder to write to`);
      throw error;
    });
    const inside = await readdir(path);
    if (inside.length === 0) return new Folder(path);
    throw new SourceError(`${path}: this folder is not empty (${inside[0]}); choose a new folder, or empty this one`);
  }

  /** Writes a file under a temporary name and renames it when it is complete. */
  async write(name: string, content: Uint8Array | string): Promise<void> {
    const path = join(this.path, name);
    const fresh = `${path}.partial`;
    await makeFolder(dirname(path));
    try {
      await naming(path, writeFile(fresh, content));
      await rename(fresh, path);
    } catch (error) {
      await rm(fresh, { force: true });
      throw error;
    }
  }

  /** Appends a line to a file of the folder. */
  async append(name: string, line: string): Promise<void> {
    const path = join(this.path, name);
    await naming(path, appendFile(path, `${line}\n`));
  }
}

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? error.code : undefined);
