// What Depthloom remembers of a device from one start to the next: a file in the user's cache folder in Node, localStorage in a page.

/** The text kept under a name, such as "profiles"; `undefined` if there is none or it cannot be read. */
export async function readKept(name: string): Promise<string | undefined> {
  try {
    if (import.meta.env.SSR) {
      const { readFile } = await import("node:fs/promises");
      return await readFile(await pathOf(name), "utf8");
    }
    return globalThis.localStorage.getItem(keyOf(name)) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a text. Returns where the text was written. */
export async function writeKept(name: string, text: string): Promise<string> {
  if (import.meta.env.SSR) {
    const { mkdir, rename, writeFile } = await import("node:fs/promises");
    const { dirname } = await import("node:path");
    const path = await pathOf(name);
    await mkdir(dirname(path), { recursive: true });
    // Write to another name and rename: a process that reads at the same time never sees half of the file.
    const fresh = `${path}.${process.pid}`;
    await writeFile(fresh, text);
    await rename(fresh, path);
    return path;
  }
  globalThis.localStorage.setItem(keyOf(name), text);
  return `localStorage ${keyOf(name)}`;
}

const keyOf = (name: string) => `depthloom.${name}`;

async function pathOf(name: string): Promise<string> {
  const { homedir } = await import("node:os");
  const { join } = await import("node:path");
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "depthloom", `${name}.json`);
}
