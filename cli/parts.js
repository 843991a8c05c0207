// What a checkout builds into dist/, and whether it is built from the sources as they are. Plain JavaScript, because it runs before
// anything is built.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
const SOURCES = [
  "bench",
  "cli",
  "config",
  "core",
  "measure",
  "pipeline",
  "run",
  "scan",
  "shaders",
  "sources",
  "stages",
  "write",
];
const FILES = ["depthloom.ts", "package.json", "package-lock.json"];
export const dist = join(root, "dist");
/** The command line and the library. */
export const LIBRARY = {
  sources: SOURCES,
  files: FILES,
  config: "config/lib.config.ts",
  stamp: join(dist, ".built-from"),
};
/** The viewer's page, which `view` serves. */
export const APP = {
  sources: [...SOURCES, "viewer"],
  files: [...FILES, "vite.config.ts"],
  config: "vite.config.ts",
  stamp: join(dist, ".app-built-from"),
};

/** All that the package holds. */
export const PACKAGE = { ...APP, stamp: join(dist, ".package-built-from") };

/**
 * A hash of path, size and time of every source. It is compared for equality, since a file can also be deleted, or replaced by an older
 * one.
 * @param {{ sources: string[], files: string[] }} what
 */
export function fingerprint({ sources, files }) {
  const hash = createHash("sha256");
  const visit = (path) => {
    const { mtimeMs, size } = statSync(join(root, path));
    hash.update(`${path} ${mtimeMs} ${size}\n`);
  };
  const walk = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) walk(path);
      else visit(path);
    }
  };
  for (const folder of sources) walk(folder);
  for (const path of files) visit(path);
  return hash.digest("hex");
}

/**
 * Whether a part was built from sources with this fingerprint.
 * @param {{ stamp: string }} what
 * @param {string} from
 */
export function isBuilt({ stamp }, from) {
  try {
    return readFileSync(stamp, "utf8") === from;
  } catch {
    return false;
  }
}
