import { execFile, execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { inject } from "vitest";
import { withLock } from "../../cli/lock.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

/** The package's tarball, packed once for all test files of a run, and built before unless `npm ci` has built these sources. */
export async function packed(): Promise<string> {
  const once = join(inject("builds"), "package");
  await withLock(join(inject("builds"), "packing"), async () => {
    if (existsSync(once)) return;
    const npm = (...args: string[]) => promisify(execFile)("npm", args, { cwd: root });
    await npm("run", "-s", "dependencies");
    const folder = mkdtempSync(join(inject("builds"), "package-"));
    await npm("pack", "--ignore-scripts", "--pack-destination", folder);
    renameSync(folder, once);
  });
  return join(once, readdirSync(once)[0] ?? "");
}

/**
 * Installs the tarball in an empty folder as `npm install` does, without the network: the package itself, all its dependencies,
 * and `extra`.
 */
export function install(tarball: string, folder: string, extra: readonly string[] = []): string {
  const installed = join(folder, "node_modules", "depthloom");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["xzf", tarball, "-C", installed, "--strip-components", "1"]);
  // Copied, not linked: a linked package would find its imports in this repository's node_modules.
  const copyNeeds = (of: string) => {
    for (const name of Object.keys(manifestOf(of).dependencies ?? {})) {
      const place = join(folder, "node_modules", name);
      if (existsSync(place)) continue;
      cpSync(join(root, "node_modules", name), place, { recursive: true });
      copyNeeds(place);
    }
  };
  copyNeeds(installed);
  for (const name of extra) {
    mkdirSync(join(folder, "node_modules", name, ".."), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  return installed;
}
