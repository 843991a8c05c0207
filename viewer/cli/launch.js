#!/usr/bin/env node
// `npm run depthloom` in a checkout: builds dist/ when a source is not the one it was built from, then runs dist/cli.js.
// Plain JavaScript, because it runs before anything is built. An installed package has no need of it.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { withLock } from "./lock.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const SOURCES = [
  "pipeline",
  "shaders",
  "sources",
  "stages",
  "viewer/batch",
  "viewer/bench",
  "viewer/cli",
  "viewer/convert",
  "viewer/replay",
  "viewer/report",
  "viewer/serve",
];
const FILES = [
  "package.json",
  "package-lock.json",
  "vite.lib.config.ts",
  "vite.assembly.ts",
  "vite.licences.ts",
  "vite.notices.ts",
  "vite.reader.ts",
  "vite.wasm.ts",
];
const dist = join(root, "dist");
const stamp = join(dist, ".built-from");

/**
 * A hash of path, size and time of every source. It is compared for equality, since a file can also be deleted, or replaced by an older
 * one.
 */
function fingerprint() {
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
  for (const folder of SOURCES) walk(folder);
  for (const path of FILES) visit(path);
  return hash.digest("hex");
}

function isBuilt(from) {
  try {
    return readFileSync(stamp, "utf8") === from;
  } catch {
    return false;
  }
}

async function build() {
  // Taken before the build, so that a file changed during the build makes the next start build again.
  const from = fingerprint();
  if (isBuilt(from)) return;
  const { build } = await import("vite");
  await build({ root, configFile: join(root, "vite.lib.config.ts"), logLevel: "silent" });
  writeFileSync(stamp, from);
}

try {
  mkdirSync(dist, { recursive: true });
  // If two commands start together, only one builds.
  if (!isBuilt(fingerprint())) await withLock(join(dist, ".building"), build);
} catch (error) {
  process.stderr.write(`depthloom: the sources do not build: ${stripVTControlCharacters(error.message)}\n`);
  process.exit(1);
}
if (process.argv[2] !== "--build-only") await import(pathToFileURL(join(dist, "cli.js")).href);
