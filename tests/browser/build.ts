import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build, type Plugin } from "vite";
import { inject } from "vitest";
import { withLock } from "../../cli/lock.js";

const root = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const configFile = root("vite.config.ts");

/** Builds the app into a folder of its own, so that another build at the same time does not replace files the browser is loading. */
export async function built(...plugins: Plugin[]): Promise<string> {
  const outDir = mkdtempSync(join(inject("builds"), "app-"));
  await build({ configFile, logLevel: "warn", build: { outDir }, plugins });
  return outDir;
}

/** Builds the unchanged app once for all test files of a run; a second caller waits for the first one's build. */
export async function builtOnce(): Promise<string> {
  const once = join(inject("builds"), "app");
  await withLock(join(inject("builds"), "building"), async () => {
    if (existsSync(once)) return;
    // Built as by `depthloom view`, so that tests of that command and of the package find the app built.
    await promisify(execFile)(process.execPath, [root("cli/launch.js"), "--build-only", "--app"]);
    const copy = mkdtempSync(join(inject("builds"), "app-"));
    cpSync(root("dist/app"), copy, { recursive: true });
    renameSync(copy, once);
  });
  return once;
}
