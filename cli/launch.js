#!/usr/bin/env node
// `npm run depthloom` in a checkout: builds dist/ when a source is not the one it was built from, then runs dist/cli.js.
// Plain JavaScript, because it runs before anything is built. An installed package has no need of it.
import { mkdirSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { withLock } from "./lock.js";
import { APP, dist, fingerprint, isBuilt, LIBRARY, root } from "./parts.js";

/** Ends what a signal interrupts before the command itself listens for them. */
const interrupted = (name) => {
  process.stderr.write("depthloom: interrupted\n");
  process.exit(128 + constants.signals[name]);
};
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
for (const name of SIGNALS) process.on(name, interrupted);

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
for (const name of SIGNALS) process.off(name, interrupted);
