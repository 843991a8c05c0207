import { appendFile, lstat, readdir, readFile, realpath, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { makeFolder, naming } from "../../write/disk.ts";
import { OutputError, RequestError, type RunHelp } from "./failure.ts";
import { checkLocal, partialOf, writeWhole } from "./files.ts";

/**
 * The name of the list of files that runs wrote into a folder, so that a later run may clear them: a name per line, each written before its
 * file.
 */
export const MANIFEST = ".depthloom";
const HEADER = "# files that depthloom wrote here, for --force to clear; what is not in this list is never touched";

/** The contents of such a list. */
export const manifestOf = (names: readonly string[]): string => `${[HEADER, ...names].join("\n")}\n`;

/** How a run will use a folder. */
interface Claim {
  readonly path: string;
  /** The names at the top of the folder that the run writes: files, and folders of files. */
  readonly names: readonly string[];
  /** The paths that the run reads. */
  readonly inputs: readonly string[];
  /** Whether the run may clear an earlier run's results. */
  readonly force: boolean;
}

/** A folder for results. Files that depthloom has not written are never replaced, and each written file is complete. */
export class OwnFolder {
  private constructor(
    readonly path: string,
    readonly earlier: readonly string[],
    readonly force: boolean,
  ) {}

  /** Throws a `RequestError` where the run must not write to the folder. Changes nothing yet. */
  static async check(claim: Claim): Promise<OwnFolder> {
    const { path, force } = claim;
    checkLocal(path);
    const no = (why: string, helps?: RunHelp) => new RequestError(`${path}: ${why}`, helps);
    const place = await realPlace(path);
    for (const input of claim.inputs) {
      const why = await clash(place, input);
      if (why) throw no(`${why}: choose another folder, results never go where the input is`);
    }
    const inside = await listOf(path);
    if (!inside) throw no("it is a file: choose a folder");
    if (inside.length > 0 && !force) {
      const some = inside.find((name) => name !== MANIFEST) ?? MANIFEST;
      throw no(`it is not empty (${some}${inside.length > 1 ? " …" : ""}); choose a new folder`, "force");
    }
    // The list is read last: a run that is writing here names each file in it before the file is there.
    const found: string[] = [];
    for (const name of inside.filter((one) => claim.names.includes(one))) await addFiles(found, path, name);
    const earlier = await earlierIn(path, place);
    if (!earlier) throw no(`${MANIFEST} in it was not written by depthloom: move it away, or choose another folder`);
    const listed = new Set(earlier.flatMap((name) => [name, partialOf(name)]));
    for (const name of found.filter((one) => !listed.has(one))) {
      if (await exists(join(path, name)))
        throw no(`${name} does not come from an earlier run of depthloom: move it away, or choose another folder`);
    }
    for (const input of claim.inputs) {
      const inPlace = relative(place, await realPlace(input));
      if (listed.has(inPlace.replaceAll(sep, "/"))) throw no(`${input} would be cleared: choose another folder`);
    }
    return new OwnFolder(path, earlier, force);
  }

  /** Creates the folder, or clears an earlier run's results in it. */
  async begin(): Promise<void> {
    await makeFolder(this.path);
    const folders = new Set<string>();
    for (const name of this.earlier) {
      for (const path of [name, partialOf(name)]) await rm(join(this.path, path), { force: true });
      for (let up = dirname(name); up !== "."; up = dirname(up)) folders.add(up);
    }
    // The deepest folders first. A folder that holds something else stays.
    for (const folder of [...folders].sort((a, b) => b.length - a.length)) {
      await rmdir(join(this.path, folder)).catch(() => {});
    }
    const manifest = join(this.path, MANIFEST);
    if (this.force) await rm(manifest, { force: true });
    // If two runs begin together, only one of them can create the list; it owns the folder.
    await naming(manifest, writeFile(manifest, manifestOf([]), { flag: "wx" })).catch((error) => {
      throw error.code === "EEXIST" ? anotherRun(this.path) : error;
    });
  }

  /** The whole files that an earlier run left. */
  async whole(): Promise<string[]> {
    const there = await Promise.all(this.earlier.map((name) => exists(join(this.path, name))));
    return this.earlier.filter((_, i) => there[i]);
  }

  /** Goes on in the folder of a run that was stopped, with these of its files; its others are removed. */
  async resume(kept: ReadonlySet<string>): Promise<void> {
    for (const name of this.earlier) {
      const gone = kept.has(name) ? [partialOf(name)] : [name, partialOf(name)];
      for (const path of gone) await rm(join(this.path, path), { force: true });
    }
    await writeWhole(join(this.path, MANIFEST), manifestOf([...kept]));
  }

  /** Moves a finished folder to this place. An earlier run's results are removed; other files stay. */
  async settle(finished: string): Promise<void> {
    const { path } = this;
    if (await exists(path)) {
      await this.begin();
      await rm(join(path, MANIFEST));
      await rmdir(path).catch(() => {});
    }
    if (!(await exists(path))) return rename(finished, path);
    await moveInto(finished, path);
  }

  /** Makes a folder inside the folder. */
  async mkdir(name: string): Promise<void> {
    await makeFolder(join(this.path, name));
  }

  /** Writes a new file; `name` may contain slashes, but not ".." parts. */
  async write(name: string, data: string | Uint8Array): Promise<void> {
    const path = join(this.path, name);
    if (await exists(path)) throw cameMeanwhile(path);
    const manifest = join(this.path, MANIFEST);
    await naming(manifest, appendFile(manifest, `${name}\n`));
    await makeFolder(dirname(path));
    await writeWhole(path, data);
  }

  /** Appends a line to a file that `write` made. */
  async append(name: string, line: string): Promise<void> {
    const path = join(this.path, name);
    await naming(path, appendFile(path, `${line}\n`));
  }
}

// The folder was empty, or cleared, when this run began.
const anotherRun = (path: string) =>
  new OutputError(`${path}: another run is writing there; wait until that run ends, or choose another folder`);
const cameMeanwhile = (path: string) =>
  new OutputError(`${path}: another run has written this file since this one began; choose another folder`);

/** The real path of a file or folder with links resolved, also of one that does not exist yet. */
export async function realPlace(path: string): Promise<string> {
  const whole = resolve(path);
  try {
    return await realpath(whole);
  } catch {
    const above = dirname(whole);
    return above === whole ? whole : join(await realPlace(above), basename(whole));
  }
}

/** Why results must not be written to `place` while `input` is read; `undefined` if they may be. */
async function clash(place: string, input: string): Promise<string | undefined> {
  const from = await realPlace(input);
  if (place === from) return `this is the input itself (${input})`;
  if (!(await stat(from).catch(() => undefined))?.isDirectory()) return undefined;
  if (isWithin(from, place)) return `the input is in it (${input})`;
  if (isWithin(place, from)) return `it is in the input (${input})`;
  return undefined;
}

/** Whether a path lies inside a folder. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The names in a folder, none if it does not exist; `undefined` if it is a file. */
async function listOf(path: string): Promise<string[] | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found && !found.isDirectory()) return undefined;
  return found ? (await readdir(path)).sort() : [];
}

