import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { useFolder } from "../sources/fixtures.ts";
import { install, packed } from "./install.ts";

const disk = useFolder();
const root = fileURLToPath(new URL("../..", import.meta.url));

test("each block of TypeScript and JavaScript in the docs compiles as it stands, against the installed package", async () => {
  install(await packed(), disk.root, ["three", "@types/three", "@types/node", "@types/webxr"]);
  const pages = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)];
  const folder = join(disk.root, "blocks");
  mkdirSync(folder);
  let blocks = 0;
  for (const page of pages.filter((name) => name.endsWith(".md")))
    for (const [, code = ""] of readFileSync(join(root, page), "utf8").matchAll(/^```[jt]s\n([\s\S]*?)^```/gm))
      writeFileSync(join(folder, `${page.replaceAll(/\W/g, "-")}-${blocks++}.ts`), `${code}export {};\n`);
  const stages = readdirSync(join(root, "stages")).filter((name) => existsSync(join(root, "stages", name, "index.ts")));
  for (const name of stages.filter((name) => name !== "core")) {
    const [, example = ""] =
      /@example\n([\s\S]*?)\*\/\nexport const/.exec(readFileSync(join(root, "stages", name, "index.ts"), "utf8")) ?? [];
    const start = `import { createPipeline, defaultStages, type RecordedSource, ${stages.filter((one) => one !== "core")} } from "depthloom";
declare const [recording, canvas]: [RecordedSource, HTMLCanvasElement];\n`;
    writeFileSync(join(folder, `stage-${name}-${blocks++}.ts`), start + example.replaceAll(/^ \* ?/gm, ""));
  }
  expect(blocks).toBeGreaterThan(40);
  const compilerOptions = {
    ...{ strict: true, module: "esnext", moduleResolution: "bundler", target: "esnext", noEmit: true },
    // A block of JavaScript names no types.
    ...{ noImplicitAny: false, types: ["node", "webxr"] },
  };
  writeFileSync(join(disk.root, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["blocks/*"] }));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", disk.root], { encoding: "utf8" });
  expect(stdout).toBe("");
});
