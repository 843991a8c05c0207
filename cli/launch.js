#!/usr/bin/env node
// `npm run depthloom` in a checkout: builds dist/ when a source is not the one it was built from, then runs dist/cli.js.
// Plain JavaScript, because it runs before anything is built. An installed package has no need of it.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { withLock } from "./lock.js";

const root = fileURLToPath(new URL("..", import.meta.url));
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
const dist = join(root, "dist");
/** The parts that are built: the command line and the library, and the viewer's page, which `view` serves. */
const LIBRARY = { sources: SOURCES, files: FILES, config: "config/lib.config.ts", stamp: join(dist, ".built-from") };
const APP = {
  sources: [...SOURCES, "viewer"],
  files: [...FILES, "vite.config.ts"],
  config: "vite.config.ts",
  stamp: join(dist, ".app-built-from"),
};

/**
 * A hash of path, size and time of every source. It is compared for equality, since a file can also be deleted, or replaced by an older
 * one.
 * @param {typeof LIBRARY} what
 */
function fingerprint({ sources, files }) {
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

function isBuilt({ stamp }, from) {
  try {
    return readFileSync(stamp, "utf8") === from;
  } catch {
    return false;
  }
}

async function build(what) {
  // Taken before the build, so that a file changed during the build makes the next start build again.
  const from = fingerprint(what);
  if (isBuilt(what, from)) return;
  const { build } = await import("vite");
  await build({ configFile: join(root, what.config), logLevel: "silent", ...(what === LIBRARY && { root }) });
  writeFileSync(what.stamp, from);
}

const [command, option] = process.argv.slice(2);
try {
  mkdirSync(dist, { recursive: true });
  const wanted = command === "view" || option === "--app" ? [LIBRARY, APP] : [LIBRARY];
  for (const what of wanted) {
    // If two commands start together, only one builds.
    if (isBuilt(what, fingerprint(what))) continue;
    if (what === APP && command === "view") process.stderr.write("depthloom: building the viewer, once …\n");
    await withLock(join(dist, ".building"), () => build(what));
  }
} catch (error) {
  process.stderr.write(`depthloom: the sources do not build: ${stripVTControlCharacters(error.message)}\n`);
  process.exit(1);
}
if (command !== "--build-only") await import(pathToFileURL(join(dist, "cli.js")).href);
