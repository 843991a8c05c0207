import { appendFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SourceError } from "../source.ts";
import { makeFolder, naming } from "./disk.ts";

/** What a recording is written into: a folder, by whoever answers for what is in it. Names have slashes. */
export interface Target {
  readonly path: string;
  write(name: string, content: Uint8Array | string): Promise<void>;
  /** Adds a line to a file that was written. */
  append(name: string, line: string): Promise<void>;
}

/** The folder at a path, which must be new or empty; or the one that is given. */
export const targetOf = async (target: string | Target): Promise<Target> =>
  typeof target === "string" ? Folder.create(target) : target;

/** `recording.json`, for those who read the folder again. */
export const describe = (target: Target, description: object): Promise<void> =>
  target.write("recording.json", `${JSON.stringify(description, null, 2)}\n`);

/**
 * A folder that a recording is written to. Whatever is in it is whole, also when the writing is stopped in the middle.
 */
export class Folder implements Target {
  private constructor(readonly path: string) {}

  /** The folder as it is, to go on writing what was begun there. */
  static async resume(path: string): Promise<Folder> {
    await makeFolder(path);
    return new Folder(path);
  }

  /** Makes the folder. Throws a `SourceError` if there is something in it: nothing is ever overwritten. */
  static async create(path: string): Promise<Folder> {
    await makeFolder(path).catch((error) => {
      if (codeOf(error) === "EEXIST") throw new SourceError(`${path}: it is a file; choose a folder to write to`);
      throw error;
    });
    const inside = await readdir(path);
    if (inside.length === 0) return new Folder(path);
    throw new SourceError(`${path}: it is not empty (${inside[0]}); choose a new folder, or empty this one`);
  }

  /** Writes a file under another name first, then gives it its own. */
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

  async append(name: string, line: string): Promise<void> {
    const path = join(this.path, name);
    await naming(path, appendFile(path, `${line}\n`));
  }
}

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? error.code : undefined);