/**
 * The files of an earlier run's list that really lie inside the folder, whatever else the list names; `undefined` if the file is no such
 * list.
 */
async function earlierIn(path: string, place: string): Promise<string[] | undefined> {
  const manifest = join(path, MANIFEST);
  const found = await lstat(manifest).catch(() => undefined);
  if (!found) return [];
  const [header, ...names] = found.isFile() ? (await readFile(manifest, "utf8")).split("\n") : [];
  if (header !== HEADER) return undefined;
  const own: string[] = [];
  for (const name of names) {
    if (!isPlain(name) || (await lstat(join(path, name)).catch(() => undefined))?.isDirectory()) continue;
    const folder = await realpath(dirname(join(path, name))).catch(() => undefined);
    // A link in the path would lead out of the folder.
    if (folder === join(place, dirname(name))) own.push(name);
  }
  return own;
}

/** Whether a name is a plain relative path such as "depth/000000.png". */
const isPlain = (name: string) =>
  name !== "" && !name.startsWith(MANIFEST) && name.split("/").every((part) => part !== "" && !/^\.\.?$|\\/.test(part));

/** Adds the files at and under `name`, without those that another run has moved away meanwhile. */
async function addFiles(found: string[], path: string, name: string): Promise<void> {
  const at = await lstat(join(path, name)).catch(() => undefined);
  if (at && !at.isDirectory()) found.push(name);
  if (!at?.isDirectory()) return;
  const inside = await readdir(join(path, name)).catch(() => []);
  for (const one of inside) await addFiles(found, path, `${name}/${one}`);
}

const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** Moves what is in a folder into another one, in which files of others may stand; the folder is gone then. */
async function moveInto(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [own, there] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && (await exists(there))) await moveInto(own, there);
    else await rename(own, there);
  }
  await rmdir(from);
}
