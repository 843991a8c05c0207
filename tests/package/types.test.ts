import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { useFolder } from "../sources/fixtures.ts";
import { install, manifestOf, packed } from "./install.ts";

// The types of every entry, checked as strictly as TypeScript can (`skipLibCheck: false`), by the oldest and the newest TypeScript.

const disk = useFolder();
const root = fileURLToPath(new URL("../..", import.meta.url));

/** Each with the types that its DOM library lacks: WebGPU's stand in it since TypeScript 6. */
const VERSIONS = [
  ["5.7", ["@webgpu/types"]],
  ["6", []],
  ["7", []],
] as const;

beforeAll(async () => {
  const installed = install(await packed(), disk.root, ["three", "@types/three", "@webgpu/types"]);
  const { exports = {} } = manifestOf(installed) as { exports?: Readonly<Record<string, unknown>> };
  const entries = Object.keys(exports).filter((name) => name !== "./package.json");
  const lines = entries.map((name, i) => `import * as m${i} from "depthloom${name.slice(1)}";\nconsole.log(m${i});`);
  // The example of a stage is used from TypeScript, too.
  cpSync(join(root, "docs/examples/own-stage"), join(disk.root, "node_modules/depthloom-crop"), { recursive: true });
  lines.push('import { crop } from "depthloom-crop";', 'crop({ shape: "circle" });');
  lines.push(
    'const view = document.createElement("depthloom-view");',
    'view.addEventListener("frame", ({ detail }) => detail.readDepth().then((depth) => console.log(depth.get(1, 1))));',
    'view.addEventListener("error", ({ detail }) => console.log(detail.message), { once: true });',
    'view.addEventListener("click", ({ clientX }) => console.log(clientX));',
  );
  writeFileSync(join(disk.root, "all.ts"), lines.join("\n"));
});

/** The compiler of a version: this repository's, or one from npm; `undefined` where npm does not answer. */
function compilerOf(version: string): string | undefined {
  if (version === "7") return join(root, "node_modules/typescript/bin/tsc");
  const folder = join(disk.root, `typescript-${version}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  const args = ["install", "--no-audit", "--no-fund", "--prefer-offline", `typescript@${version}`];
  const { status } = spawnSync("npm", args, { cwd: folder, shell: process.platform === "win32" });
  return status === 0 ? join(folder, "node_modules/typescript/bin/tsc") : undefined;
}

test.for(VERSIONS)(
  "TypeScript %s finds no fault in the types, by bundlers' rules and by Node's",
  ([version, types], { skip }) => {
    const tsc = compilerOf(version) ?? skip(`npm gives no typescript@${version} here`);
    for (const [module, moduleResolution] of [
      ["esnext", "bundler"],
      ["node16", "node16"],
    ]) {
      const rules = { strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true };
      const compilerOptions = { ...rules, module, moduleResolution, types, target: "es2022", noEmit: true };
      const project = join(disk.root, `tsconfig.${version}.${module}.json`);
      writeFileSync(project, JSON.stringify({ compilerOptions, files: ["all.ts"] }));
      const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", project], { encoding: "utf8" });
      expect([stdout, status]).toEqual(["", 0]);
    }
  },
);
