import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build, type Plugin } from "vite";
import { inject } from "vitest";
import { withLock } from "../../viewer/cli/lock.js";

const root = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const configFile = root("vite.config.ts");

/** A folder with the app in it, of its own: who builds at the same time would take the files away from under the browser. */
export async function built(...plugins: Plugin[]): Promise<string> {
  const outDir = mkdtempSync(join(inject("builds"), "app-"));
  await build({ configFile, logLevel: "warn", build: { outDir }, plugins });
  return outDir;
}

/** The app as it is, one for all the files of a run: who comes while another builds it waits. */
export async function builtOnce(): Promise<string> {
  const once = join(inject("builds"), "app");
  await withLock(join(inject("builds"), "building"), async () => {
    if (existsSync(once)) return;
    // As `depthloom view` builds it, so that tests of that command and of the package find it built.
    await promisify(execFile)(process.execPath, [root("viewer/cli/launch.js"), "--build-only", "--app"]);
    const copy = mkdtempSync(join(inject("builds"), "app-"));
    cpSync(root("dist/app"), copy, { recursive: true });
    renameSync(copy, once);
  });
  return once;
}
