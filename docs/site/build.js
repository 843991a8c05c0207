// `npm run site [FOLDER]`: a folder (site/, if none is given) that any static host can serve: the viewer, the guides, the API pages.
// A second argument is a folder with the viewer as `npm run build:app` makes it, to be copied in place of another build.
import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "vite";
import { writeApi } from "./api.js";
import { writeGuides } from "./guides.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const out = resolve(process.argv[2] ?? join(root, "site"));

if (resolve(out) === resolve(root)) throw new Error("the site needs a folder of its own, and the repository is none");
// Only what an earlier run wrote goes: the folder may hold what a host needs, such as CNAME.
for (const part of ["api", "viewer", "docs", "pipeline"]) rmSync(join(out, part), { recursive: true, force: true });
writeGuides(root, out);
execFileSync(process.execPath, [join(root, "viewer/cli/launch.js"), "--build-only"], { stdio: "inherit" });
await writeApi(root, join(out, "api"), await import(pathToFileURL(join(root, "dist/stages.js")).href));
const outDir = join(out, "viewer");
const [, , , viewer] = process.argv;
if (viewer) cpSync(viewer, outDir, { recursive: true });
else await build({ configFile: join(root, "vite.config.ts"), logLevel: "warn", build: { outDir, emptyOutDir: true } });
console.log(`${out} is ready for any static host`);
